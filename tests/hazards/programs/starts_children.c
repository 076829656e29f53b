/* Starts children in the way that its first argument names; the second is the program "burns", the third more of the way. Prints what
   the children print, and their exit codes. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
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
  } else if (strcmp(how, "killed") == 0) {
    const pid_t children[] = {vforked(program, "60000", "0", NULL, environ), vforked(program, "60000", "0", NULL, environ)};
    (void)spawned(program, "100", "0", environ);
    for (int i = 0; i < 2; ++i) {
      MUST(kill(children[i], SIGKILL) == 0);
      printf("%d\n", code_of(children[i]));
    }
  } else if (strcmp(how, "lives_on") == 0) {
    const int null = open("/dev/null", O_RDWR);
    fflush(stdout);
    dup2(null, 1);
    dup2(null, 2);
    (void)vforked(program, "1500", "0", NULL, environ);
    burn_ms(60);
  } else if (strcmp(how, "preforks") == 0) {
    pid_t children[3];
    for (int i = 0; i < 3; ++i) {
      children[i] = fork();
      if (children[i] == 0) {
        burn_ms(100);
        _exit(10 + i);
      }
    }
    for (int i = 0; i < 3; ++i) printf("%d\n", code_of(children[i]));
  } else {
    return 99;
  }
  return 8;
}
