/* reaps HOW: starts a program that works for a while, waits until it has no child left, and prints how many it has
 * waited for and what they were. HOW: subreaper: orphans become its children; namespace (as root): it is the first
 * process of a namespace of process ids. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

static int reap(const char* path) {
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) {
    execl(path, path, "works", (char*)NULL);
    _exit(98);
  }
  int reaped = 0, others = 0, status = 0;
  for (pid_t pid; (pid = wait(&status)) > 0; ++reaped) {
    if (pid == child) printf("the child ended with %d\n", status);
    if (pid != child) ++others;
  }
  printf("%d ended, %d of them unknown: %s\n", reaped, others, strerror(errno));
  fflush(stdout);
  return 0;
}

int main(int argc, char** argv) {
  MUST(argc == 2);
  if (strcmp(argv[1], "works") == 0) {
    burn_ms(60);
    return 3;
  }
  burn_ms(30);
  if (strcmp(argv[1], "subreaper") == 0) {
    MUST(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
    return reap(argv[0]);
  }
  MUST(strcmp(argv[1], "namespace") == 0 && unshare(CLONE_NEWPID) == 0);
  const pid_t first = fork();
  MUST(first >= 0);
  if (first == 0) exit(reap(argv[0]));
  int status = 0;
  MUST(waitpid(first, &status, 0) == first);
  return WEXITSTATUS(status);
}
