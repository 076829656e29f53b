/* Calls the libc's functions for signals, each in a few ways, and prints what they did. With WITH_SESSION it has the
 * runtime linked in, and records itself if it gets an argument. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "hazard_program.h"

#ifdef WITH_SESSION
#include <softlbr/softlbr.h>
const struct softlbr_decoder_plugin* SOFTLBR_HOST_DECODER(void);
static int discard(void* cookie, const void* bytes, size_t size) {
  (void)cookie, (void)bytes, (void)size;
  return 0;
}
#endif

static volatile sig_atomic_t handled;
static void on_signal(int number) { handled = number; }

static void show(const char* what, long result) {
  const int error = errno;
  printf("%s: %ld%s%s, handled %d\n", what, result, result == -1 ? ", " : "",
         result == -1 ? strerrorname_np(error) : "", (int)handled);
  handled = 0;
}

static void start_session(int wanted) {
#ifdef WITH_SESSION
  if (!wanted) return;
  static struct softlbr_options options;
  options.struct_size = sizeof options;
  options.period = 1000003;
  options.event = SOFTLBR_EVENT_TASK_CLOCK;
  options.sink = discard;
  MUST(softlbr_register_decoder(SOFTLBR_HOST_DECODER()) == SOFTLBR_OK);
  MUST(softlbr_start(&options) == SOFTLBR_OK);
  burn_ms(20);
#endif
  (void)wanted;
}

static int stop_session(int wanted) {
#ifdef WITH_SESSION
  return wanted ? softlbr_stop() : 0;
#else
  return (void)wanted, 0;
#endif
}

/* Sends SIGALRM again and again, so that one comes in the midst of a wait, until show_alarm. */
static void ring(void) {
  const struct itimerval soon = {{0, 20000}, {0, 20000}};
  MUST(setitimer(ITIMER_REAL, &soon, NULL) == 0);
}
static void show_alarm(const char* what, long result) {
  const struct itimerval never = {{0, 0}, {0, 0}};
  const struct timespec now = {0, 0};
  sigset_t alarm;
  show(what, result);
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  MUST(setitimer(ITIMER_REAL, &never, NULL) == 0);
  (void)sigtimedwait(&alarm, NULL, &now);
  handled = 0;
}

int main(int argc, char** argv) {
  (void)argv;
  const struct timespec soon = {0, 1000000}, late = {5, 0};
  struct timespec wrong = {0, -1};
  sigset_t none, usr1, alarm, set;
  siginfo_t info;
  sigemptyset(&none);
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  start_session(argc > 1);

  struct sigaction wish, before;
  memset(&wish, 0, sizeof wish);
  wish.sa_handler = on_signal;
  wish.sa_flags = SA_RESTART;
  sigaddset(&wish.sa_mask, SIGUSR2);
  show("sigaction", sigaction(SIGUSR1, &wish, &before));
  printf("before: %d\n", before.sa_handler == SIG_DFL);
  show("sigaction of none", sigaction(SIGUSR1, NULL, &before));
  printf("%d %d %d %d\n", before.sa_handler == on_signal, (before.sa_flags & SA_RESTART) != 0,
         sigismember(&before.sa_mask, SIGUSR2), sigismember(&before.sa_mask, SIGUSR1));
  show("raise", raise(SIGUSR1));
  show("sigaction of SIGKILL", sigaction(SIGKILL, &wish, NULL));
  show("sigaction of 0", sigaction(0, &wish, NULL));
  show("sigaction of the libc's signal", sigaction(33, &wish, NULL));
  show("sigaction of 65", sigaction(65, &wish, NULL));

  MUST(sigprocmask(SIG_BLOCK, &usr1, NULL) == 0);
  MUST(raise(SIGUSR1) == 0);
  sigemptyset(&set);
  show("sigpending", sigpending(&set));
  printf("%d %d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
  int number = 0;
  show("sigwait", sigwait(&usr1, &number));
  printf("%d\n", number);
  MUST(raise(SIGUSR1) == 0);
  show("sigwaitinfo", sigwaitinfo(&usr1, &info));
  printf("%d %d\n", info.si_signo, info.si_pid == getpid());
  show("sigtimedwait", sigtimedwait(&usr1, &info, &soon));
  show("sigtimedwait for a wrong time", sigtimedwait(&usr1, &info, &wrong));
  MUST(raise(SIGUSR1) == 0);
  show("sigtimedwait", sigtimedwait(&usr1, NULL, &late));
  const int fd = signalfd(-1, &usr1, SFD_CLOEXEC | SFD_NONBLOCK);
  show("signalfd", fd > 0);
  MUST(raise(SIGUSR1) == 0);
  struct signalfd_siginfo read_info;
  show("read", read(fd, &read_info, sizeof read_info) == sizeof read_info ? (long)read_info.ssi_signo : -1);
  show("signalfd of a wrong descriptor", signalfd(0x7fffffff, &usr1, 0));

  MUST(raise(SIGUSR1) == 0);
  show("sigsuspend", sigsuspend(&none));
  struct pollfd file = {.fd = fd, .events = POLLIN};
  show("ppoll", ppoll(&file, 1, &soon, NULL));
  MUST(raise(SIGUSR1) == 0);
  show("ppoll", ppoll(&file, 1, &late, &none));
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(fd, &reads);
  show("pselect", pselect(fd + 1, &reads, NULL, NULL, &soon, NULL));
  MUST(raise(SIGUSR1) == 0);
  FD_SET(fd, &reads);
  show("pselect", pselect(fd + 1, &reads, NULL, NULL, &late, &none));
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
  show("epoll_pwait", epoll_pwait(epoll, &event, 1, 1, NULL));
  MUST(raise(SIGUSR1) == 0);
  show("epoll_pwait", epoll_pwait(epoll, &event, 1, 5000, &none));

  MUST(sigprocmask(SIG_BLOCK, &alarm, NULL) == 0);
  sigset_t all_but_alarm;
  sigfillset(&all_but_alarm);
  sigdelset(&all_but_alarm, SIGALRM);
  show("signal", signal(SIGALRM, on_signal) == SIG_DFL);
  ring();
  show_alarm("ppoll", ppoll(NULL, 0, &late, &all_but_alarm));
  MUST(sigprocmask(SIG_UNBLOCK, &alarm, NULL) == 0);
  int ends[2];
  char byte;
  MUST(pipe(ends) == 0);
  show("siginterrupt", siginterrupt(SIGALRM, 1));
  ring();
  show_alarm("read", read(ends[0], &byte, 1));
  show("signal", signal(SIGALRM, on_signal) == on_signal);
  ring();
  show_alarm("read", read(ends[0], &byte, 1));
  show("siginterrupt", siginterrupt(SIGALRM, 0));
  show("signal of SIGKILL", signal(SIGKILL, on_signal) == SIG_ERR);
  show("sysv_signal", sysv_signal(SIGUSR2, on_signal) == SIG_DFL);
  show("raise", raise(SIGUSR2));
  show("signal", signal(SIGUSR2, SIG_IGN) == SIG_DFL);
  show("sigset", sigset(SIGUSR2, on_signal) == SIG_IGN);
  show("raise", raise(SIGUSR2));
  show("sigset", sigset(SIGUSR2, SIG_HOLD) == on_signal);
  show("raise", raise(SIGUSR2));
  show("sigset", sigset(SIGUSR2, on_signal) == SIG_HOLD);
  show("sigignore", sigignore(SIGUSR2));
  show("raise", raise(SIGUSR2));
  show("system", system("exit 3"));
  show("stop", stop_session(argc > 1));
  return 8;
}
