/* Passes pointers that the kernel cannot read or write to the libc's functions for signals, and prints what each call
 * says. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"

static void say(const char* what, long result) { printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done"); }

int main(void) {
  const struct timespec now = {0, 0};
  sigset_t all;
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(pages != MAP_FAILED && mprotect(pages + 4096, 4096, PROT_NONE) == 0);
  void* const pointers[] = {(void*)-64, pages + 4096, pages + 4096 - 4};
  burn_ms(30);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  for (int i = 0; i < 3; ++i) {
    void* const pointer = pointers[i];
    int number = 0;
    say("sigaltstack", sigaltstack(pointer, NULL));
    say("signalfd", signalfd(-1, pointer, 0));
    say("sigtimedwait, set", sigtimedwait(pointer, NULL, &now));
    say("sigtimedwait, time", sigtimedwait(&all, NULL, pointer));
    MUST(raise(SIGUSR1) == 0);
    say("sigtimedwait, information", sigtimedwait(&all, pointer, &now));
    MUST(raise(SIGUSR1) == 0);
    say("sigwaitinfo, information", sigwaitinfo(&all, pointer));
    say("sigwaitinfo, set", sigwaitinfo(pointer, NULL));
    printf("sigwait: %s\n", strerror(sigwait(pointer, &number)));
    say("sigpending", sigpending(pointer));
    say("rt_sigtimedwait", syscall(SYS_rt_sigtimedwait, pointer, NULL, &now, 8));
    say("rt_sigaction", syscall(SYS_rt_sigaction, SIGTRAP, pointer, NULL, 8));
  }
  /* Only the first eight bytes of a set are the kernel's. */
  sigset_t* const short_set = memset(pages + 4096 - 8, 0xff, 8);
  say("signalfd, eight bytes", signalfd(-1, short_set, 0));
  MUST(raise(SIGUSR1) == 0);
  say("sigtimedwait, eight bytes", sigtimedwait(short_set, NULL, &now));
  return 3;
}
