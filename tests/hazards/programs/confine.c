/* Runs a program with restrictions: hazard_confine RULE... -- PROGRAM ARGUMENTS...
 *
 *   perf_event_open=EPERM|EACCES|ENOSYS|kill   what a sandbox does to the call (likewise timer_create,
 *                                              process_vm_readv, pidfd_getfd; prctl, as the last rule)
 *   perf_ioctl=EPERM|...|kill                  ioctls of perf events only
 *   nofile=N                                   descriptors
 *   slots=K                                    K breakpoints of another tool, in the program and its children
 *   slots=all                                  as many as the CPU has for code
 *   user=ID                                    another user, without capabilities
 *   traced                                     a debugger that passes everything on
 * Exit 77: a rule cannot be set up here; standard error says which. */
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void cannot(const char* rule) {
  fprintf(stderr, "missing: %s (%s)\n", rule, strerror(errno));
  exit(77);
}

static unsigned answer_of(const char* text) {
  if (strcmp(text, "kill") == 0) return SECCOMP_RET_KILL_PROCESS;
  const struct {
    const char* name;
    unsigned value;
  } errors[] = {{"EPERM", EPERM}, {"EACCES", EACCES}, {"ENOSYS", ENOSYS}, {"EMFILE", EMFILE}, {"ENOSPC", ENOSPC}};
  for (unsigned i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
    if (strcmp(text, errors[i].name) == 0) return SECCOMP_RET_ERRNO | errors[i].value;
  }
  fprintf(stderr, "no answer %s\n", text);
  exit(2);
}

static void refuse(unsigned number, int only_perf, const char* text) {
  const unsigned perf_type = 0x2400; /* '$' in the type field of an ioctl request */
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, only_perf ? 0xff00u : 0u),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, only_perf ? perf_type : 0u, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer_of(text)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof code / sizeof code[0], code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    cannot("seccomp filters");
  }
}

/* On x86-64, code and data breakpoints share slots; on AArch64 each kind has its own. */
static void take_slots(const char* text) {
  const int is_all = strcmp(text, "all") == 0;
  const int count = is_all ? 64 : atoi(text);
  for (int i = 0; i < count; ++i) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_BREAKPOINT;
    attributes.bp_type = HW_BREAKPOINT_X;
    attributes.bp_addr = 4096;
#if defined(__x86_64__)
    attributes.bp_len = sizeof(long);
#else
    attributes.bp_len = HW_BREAKPOINT_LEN_4;
#endif
    attributes.exclude_kernel = 1;
    attributes.inherit = 1;
    if (syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0) < 0) {
      if (is_all && i != 0 && errno == ENOSPC) return;
      cannot("breakpoints");
    }
  }
}

/* The parent becomes the tracer; the child continues. */
static void be_traced(void) {
  const pid_t child = fork();
  if (child < 0) cannot("fork");
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) cannot("ptrace");
    raise(SIGSTOP);
    return;
  }
  int status = 0;
  int is_told_apart = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    int number = WSTOPSIG(status);
    if (!is_told_apart) {
      ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACEEXEC);
      is_told_apart = 1;
      number = 0;
    } else if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_EXEC << 8))) {
      number = 0;
    }
    ptrace(PTRACE_CONT, child, NULL, (void*)(long)number);
  }
  exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int main(int argc, char** argv) {
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--") != 0; ++at) {
    char* rule = argv[at];
    char* value = strchr(rule, '=');
    if (value != NULL) *value++ = '\0';
    if (strcmp(rule, "perf_event_open") == 0) {
      refuse(SYS_perf_event_open, 0, value);
    } else if (strcmp(rule, "timer_create") == 0) {
      refuse(SYS_timer_create, 0, value);
    } else if (strcmp(rule, "pidfd_getfd") == 0) {
      refuse(SYS_pidfd_getfd, 0, value);
    } else if (strcmp(rule, "process_vm_readv") == 0) {
      refuse(SYS_process_vm_readv, 0, value);
    } else if (strcmp(rule, "prctl") == 0) {
      refuse(SYS_prctl, 0, value);
    } else if (strcmp(rule, "perf_ioctl") == 0) {
      refuse(SYS_ioctl, 1, value);
    } else if (strcmp(rule, "nofile") == 0) {
      const struct rlimit limit = {strtoul(value, NULL, 10), strtoul(value, NULL, 10)};
      if (setrlimit(RLIMIT_NOFILE, &limit) != 0) cannot("RLIMIT_NOFILE");
    } else if (strcmp(rule, "slots") == 0) {
      take_slots(value);
    } else if (strcmp(rule, "user") == 0) {
      const unsigned id = (unsigned)atoi(value);
      if (setgroups(0, NULL) != 0 || setgid(id) != 0 || setuid(id) != 0) cannot("the right to become another user");
    } else if (strcmp(rule, "traced") == 0) {
      be_traced();
    } else {
      fprintf(stderr, "no rule %s\n", rule);
      return 2;
    }
  }
  if (at + 1 >= argc) return 2;
  execv(argv[at + 1], argv + at + 1);
  cannot(argv[at + 1]);
  return 77;
}
