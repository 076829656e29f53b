/* Handlers that run for long, that never return, that nest; loops with every signal blocked. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "torture.h"

static __thread sigjmp_buf jump_target;
static __thread volatile sig_atomic_t may_jump;
static volatile uint64_t sink;

static void run_long(int number) {
  const int kept = errno;
  sink = torture_mix((uint64_t)number, 3000);
  errno = kept;
}

static void jump_out(int number) {
  (void)number;
  if (!may_jump) return;
  may_jump = 0;
  siglongjmp(jump_target, 1);
}

void torture_install_handlers(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_NODEFER;
  action.sa_handler = run_long;
  MUST(sigaction(SIGUSR1, &action, NULL) == 0);
  action.sa_flags = SA_RESTART;
  MUST(sigaction(SIGALRM, &action, NULL) == 0);
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = jump_out;
  MUST(sigaction(SIGUSR2, &action, NULL) == 0);
}

static timer_t timer_of_this_thread(int number) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  timer_t timer;
  MUST(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  return timer;
}

static void set_timer(timer_t timer, long first_ns, long every_ns) {
  const struct itimerspec time = {{0, every_ns}, {0, first_ns}};
  MUST(timer_settime(timer, 0, &time, NULL) == 0);
}

uint64_t torture_timers(uint64_t seed) {
  const timer_t timer = timer_of_this_thread(SIGUSR1);
  set_timer(timer, 150000, 150000);
  uint64_t sum = 0;
  for (int i = 0; i < 20; ++i) {
    sum = sum * 31 + torture_mix(seed + (uint64_t)i, 100000);
    const struct timespec wait = {0, 200000};
    struct timespec left = wait;
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    for (int k = 0; k < 5; ++k) MUST(pthread_kill(pthread_self(), SIGUSR1) == 0);
  }
  MUST(timer_delete(timer) == 0);
  return sum;
}

__attribute__((noinline)) static uint64_t descend(jmp_buf out, uint64_t seed, int depth) {
  char room[200];
  memset(room, depth, sizeof room);
  if (depth == 0) {
    if (out == NULL) return 0;
    longjmp(out, (int)(torture_mix(seed, 50) % 100) + 1);
  }
  const uint64_t below = descend(out, seed + (uint64_t)room[7], depth - 1);
  return below + (uint64_t)room[depth % 200];
}

uint64_t torture_jumps(uint64_t seed) {
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  MUST(stack.ss_sp != NULL && sigaltstack(&stack, NULL) == 0);
  volatile uint64_t sum = seed;
  const timer_t timer = timer_of_this_thread(SIGUSR2);
  for (volatile int i = 0; i < 60; ++i) {
    if (sigsetjmp(jump_target, 1) == 0) {
      may_jump = 1;
      if (i % 2 == 0) {
        MUST(pthread_kill(pthread_self(), SIGUSR2) == 0);
        MUST(!"reached");
      }
      set_timer(timer, 100000 + i * 7000, 0);
      for (;;) sink = torture_mix(seed, 300); /* until the handler jumps */
    }
    sum = sum * 33 + torture_mix(seed + (uint64_t)i, 500);
    jmp_buf out;
    const int code = setjmp(out);
    if (code == 0) {
      sum += descend(out, seed, 40);
    } else {
      sum = sum * 5 + (uint64_t)code;
    }
  }
  MUST(timer_delete(timer) == 0);
  const stack_t none = {.ss_flags = SS_DISABLE};
  MUST(sigaltstack(&none, NULL) == 0);
  free(stack.ss_sp);
  return sum;
}

uint64_t torture_blocked(uint64_t seed) {
  uint64_t sum = 0;
  sigset_t all, before;
  sigfillset(&all);
  for (int i = 0; i < 30; ++i) {
    MUST(pthread_sigmask(SIG_BLOCK, &all, &before) == 0);
    sum = sum * 31 + torture_mix(seed + (uint64_t)i, 20000);
    MUST(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
    errno = 4242;
    sum = sum * 31 + torture_mix(seed - (uint64_t)i, 20000);
    MUST(errno == 4242);
  }
  return sum;
}
