/* Blocks every signal while it works, and unblocks them only while it waits, in each way that there is. Prints what
 * each wait returned, and how many handlers had run by then. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

#include "hazard_program.h"

static volatile sig_atomic_t handled;
static void on_signal(int number) {
  (void)number;
  ++handled;
}

static int wait_in(int way, const struct timespec* timeout) {
  static int epoll = -1;
  sigset_t none;
  sigemptyset(&none);
  if (epoll < 0) epoll = epoll_create1(0);
  struct epoll_event event;
  switch (way) {
    case 0: return ppoll(NULL, 0, timeout, &none);
    case 1: return pselect(0, NULL, NULL, NULL, timeout, &none);
    case 2: return epoll_pwait(epoll, &event, 1, timeout != NULL ? 20 : -1, &none);
    default: return sigsuspend(&none);
  }
}

int main(void) {
  sigset_t all;
  sigfillset(&all);
  struct sigaction action = {.sa_handler = on_signal};
  MUST(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
  MUST(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
  const struct timespec twenty_ms = {0, 20000000};
  for (int round = 0; round < 5; ++round) {
    for (int way = 0; way < 4; ++way) {
      /* Its own signal is pending already. */
      burn_ms(5);
      MUST(kill(getpid(), SIGUSR1) == 0);
      int result = wait_in(way, NULL);
      printf("%d: %d %s, %d handled\n", way, result, errno == EINTR ? "EINTR" : "?", (int)handled);
      /* None is: it comes later. sigsuspend would wait for ever without. */
      burn_ms(5);
      const struct itimerval soon = {{0, 0}, {0, 50000}};
      if (way == 3) MUST(setitimer(ITIMER_REAL, &soon, NULL) == 0);
      result = wait_in(way, &twenty_ms);
      printf("%d: %d, %d handled\n", way, result, (int)handled);
    }
  }
  return 3;
}
