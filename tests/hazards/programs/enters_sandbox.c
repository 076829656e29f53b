/* enters_sandbox WAY...: works, enters a sandbox by each WAY in turn, and works on in it. Ends by the bare system call,
 * with 7.
 *
 *   strict          strict mode by prctl; strict_seccomp: by seccomp()
 *   prctl           by prctl, a filter that kills the process for every call but the few that this program makes
 *   seccomp         the same by seccomp()
 *   tsync           the same for all threads, of which there are five by then
 *   thread          the same for one thread of two, which works and ends in it
 *   eperm           a filter that answers EPERM instead
 *   log, trap       filters that do so for ioctl
 *   dispatch        has its system calls reported to itself; any from here on ends it
 *   harmless        a filter that kills for calls that no recording makes
 *   harmless_tsync  the same for all threads
 *   no_readv        a filter that refuses process_vm_readv
 *   ours            a filter that kills for all calls but the program's and those of runtime/interpose/our_calls.def;
 *                   the program then uses SIGTRAP, starts a thread, unmaps memory, and ends by exit()
 *   odd             filters that the kernel refuses
 *   unprivileged    a filter that the kernel refuses a program without privileges
 *   child           in a forked child, as prctl; child_strict: as strict */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

enum { kRounds = 20000000, kThreads = 4 };

static void say(const char* text) { MUST(write(1, text, strlen(text)) == (ssize_t)strlen(text)); }

static void install(int is_seccomp, unsigned flags, const struct sock_fprog* program) {
  MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  if (is_seccomp) {
    MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program) == 0);
  } else {
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program) == 0);
  }
}

/* Allows the calls that this program makes, and with is_ours those of the preload library. */
static void enter_with(int is_ours, int is_seccomp, unsigned flags, unsigned otherwise) {
  static const int ours[] = {
#define SOFTLBR_OUR_CALL(name, ...) SYS_##name,
#include "runtime/interpose/our_calls.def"
#undef SOFTLBR_OUR_CALL
      SYS_mmap, SYS_clone, SYS_getrandom, SYS_clone3, SYS_rseq, SYS_set_robust_list, SYS_brk, SYS_newfstatat};
  static const int allowed[] = {SYS_read,   SYS_write,   SYS_exit,           SYS_exit_group, SYS_futex,
                                SYS_munmap, SYS_madvise, SYS_rt_sigprocmask, SYS_mprotect,   SYS_clock_gettime};
  enum { kAllowed = sizeof allowed / sizeof allowed[0], kOurs = sizeof ours / sizeof ours[0] };
  struct sock_filter code[2 * (kAllowed + kOurs) + 2];
  unsigned at = 0;
  code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < (is_ours ? kAllowed + kOurs : kAllowed); ++i) {
    const int number = i < kAllowed ? allowed[i] : ours[i - kAllowed];
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
  const struct sock_fprog program = {(unsigned short)at, code};
  install(is_seccomp, flags, &program);
}

static void enter(int is_seccomp, unsigned flags, unsigned otherwise) { enter_with(0, is_seccomp, flags, otherwise); }

/* Answers only these calls otherwise. */
static void enter_for(int number, int other_number, unsigned flags, unsigned answer) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)other_number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  install(1, flags, &program);
}

static void try_odd_filters(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const struct sock_fprog none = {0, code};
  const struct sock_fprog nowhere = {1, NULL};
  MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, NULL) == -1 && errno == EFAULT);
  MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) == -1 && errno == EINVAL);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &none) == -1 && errno == EINVAL);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &nowhere) == -1);
  MUST(prctl(PR_SET_SECCOMP, 77, NULL) == -1 && errno == EINVAL);
}

static void try_without_privileges(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const struct sock_fprog program = {1, code};
  enum { kOtherUser = 65534 };
  if (geteuid() == 0) MUST(setresuid(kOtherUser, kOtherUser, kOtherUser) == 0);
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1 && errno == EACCES);
}

static volatile char g_selector = 1; /* report */
static void on_system_call(int unused) {
  (void)unused;
  g_selector = 0; /* allow */
  say("a system call\n");
  _exit(50);
}

static void work_without_system_calls(void) {
  enum { kSetSyscallUserDispatch = 59, kDispatchOff = 0, kDispatchOn = 1 };
  MUST(signal(SIGSYS, on_system_call) != SIG_ERR);
  if (prctl(kSetSyscallUserDispatch, kDispatchOn, 0, 0, &g_selector) != 0) {
    say("missing: system call dispatch\n");
    _exit(99);
  }
  turn(kRounds);
  g_selector = 0;
  MUST(prctl(kSetSyscallUserDispatch, kDispatchOff, 0, 0, 0) == 0);
}

static volatile int g_is_over;
static void* work(void* unused) {
  (void)unused;
  while (!g_is_over) turn(1000);
  return NULL;
}

static volatile sig_atomic_t g_traps;
static void on_trap(int unused) {
  (void)unused;
  ++g_traps;
}

