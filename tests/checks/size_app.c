/* The smallest app that can record, and the same app without softlbr. check_app_size.sh compares the two. */
#ifdef SIZE_OF_SOFTLBR
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>

int main(void) {
  const struct softlbr_options options = {.struct_size = sizeof options, .frequency_hz = 997, .sink_fd = 1};
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  const int status = softlbr_start(&options);
  if (status == SOFTLBR_OK) softlbr_stop();
  return status;
}
#else
int main(void) { return 0; }
#endif
