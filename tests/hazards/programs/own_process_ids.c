/* own_process_ids: makes a namespace of process ids, whose first process works for a while and then forks. Prints the
 * ids that it gets.
   "refused": the machine allows no such namespace. */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

static void fork_some(void) {
  for (int i = 0; i < 3; ++i) {
    burn_ms(5);
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) _exit(0);
    MUST(waitpid(child, NULL, 0) == child);
    printf("%d\n", (int)child);
    fflush(stdout);
  }
}

int main(void) {
  if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
    puts("refused");
    return 0;
  }
  const pid_t first = fork();
  MUST(first >= 0);
  if (first == 0) {
    fork_some();
    /* A child that works, too, and has the flag from its parent. */
    const pid_t child = fork();
    MUST(child >= 0);
    if (child == 0) {
      fork_some();
      _exit(0);
    }
    MUST(waitpid(child, NULL, 0) == child);
    _exit(0);
  }
  int status = 0;
  MUST(waitpid(first, &status, 0) == first);
  return status != 0;
}
