/* Starts children in the way that its first argument names; the second is the program "burns", the third more of the
 * way. Prints what
   the children print, and their exit codes. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hazard_program.h"

extern char** environ;

static int code_of(pid_t child) {
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int spawned(const char* program, char* ms, char* code, char* const* environment) {
  char* arguments[] = {(char*)program, ms, code, NULL};
  pid_t child = 0;
  MUST(posix_spawn(&child, program, NULL, NULL, arguments, environment) == 0);
  return code_of(child);
}

static pid_t vforked(const char* program, char* ms, char* code, char* what, char* const* environment) {
  char* arguments[] = {(char*)program, ms, code, what, NULL};
  const pid_t child = vfork();
  if (child == 0) {
    execve(program, arguments, environment);
    _exit(120);
  }
  return child;
}

static pid_t forked(int (*work)(void)) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  return child;
}

/* Waits until the child has used this much CPU time: on a busy machine a recording of it begins late. */
static void wait_until_used_ms(pid_t child, long ms) {
  const struct timespec pause = {0, 1000000};
  clockid_t its_time;
  struct timespec used = {0, 0};
  MUST(clock_getcpuclockid(child, &its_time) == 0);
  while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < ms) {
    nanosleep(&pause, NULL);
    MUST(clock_gettime(its_time, &used) == 0);
  }
}

/* Works until a timer of 10 ms of the calling thread's CPU time has expired. The kernel looks at such timers at
 * scheduler ticks only; on
   a busy machine more than 100 ms of a thread's CPU time may pass before one falls into it. The alarm by which a forked
   child is recorded, of the same clock, earlier and shorter, has then expired, too. */
static void burn_until_timer(void) {
  const struct itimerspec once = {.it_value = {0, 10000000}};
  sigset_t alarm, pending;
  timer_t timer;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  MUST(sigprocmask(SIG_BLOCK, &alarm, NULL) == 0);
  MUST(timer_create(CLOCK_THREAD_CPUTIME_ID, NULL, &timer) == 0);
  MUST(timer_settime(timer, 0, &once, NULL) == 0);
  do {
    turn(1000);
    MUST(sigpending(&pending) == 0);
  } while (!sigismember(&pending, SIGALRM));
}

static atomic_int is_over;

static void* allocates(void* unused) {
  while (!is_over) free(malloc(4096));
  return unused;
}

static void* burns_60_ms(void* unused) {
  burn_ms(60);
  return unused;
}

static int burns_in_thread(void) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, burns_60_ms, NULL) == 0);
  MUST(pthread_join(thread, NULL) == 0);
  return 21;
}

static int burns_here(void) {
  burn_ms(60);
  return 22;
}

static int forks_again(void) { return code_of(forked(burns_here)) + 1; }

static int resets_traps(void) {
  MUST(signal(SIGTRAP, SIG_DFL) == SIG_DFL);
  burn_ms(40);
  MUST(signal(SIGTRAP, SIG_DFL) == SIG_DFL);
  return 24;
}

static int ignores_traps(void) {
  MUST(signal(SIGTRAP, SIG_IGN) == SIG_DFL);
  burn_ms(40);
  MUST(raise(SIGTRAP) == 0);
  return 25;
}

static int has_small_stack(void) {
  static char stack[8192];
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  MUST(sigaltstack(&alternate, NULL) == 0);
  burn_ms(40);
  return 26;
}

/* Looks again and again which descriptors it has, as programs do that close or check all. 0: none that it has seen is
 * gone. */
static int lists_descriptors(void) {
  static char was_there[4096];
  const uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 50 * 1000000ull;
  while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end) {
    DIR* list = opendir("/proc/self/fd");
    MUST(list != NULL);
    const struct dirent* entry;
    while ((entry = readdir(list)) != NULL) {
      const int fd = atoi(entry->d_name);
      if (entry->d_name[0] != '.' && fd != dirfd(list) && fd < (int)sizeof was_there) was_there[fd] = 1;
    }
    closedir(list);
    for (int fd = 0; fd < (int)sizeof was_there; ++fd) {
      if (was_there[fd] && fcntl(fd, F_GETFD) < 0) return 1;
    }
  }
  return 0;
}

static int closes_all(void) {
  for (int fd = 3; fd < 2000; ++fd) close(fd);
  burn_ms(40);
  return 27;
}

/* No wait may end early: the program would see EINTR. */
static int waits_often(void) {
  for (int i = 0; i < 100; ++i) {
    const struct timespec pause = {0, 100000};
    burn_ms(1);
    MUST(nanosleep(&pause, NULL) == 0);
  }
  return 28;
}

