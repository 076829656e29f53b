/* Uses every libc function that sets the action of SIGTRAP, and raises traps after each. Prints what the functions
 * return. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

#if defined(__x86_64__)
#define TRAP_INSTRUCTION() __asm__ volatile("int3")
#define TRAP_AND_GO_ON() TRAP_INSTRUCTION()
#else
#define TRAP_INSTRUCTION() __asm__ volatile("brk #0")
#define TRAP_AND_GO_ON() \
  raise(SIGTRAP) /* the instruction would trap again: a handler without a context cannot step over it */
#endif

static volatile sig_atomic_t calls, last_code, was_self_blocked, was_usr1_blocked;
static sigjmp_buf out;

static void note(int code) {
  sigset_t mask;
  sigprocmask(SIG_BLOCK, NULL, &mask);
  was_self_blocked = sigismember(&mask, SIGTRAP);
  was_usr1_blocked = sigismember(&mask, SIGUSR1);
  last_code = code;
  ++calls;
}
static void plain(int number) { note(number); }
static void other(int number) { note(100 + number); }
static void with_info(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  note(info->si_code);
}
static void jump(int number) {
  note(number);
  siglongjmp(out, 1);
}

static const char* name(void (*handler)(int)) {
  if (handler == SIG_DFL) return "default";
  if (handler == SIG_IGN) return "ignore";
  if (handler == SIG_HOLD) return "hold";
  if (handler == SIG_ERR) return "error";
  if (handler == plain) return "plain";
  if (handler == other) return "other";
  if (handler == jump) return "jump";
  if ((uintptr_t)handler == (uintptr_t)with_info) return "info";
  return "STRANGER";
}

static void show(const char* what) {
  struct sigaction now;
  memset(&now, 0, sizeof now);
  MUST(sigaction(SIGTRAP, NULL, &now) == 0);
  printf(
      "%s: %s flags %x usr1 %d trap %d restorer %d\n", what, name(now.sa_handler), (unsigned)now.sa_flags,
      sigismember(&now.sa_mask, SIGUSR1), sigismember(&now.sa_mask, SIGTRAP),
      (now.sa_flags & 0x04000000 /* SA_RESTORER: without it the field is undefined */) != 0 && now.sa_restorer != NULL);
}

static void trap(const char* what) {
  calls = 0;
  burn_ms(15);
  raise(SIGTRAP);
  TRAP_AND_GO_ON();
  burn_ms(15);
  printf("%s: %d calls, code %d, self %d, usr1 %d\n", what, (int)calls, (int)last_code, (int)was_self_blocked,
         (int)was_usr1_blocked);
}

static void* change_often(void* unused) {
  for (int i = 0; i < 20000; ++i) {
    struct sigaction before;
    struct sigaction wish = {.sa_handler = i & 1 ? plain : other};
    MUST(sigaction(SIGTRAP, &wish, &before) == 0);
    MUST(before.sa_handler == plain || before.sa_handler == other);
  }
  return unused;
}

static void child_dies(const char* what, void (*body)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%s: exit %d signal %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1,
         WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}
static void raise_default(void) {
  signal(SIGTRAP, SIG_DFL);
  raise(SIGTRAP);
}
static void raise_ignored(void) {
  signal(SIGTRAP, SIG_IGN);
  raise(SIGTRAP);
}
static void trap_ignored(void) {
  signal(SIGTRAP, SIG_IGN);
  TRAP_INSTRUCTION();
}
static void ask(void) {
  struct sigaction now;
  sigaction(SIGTRAP, NULL, &now);
  _exit(now.sa_handler == plain ? 42 : 1);
}

int main(void) {
  show("at start");
  struct sigaction wish;
  memset(&wish, 0, sizeof wish);
  wish.sa_sigaction = with_info;
  wish.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaddset(&wish.sa_mask, SIGUSR1);
  sigaddset(&wish.sa_mask, SIGKILL);
  struct sigaction before;
  MUST(sigaction(SIGTRAP, &wish, &before) == 0);
  printf("before: %s\n", name(before.sa_handler));
  show("sigaction");
  trap("info");

  printf("signal gave %s\n", name(signal(SIGTRAP, plain)));
  show("signal");
  trap("plain");
  MUST(siginterrupt(SIGTRAP, 1) == 0);
  show("siginterrupt");
  printf("signal gave %s\n", name(signal(SIGTRAP, other)));
  show("signal that interrupts");
  MUST(siginterrupt(SIGTRAP, 0) == 0);
  show("siginterrupt off");
  trap("other");

  printf("sysv_signal gave %s\n", name(sysv_signal(SIGTRAP, plain)));
  show("sysv_signal");
  calls = 0;
  burn_ms(10);
  raise(SIGTRAP);
  printf("once: %d\n", (int)calls);
  show("after one call");

  printf("sigset gave %s\n", name(sigset(SIGTRAP, other)));
  show("sigset");
  trap("sigset");
  printf("hold gave %s\n", name(sigset(SIGTRAP, SIG_HOLD)));
  calls = 0;
  raise(SIGTRAP);
  burn_ms(15);
  printf("held: %d\n", (int)calls);
  printf("sigset gave %s\n", name(sigset(SIGTRAP, plain)));
  // Only one SIGTRAP can be pending: a sample between hold and raise takes the place of the program's own signal.
  for (int round = 0; round < 20 && calls == 0; ++round) {
    sigset(SIGTRAP, SIG_HOLD);
    raise(SIGTRAP);
    sigset(SIGTRAP, plain);
  }
  printf("let go: %d\n", (int)calls);
  MUST(sigignore(SIGTRAP) == 0);
  show("sigignore");
  calls = 0;
  raise(SIGTRAP);
  burn_ms(15);
  printf("ignored: %d\n", (int)calls);

  printf("signal gave %s\n", name(signal(SIGTRAP, jump)));
  volatile int rounds = 0;
  if (sigsetjmp(out, 1) != 0) ++rounds;
  if (rounds < 5) {
    burn_ms(10);
    if (rounds & 1) raise(SIGTRAP);
    TRAP_INSTRUCTION();
  }
  printf("jumped out %d times\n", rounds);

  errno = 0;
  const int refused = sigaction(4711, NULL, &before);
  printf("wrong signal: %d errno %d\n", refused, errno);
  errno = 0;
  void (*const wrong)(int) = signal(SIGTRAP, SIG_ERR);
  printf("wrong handler: %s errno %d\n", name(wrong), errno);
  printf("other signal: %s\n", name(signal(SIGUSR2, plain)));
  printf("other signal: %s\n", name(signal(SIGUSR2, SIG_DFL)));

  signal(SIGTRAP, plain);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) MUST(pthread_create(&threads[i], NULL, change_often, NULL) == 0);
  burn_ms(30);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);

  signal(SIGTRAP, plain);
  child_dies("asks in a child", ask);
  child_dies("default in a child", raise_default);
  child_dies("ignored in a child", raise_ignored);
  child_dies("trap instruction while ignored in a child", trap_ignored);
  show("at end");
  trap("last");
  return 7;
}
