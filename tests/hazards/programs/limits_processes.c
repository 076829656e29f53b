/* limits_processes HOW: as a user of its own whose limit of processes (RLIMIT_NPROC) has room for itself and one more,
 * starts that one again and again, and prints what came of it. Needs root. HOW: fork, vfork, clone, spawn, system,
 * popen, thread. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

enum { kUsers = 54321, kRounds = 3 };

static int child(void* unused) {
  (void)unused;
  return 7;
}

static void* work(void* unused) { return unused; }

/* The status of a child that ended, or the error for which there is none. */
static int ended(pid_t pid) {
  int status = 0;
  if (pid < 0) return errno;
  MUST(waitpid(pid, &status, 0) == pid);
  return status;
}

static int start(const char* how) {
  static char stack[65536];
  char* arguments[] = {(char*)"true", NULL};
  pid_t pid = -1;
  if (strcmp(how, "fork") == 0) {
    pid = fork();
    if (pid == 0) _exit(7);
    return ended(pid);
  }
  if (strcmp(how, "vfork") == 0) {
    pid = vfork();
    if (pid == 0) _exit(7);
    return ended(pid);
  }
  if (strcmp(how, "clone") == 0) return ended(clone(child, stack + sizeof stack, SIGCHLD, NULL));
  if (strcmp(how, "spawn") == 0) {
    const int error = posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ);
    return error != 0 ? error : ended(pid);
  }
  if (strcmp(how, "system") == 0) return system("exit 7");
  if (strcmp(how, "popen") == 0) {
    FILE* file = popen("exit 7", "r");
    return file == NULL ? errno : pclose(file);
  }
  MUST(strcmp(how, "thread") == 0);
  pthread_t thread;
  const int error = pthread_create(&thread, NULL, work, NULL);
  return error != 0 ? error : pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  MUST(argc == 2);
  if (geteuid() == 0) {
    const unsigned user = kUsers + 256u * (unsigned char)argv[1][0] + (unsigned char)argv[1][1]; /* one for each way */
    MUST(setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0);
    execv(argv[0], argv);
    return 98;
  }
  const struct rlimit two = {2, 2};
  MUST(setrlimit(RLIMIT_NPROC, &two) == 0);
  burn_ms(30);
  for (int i = 0; i < kRounds; ++i) {
    printf("%s: %d\n", argv[1], start(argv[1]));
    fflush(stdout);
    burn_ms(5);
  }
  return 0;
}