static int blocks_signals(void) {
  sigset_t all;
  sigfillset(&all);
  MUST(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
  burn_ms(40);
  MUST(sigprocmask(SIG_UNBLOCK, &all, NULL) == 0);
  burn_ms(20);
  return 29;
}

static int vforks(void) {
  const pid_t child = vfork();
  if (child == 0) {
    burn_ms(20);
    _exit(3);
  }
  burn_ms(40);
  return 30 + code_of(child);
}

/* Strict mode: any system call but read, write, exit and sigreturn kills. */
static int confines_itself(void) {
  MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
  for (volatile unsigned i = 0; i < 60000000; ++i) continue;
  syscall(SYS_exit, 33);
  return 0;
}

static void set_policy(int policy, int priority) {
  const struct sched_param parameters = {.sched_priority = priority};
  if (sched_setscheduler(0, policy, &parameters) != 0) _exit(77);
}

static int stays_real_time(void) {
  set_policy(SCHED_FIFO, 1);
  burn_ms(40);
  return 34;
}

static int was_real_time(void) {
  set_policy(SCHED_RR, 1);
  burn_ms(20);
  set_policy(SCHED_OTHER, 0);
  burn_ms(60);
  return 35;
}

int main(int argc, char** argv) {
  MUST(argc >= 3);
  const char* how = argv[1];
  const char* program = argv[2];
  char* nothing[] = {NULL};
  burn_ms(30);
  if (strcmp(how, "spawn") == 0) {
    printf("%d\n", spawned(program, "60", "3", environ));
  } else if (strcmp(how, "vfork") == 0) {
    printf("%d\n", code_of(vforked(program, "60", "4", NULL, environ)));
  } else if (strcmp(how, "empty") == 0) {
    printf("%d\n", code_of(vforked(program, "60", "5", "env", nothing)));
  } else if (strcmp(how, "closed") == 0) { /* as programs do that close what they do not know */
    const pid_t child = fork();
    if (child == 0) {
      for (int fd = 3; fd < 2000; ++fd) close(fd);
      execl(program, program, "60", "6", (char*)NULL);
      _exit(120);
    }
    printf("%d\n", code_of(child));
  } else if (strcmp(how, "system") == 0) {
    char command[600];
    snprintf(command, sizeof command, "'%s' 60; '%s' 50 7", program, program);
    printf("%d\n", WEXITSTATUS(system(command)));
  } else if (strcmp(how, "many") == 0) {
    int sum = 0;
    for (int i = 0; i < 200; ++i) sum += spawned(program, "0", "1", environ);
    printf("%d\n", sum);
  } else if (strcmp(how, "costs") == 0) { /* prints the CPU time of each of 500, in us */
    for (int i = 0; i < 500; ++i) {
      char* arguments[] = {(char*)program, "0", NULL};
      pid_t child = 0;
      int status = 0;
      struct rusage usage;
      MUST(posix_spawn(&child, program, NULL, NULL, arguments, environ) == 0);
      MUST(wait4(child, &status, 0, &usage) == child && status == 0);
      printf("%ld\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec +
                          usage.ru_stime.tv_usec);
    }
  } else if (strcmp(how, "killed") == 0) {
    const pid_t children[] = {vforked(program, "60000", "0", NULL, environ),
                              vforked(program, "60000", "0", NULL, environ)};
    (void)spawned(program, "100", "0", environ);
    for (int i = 0; i < 2; ++i) wait_until_used_ms(children[i], 100);
    for (int i = 0; i < 2; ++i) {
      MUST(kill(children[i], SIGKILL) == 0);
      printf("%d\n", code_of(children[i]));
    }
  } else if (strcmp(how, "lives_on") == 0) {
    const int null = open("/dev/null", O_RDWR);
    fflush(stdout);
    dup2(null, 1);
    dup2(null, 2);
    wait_until_used_ms(vforked(program, "1500", "0", NULL, environ), 100);
    burn_ms(60);
  } else if (strcmp(how, "preforks") == 0) {
    pid_t children[3];
    for (int i = 0; i < 3; ++i) {
      children[i] = fork();
      if (children[i] == 0) {
        burn_until_timer();
        burn_ms(60);
        _exit(10 + i);
      }
    }
    for (int i = 0; i < 3; ++i) printf("%d\n", code_of(children[i]));
  } else if (strcmp(how, "forks_threads") ==
             0) { /* of several threads, which allocate; the child's first thread only waits */
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) MUST(pthread_create(&threads[i], NULL, allocates, NULL) == 0);
    for (int i = 0; i < 5; ++i) printf("%d\n", code_of(forked(burns_in_thread)));
    is_over = 1;
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(how, "forks_twice") == 0) {
    printf("%d\n", code_of(forked(forks_again)));
  } else if (strcmp(how, "forks_execs") == 0) {
    for (int i = 0; i < 20; ++i) {
      const pid_t child = fork();
      if (child == 0) execl(program, program, "2", "6", (char*)NULL);
      printf("%d\n", code_of(child));
    }
  } else if (strcmp(how, "forks_oddly") == 0) {
    int (*const ways[])(void) = {resets_traps, ignores_traps,  has_small_stack, closes_all,
                                 waits_often,  blocks_signals, vforks};
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i) printf("%d\n", code_of(forked(ways[i])));
  } else if (strcmp(how, "forks_confined") == 0) {
    printf("%d\n", code_of(forked(confines_itself)));
  } else if (strcmp(how, "forks_listing") == 0) {
    printf("%d\n", code_of(forked(lists_descriptors)));
  } else if (strcmp(how, "forks_real_time") == 0) {
    printf("%d\n", code_of(forked(stays_real_time)));
    printf("%d\n", code_of(forked(was_real_time)));
  } else {
    return 99;
  }
  return 8;
}
