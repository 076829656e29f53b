/* Blocks every signal and looks for pending ones in every way. Prints what it finds, before and after it sends itself a
 * SIGTRAP. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"

static int file;

static void look(const char* when) {
  sigset_t through_libc;
  unsigned long raw = 0;
  MUST(sigpending(&through_libc) == 0);
  MUST(syscall(SYS_rt_sigpending, &raw, 8) == 0);
  printf("%s: pending %d, raw %d", when, sigismember(&through_libc, SIGTRAP), (raw >> (SIGTRAP - 1) & 1) != 0);
  struct pollfd poll_file = {file, POLLIN, 0};
  printf(", signalfd %d\n", poll(&poll_file, 1, 0));
}

int main(void) {
  sigset_t all;
  sigfillset(&all);
  MUST(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
  file = signalfd(-1, &all, SFD_NONBLOCK);
  MUST(file >= 0);
  for (int i = 0; i < 10; ++i) {
    burn_ms(20);
    look("blocked");
  }
  /* Only one SIGTRAP can be pending for a thread: the program's own is for the process. */
  MUST(kill(getpid(), SIGUSR1) == 0);
  look("other signal");
  struct timespec now = {0, 0};
  siginfo_t info;
  MUST(sigtimedwait(&all, &info, &now) == SIGUSR1);
  MUST(kill(getpid(), SIGTRAP) == 0);
  sigset_t pending;
  for (int i = 0; i < 10; ++i) {
    burn_ms(5);
    MUST(sigpending(&pending) == 0 && sigismember(&pending, SIGTRAP) == 1);
  }
  MUST(syscall(SYS_rt_sigtimedwait, &all, &info, &now, 8) == SIGTRAP && info.si_code == SI_USER &&
       info.si_pid == getpid());
  look("taken");
  return 3;
}
