/* An app that profiles a part of its own work: start, work, stop. Links libsoftlbr.a and the decoder of its CPU.
 *
 *   cc c_api.c $(pkg-config --cflags --libs softlbr) -o c_api && ./c_api out.slbr
 */
#include <fcntl.h>
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Work with branches that depend on data. */
static unsigned Collatz(unsigned limit) {
  unsigned longest = 0;
  for (unsigned start = 1; start < limit; ++start) {
    unsigned steps = 0;
    for (unsigned long long n = start; n != 1; ++steps) n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
    if (steps > longest) longest = steps;
  }
  return longest;
}

int main(int count, char** arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: c_api OUT.slbr\n");
    return 2;
  }
  const int fd = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) {
    perror(arguments[1]);
    return 1;
  }

  struct softlbr_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.sink_fd = fd;
  options.frequency_hz = 4999;
  softlbr_register_decoder(SOFTLBR_HOST_DECODER()); /* or softlbr_load_decoder(path), which calls dlopen */
  const int started = softlbr_start(&options);
  if (started != SOFTLBR_OK) fprintf(stderr, "c_api: not profiled: %s\n", softlbr_status_text(started));

  printf("longest chain: %u steps\n", Collatz(1500000));

  struct softlbr_counters counters;
  memset(&counters, 0, sizeof(counters));
  counters.struct_size = sizeof(counters);
  if (softlbr_get_counters(&counters) == SOFTLBR_OK) {
    printf("recorded %llu taken branches in %llu samples\n", (unsigned long long)counters.taken_branches,
           (unsigned long long)counters.samples);
  }
  if (started == SOFTLBR_OK && softlbr_stop() != SOFTLBR_OK) return 1;
  close(fd);
  return 0;
}
