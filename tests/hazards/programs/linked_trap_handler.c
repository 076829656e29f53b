/* Records itself with the runtime linked in, and installs a SIGTRAP handler during the session, as crash reporters do.
 *   libc      by sigaction; with libsoftlbr_signals.a that is the archive's, otherwise the libc's
 *   exchange  by softlbr_exchange_trap_action
 * Prints the result of softlbr_start, whether the handler was called by anything but our own raise, and the result of
 * softlbr_stop. */
#include <fcntl.h>
#include <signal.h>
#include <softlbr/softlbr.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

const struct softlbr_decoder_plugin* SOFTLBR_HOST_DECODER(void);

static volatile sig_atomic_t expected, calls;
static void on_trap(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  if (info->si_code == SI_TKILL) {
    ++expected;
  } else {
    ++calls;
  }
}

static int discard(void* cookie, const void* bytes, size_t size) {
  (void)cookie, (void)bytes, (void)size;
  return 0;
}

int main(int argc, char** argv) {
  MUST(argc == 2);
  struct softlbr_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.period = 200003;
  options.event = SOFTLBR_EVENT_TASK_CLOCK;
  options.sink = discard;
  MUST(softlbr_register_decoder(SOFTLBR_HOST_DECODER()) == SOFTLBR_OK);
  printf("start: %d\n", softlbr_start(&options));
  burn_ms(50);
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  if (strcmp(argv[1], "exchange") == 0) {
    struct softlbr_trap_action ours, previous;
    memset(&ours, 0, sizeof ours);
    ours.handler = (uint64_t)(uintptr_t)on_trap;
    ours.flags = SA_SIGINFO | SA_RESTART;
    MUST(softlbr_exchange_trap_action(&ours, &previous) == SOFTLBR_OK);
    printf("before: %s\n", previous.handler == (uint64_t)(uintptr_t)SIG_DFL ? "default" : "HANDLER");
  } else {
    MUST(sigaction(SIGTRAP, &action, &before) == 0);
    printf("before: %s\n", before.sa_handler == SIG_DFL ? "default" : "HANDLER");
  }
  burn_ms(200);
  MUST(raise(SIGTRAP) == 0);
  struct softlbr_counters counters;
  memset(&counters, 0, sizeof counters);
  counters.struct_size = sizeof counters;
  const int counted = softlbr_get_counters(&counters);
  printf("sampled to the end: %s\n", counted == SOFTLBR_OK && counters.samples > 500 ? "yes" : "no");
  printf("own traps: %d, others: %s\n", (int)expected, calls != 0 ? "SOME" : "none");
  printf("stop: %d\n", softlbr_stop());
  MUST(raise(SIGTRAP) == 0);
  printf("own traps: %d\n", (int)expected);
  return 4;
}
