/* A program that waits to be triggered: what an app does, and no more. It works until its standard input ends.
 *
 * Use: triggerable_program FOLDER thread|poll      Prints "ready" when it can be triggered, and its counters at the
 *                                                  end. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "runtime/include/softlbr/control.h"
#include "runtime/include/softlbr/decoders.h"

static volatile unsigned g_longest_chain;

static void Work(unsigned limit) {
  unsigned longest = 0;
  for (unsigned start = 1; start < limit; ++start) {
    unsigned steps = 0;
    for (unsigned long long n = start; n != 1; ++steps) n = (n & 1) != 0 ? 3 * n + 1 : n / 2;
    if (steps > longest) longest = steps;
  }
  g_longest_chain = longest;
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int lends_thread = strcmp(arguments[2], "poll") == 0;
  struct softlbr_control_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.folder = arguments[1];
  options.program = "triggerable";
  options.flags = lends_thread ? SOFTLBR_CONTROL_NO_THREAD : 0;
  options.longest_session_ms = 50000;
  options.largest_overhead_ppm = 50000;
  if (softlbr_register_decoder(SOFTLBR_HOST_DECODER()) != SOFTLBR_OK) return 3;
  const int status = softlbr_control_start(&options);
  if (status != SOFTLBR_OK) return 100 + status;
  puts("ready");
  fflush(stdout);
  struct pollfd inputs[2] = {{0, POLLIN, 0}, {softlbr_control_descriptor(), POLLIN, 0}};
  do {
    Work(2000);
    if (poll(inputs, lends_thread ? 2 : 1, 0) < 0) return 4;
    if (inputs[1].revents != 0 && softlbr_control_poll() != SOFTLBR_OK) return 5;
  } while (inputs[0].revents == 0);
  struct softlbr_control_counters counters;
  memset(&counters, 0, sizeof(counters));
  counters.struct_size = sizeof(counters);
  if (softlbr_control_get_counters(&counters) != SOFTLBR_OK || softlbr_control_stop() != SOFTLBR_OK) return 6;
  printf("sessions=%llu cancelled=%llu malformed=%llu range=%llu user=%llu busy=%llu policy=%llu\n",
         (unsigned long long)counters.sessions, (unsigned long long)counters.sessions_cancelled,
         (unsigned long long)counters.refused_malformed, (unsigned long long)counters.refused_out_of_range,
         (unsigned long long)counters.refused_other_user, (unsigned long long)counters.refused_busy,
         (unsigned long long)counters.refused_policy);
  return 0;
}
