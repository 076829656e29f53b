/* Records the program that it is linked into, from start to exit, with long whole traces: for static programs, into
 * which nothing can be preloaded. The profile goes to the file that SOFTLBR_SESSION names; without it nothing happens.
 * */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "softlbr/decoders.h"
#include "softlbr/softlbr.h"

static int sink = -1;

__attribute__((constructor)) static void Start(void) {
  const char* path = getenv("SOFTLBR_SESSION");
  if (path == NULL) return;
  sink = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  const struct softlbr_options options = {.struct_size = sizeof options,
                                          .flags = SOFTLBR_KEEP_TRACES | SOFTLBR_KEEP_PATHS,
                                          .period = 100003,
                                          .branches_per_trace = 1024,
                                          .max_overhead_ppm = 500000,
                                          .sink_fd = sink};
  const int status = softlbr_start(&options);
  if (status != SOFTLBR_OK) fprintf(stderr, "session: %s\n", softlbr_status_text(status));
}

__attribute__((destructor)) static void Stop(void) {
  if (sink < 0) return;
  softlbr_stop();
  close(sink);
}
