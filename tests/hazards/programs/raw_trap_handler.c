/* Installs its own SIGTRAP handler by a raw system call, as runtimes of other languages do. Argument: "raw", or "libc" for libc's
 * sigaction. Prints how many SIGTRAPs the handler received. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"

static volatile sig_atomic_t strangers;
static void count(int number, siginfo_t* info, void* context) {
  (void)number, (void)info, (void)context;
  ++strangers;
}

struct kernel_action {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

int main(int argc, char** argv) {
  MUST(argc == 2);
  burn_ms(100);
  struct sigaction through_libc;
  memset(&through_libc, 0, sizeof through_libc);
  through_libc.sa_sigaction = count;
  through_libc.sa_flags = SA_SIGINFO | SA_RESTART;
  if (strcmp(argv[1], "libc") == 0) {
    MUST(sigaction(SIGTRAP, &through_libc, NULL) == 0);
  } else {
    /* Takes the libc's restorer from another signal's action. */
    MUST(sigaction(SIGUSR2, &through_libc, NULL) == 0);
    struct kernel_action action;
    MUST(syscall(SYS_rt_sigaction, SIGUSR2, NULL, &action, 8) == 0);
    MUST(syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, 8) == 0);
  }
  burn_ms(700);
  printf("%d\n", (int)strangers);
  return 3;
}
