/* The smallest app that has all of softlbr that a configuration needs; without any macro the app without softlbr.
 * check_app_size.sh compares the two. SIZE_OF_SESSION: it starts a session. SIZE_OF_CONTROL: it waits to be asked for
 * one. SIZE_OF_SPOOL: it keeps sessions in a folder; with SIZE_OF_COMPACT it makes them smaller before. */
#if defined(SIZE_OF_CONTROL)
#include <softlbr/control.h>
#include <softlbr/decoders.h>

int main(void) {
  const struct softlbr_control_options options = {.struct_size = sizeof options};
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  const int status = softlbr_control_start(&options);
  if (status == SOFTLBR_OK) softlbr_control_stop();
  return status;
}
#elif defined(SIZE_OF_SPOOL)
#include <softlbr/compact.h>
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>
#include <softlbr/spool.h>

static struct softlbr_spool g_spool;

int main(void) {
  struct softlbr_spool_options where = {.struct_size = sizeof where, .folder = "/nowhere"};
#ifdef SIZE_OF_COMPACT
  where.compact = softlbr_compact;
#endif
  int status = softlbr_spool_open(&g_spool, &where);
  if (status != SOFTLBR_SPOOL_OK) return status;
  const struct softlbr_options options = {
      .struct_size = sizeof options, .sink = softlbr_spool_sink, .sink_cookie = &g_spool};
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  status = softlbr_start(&options);
  if (status == SOFTLBR_OK) softlbr_stop();
  softlbr_spool_close(&g_spool);
  return status;
}
#elif defined(SIZE_OF_SESSION)
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
