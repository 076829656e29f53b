/* What an app does that carries the runtime: it records its own work. Linked into a program, and into a plugin that a
 * program loads which knows nothing of softlbr. */
#include "package_recording.h"

#include <fcntl.h>
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int g_fd = -1;
static volatile unsigned g_longest_chain;

void PackageWork(unsigned limit) {
  unsigned longest = 0;
  for (unsigned start = 1; start < limit; ++start) {
    unsigned steps = 0;
    for (unsigned long long n = start; n != 1; ++steps) n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
    if (steps > longest) longest = steps;
  }
  g_longest_chain = longest;
}

int PackageBegin(const char* path) {
  g_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  struct softlbr_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.sink_fd = g_fd;
  options.frequency_hz = 9973;
  const int registered = softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  return registered != SOFTLBR_OK ? registered : softlbr_start(&options);
}

/* 100 samples take 10 ms of CPU time. Ends after 5 s without them. */
void PackageWorkUntilSampled(void) {
  struct softlbr_counters counters;
  memset(&counters, 0, sizeof(counters));
  counters.struct_size = sizeof(counters);
  const clock_t end = clock() + 5 * CLOCKS_PER_SEC;
  while (clock() < end && softlbr_get_counters(&counters) == SOFTLBR_OK && counters.samples < 100) PackageWork(2000);
}

int PackageEnd(void) {
  const int stopped = softlbr_stop();
  close(g_fd);
  return stopped;
}
