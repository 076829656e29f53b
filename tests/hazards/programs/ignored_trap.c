/* Ignores SIGTRAP, and starts programs in every way that the libc offers. Each child prints whether it was born so. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

extern char** environ;
static const char* self;

/* The child is this program, with the argument "child" and a name for the way it was started. */
static char** arguments(const char* way) {
  static char* list[4];
  list[0] = (char*)self;
  list[1] = "child";
  list[2] = (char*)way;
  return list;
}

static void await(pid_t child) {
  int status = 0;
  MUST(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void start_all(void) {
  burn_ms(20);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) execv(self, arguments("fork"));
  await(child);
  child = vfork();
  if (child == 0) execve(self, arguments("vfork"), environ);
  await(child);
  child = fork();
  if (child == 0) syscall(SYS_execve, self, arguments("syscall"), environ);
  await(child);
  child = fork();
  if (child == 0) syscall(SYS_execveat, AT_FDCWD, self, arguments("syscall_execveat"), environ, 0);
  await(child);
  MUST(posix_spawn(&child, self, NULL, NULL, arguments("posix_spawn"), environ) == 0);
  await(child);
  MUST(posix_spawnp(&child, self, NULL, NULL, arguments("posix_spawnp"), environ) == 0);
  await(child);
  char command[4096];
  snprintf(command, sizeof command, "exec %s child system", self);
  MUST(system(command) == 0);
  snprintf(command, sizeof command, "exec %s child popen", self);
  FILE* pipe = popen(command, "r");
  char line[256];
  MUST(pipe != NULL && fgets(line, sizeof line, pipe) != NULL && pclose(pipe) == 0);
  fputs(line, stdout);
  burn_ms(20);
}

int main(int argc, char** argv) {
  self = argv[0];
  if (argc == 3) {
    struct sigaction action;
    MUST(sigaction(SIGTRAP, NULL, &action) == 0);
    printf("%s: %s\n", argv[2],
           action.sa_handler == SIG_IGN   ? "ignored"
           : action.sa_handler == SIG_DFL ? "default"
                                          : "HANDLER");
    return 0;
  }
  puts("by default:");
  start_all();
  signal(SIGTRAP, SIG_IGN);
  puts("ignored:");
  start_all();
  burn_ms(100); /* still sampled */
  signal(SIGTRAP, SIG_DFL);
  puts("by default:");
  start_all();
  signal(SIGTRAP, SIG_IGN);
  puts("at last:");
  fflush(stdout);
  execv(self, arguments("exec"));
  return 1;
}