static void use_signals_and_memory(void) {
  sigset_t trap, pending;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  MUST(signal(SIGTRAP, on_trap) != SIG_ERR && raise(SIGTRAP) == 0 && g_traps == 1);
  MUST(sigprocmask(SIG_BLOCK, &trap, NULL) == 0);
  turn(kRounds / 4);
  MUST(sigpending(&pending) == 0 && !sigismember(&pending, SIGTRAP));
  const struct timespec no_time = {0, 0};
  MUST(sigtimedwait(&trap, NULL, &no_time) == -1 && errno == EAGAIN);
  MUST(sigprocmask(SIG_UNBLOCK, &trap, NULL) == 0);
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, work, NULL) == 0);
  for (int i = 0; i < 400; ++i) {
    enum { kBytes = 1 << 20 };
    volatile char* memory = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(memory != MAP_FAILED);
    for (int round = 0; round < 20; ++round) {
      for (int at = 0; at < kBytes; at += 4096) memory[at] = (char)(memory[at] + 1);
    }
    munmap((void*)memory, kBytes);
  }
  g_is_over = 1;
  MUST(pthread_join(thread, NULL) == 0);
}

static void* work_confined(void* unused) {
  (void)unused;
  enter(0, 0, SECCOMP_RET_KILL_PROCESS);
  turn(kRounds);
  return NULL;
}

static void be_child(int is_strict) {
  const pid_t child = fork();
  if (child == 0) {
    if (is_strict) {
      MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    } else {
      enter(0, 0, SECCOMP_RET_KILL_PROCESS);
    }
    turn(1000);
    say("child\n");
    if (is_strict) syscall(SYS_exit, 5);
    _exit(5);
  }
  int status = 0;
  MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  int thread_count = 0;
  turn(kRounds);
  for (int i = 1; i < argc; ++i) {
    const char* way = argv[i];
    if (strcmp(way, "strict") == 0) {
      MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    } else if (strcmp(way, "strict_seccomp") == 0) {
      MUST(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL) == 0);
    } else if (strcmp(way, "prctl") == 0) {
      enter(0, 0, SECCOMP_RET_KILL_PROCESS);
    } else if (strcmp(way, "seccomp") == 0) {
      enter(1, 0, SECCOMP_RET_KILL_PROCESS);
    } else if (strcmp(way, "tsync") == 0) {
      for (; thread_count < kThreads; ++thread_count)
        MUST(pthread_create(&threads[thread_count], NULL, work, NULL) == 0);
      turn(kRounds);
      enter(1, SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_RET_KILL_PROCESS);
    } else if (strcmp(way, "thread") == 0) {
      MUST(pthread_create(&threads[thread_count++], NULL, work_confined, NULL) == 0);
    } else if (strcmp(way, "eperm") == 0) {
      enter(0, 0, SECCOMP_RET_ERRNO | EPERM);
    } else if (strcmp(way, "log") == 0) {
      enter_for(SYS_ioctl, SYS_ioctl, 0, SECCOMP_RET_LOG);
    } else if (strcmp(way, "trap") == 0) {
      enter_for(SYS_ioctl, SYS_ioctl, 0, SECCOMP_RET_TRAP);
    } else if (strcmp(way, "dispatch") == 0) {
      work_without_system_calls();
    } else if (strcmp(way, "harmless") == 0) {
      enter_for(SYS_socket, SYS_execve, 0, SECCOMP_RET_KILL_PROCESS);
    } else if (strcmp(way, "harmless_tsync") == 0) {
      for (; thread_count < kThreads; ++thread_count)
        MUST(pthread_create(&threads[thread_count], NULL, work, NULL) == 0);
      enter_for(SYS_perf_event_open, SYS_mount, SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_RET_KILL_PROCESS);
    } else if (strcmp(way, "no_readv") == 0) {
      enter_for(SYS_process_vm_readv, SYS_process_vm_writev, 0, SECCOMP_RET_ERRNO | EPERM);
    } else if (strcmp(way, "ours") == 0) {
      static char memory[65536]; /* of an alternate stack, after which munmap is looked at more closely */
      const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
      MUST(sigaltstack(&stack, NULL) == 0);
      enter_with(1, 0, 0, SECCOMP_RET_KILL_PROCESS);
      use_signals_and_memory();
      turn(kRounds);
      say("ours\n");
      exit(7);
    } else if (strcmp(way, "odd") == 0) {
      try_odd_filters();
    } else if (strcmp(way, "unprivileged") == 0) {
      try_without_privileges();
    } else if (strcmp(way, "child") == 0 || strcmp(way, "child_strict") == 0) {
      be_child(strcmp(way, "child_strict") == 0);
    } else {
      say("no such way\n");
      return 2;
    }
    turn(kRounds);
    say(way);
    say("\n");
  }
  g_is_over = 1;
  for (int i = 0; i < thread_count; ++i) pthread_join(threads[i], NULL);
  syscall(thread_count == 0 ? SYS_exit : SYS_exit_group, 7);
  return 98;
}
