/* limited_children WAY: forks a child that works, and prints how it ends.
 *
 *   files   the child may not write files of more than a byte
 *   pids    the child asks for a new namespace of process ids, works, and forks twice. "refused": the machine allows
 *           none */
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

static int end_of(pid_t child) {
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void fork_in_new_namespace(void) {
  if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    puts("refused");
    return;
  }
  burn_ms(30);
  const pid_t first = fork();
  MUST(first >= 0);
  if (first == 0) {
    printf("first: %d\n", (int)getpid());
    fflush(stdout);
    const pid_t second = fork();
    MUST(second >= 0);
    if (second == 0) {
      printf("second: %d\n", (int)getpid());
      fflush(stdout);
      _exit(0);
    }
    _exit(end_of(second));
  }
  printf("ended: %d\n", end_of(first));
}

int main(int argc, char** argv) {
  MUST(argc == 2);
  burn_ms(50);
  fflush(stdout);
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) {
    if (strcmp(argv[1], "pids") == 0) {
      fork_in_new_namespace();
    } else {
      const struct rlimit one = {1, 1};
      MUST(setrlimit(RLIMIT_FSIZE, &one) == 0);
      burn_ms(60);
    }
    fflush(stdout);
    _exit(6);
  }
  printf("child: %d\n", end_of(child));
  return 3;
}
