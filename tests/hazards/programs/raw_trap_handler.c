/* Installs its own SIGTRAP handler by a system call, as runtimes of other languages do. Argument: "raw" for an
 * instruction of its own, "syscall" for libc's syscall(), or "libc" for libc's sigaction. Prints how many SIGTRAPs the
 * handler received. */
#include <errno.h>
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

static long raw_call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  register long fourth __asm__("r10") = d;
  long result = number;
  __asm__ volatile("syscall" : "+a"(result) : "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
  return result;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#endif
}

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
    if (strcmp(argv[1], "syscall") == 0) {
      struct kernel_action before, now;
      MUST(syscall(SYS_rt_sigaction, SIGTRAP, &action, &before, 8) == 0);
      MUST((uintptr_t)before.handler == (uintptr_t)SIG_DFL);
      MUST(syscall(SYS_rt_sigaction, SIGTRAP, NULL, &now, 8) == 0);
      MUST(now.handler == count && now.flags == action.flags && now.restorer == action.restorer);
      errno = 0;
      MUST(syscall(SYS_rt_sigaction, SIGTRAP, (void*)8, NULL, 8) == -1 && errno == EFAULT);
      MUST(syscall(SYS_rt_sigaction, SIGTRAP, NULL, (void*)8, 8) == -1 && errno == EFAULT);
      MUST(syscall(SYS_rt_sigaction, SIGTRAP, NULL, NULL, 4) == -1 && errno == EINVAL);
      MUST(syscall(-1) == -1 && errno == ENOSYS);
      MUST(raise(SIGTRAP) == 0 && strangers == 1);
      strangers = 0;
    } else {
      MUST(raw_call(SYS_rt_sigaction, SIGTRAP, (long)&action, 0, 8) == 0);
    }
  }
  burn_ms(700);
  printf("%d\n", (int)strangers);
  return 3;
}
