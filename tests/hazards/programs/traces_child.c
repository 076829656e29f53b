/* Forks a child that makes this process its tracer and works, and prints every stop that it sees. */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

int main(void) {
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) {
    MUST(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
    burn_ms(30);
    raise(SIGUSR1);
    burn_ms(30);
    _exit(3);
  }
  for (int status = 0; waitpid(child, &status, 0) == child;) {
    if (!WIFSTOPPED(status)) {
      printf("ended: %d\n", WEXITSTATUS(status));
      return 5;
    }
    printf("stopped: %d\n", WSTOPSIG(status));
    MUST(ptrace(PTRACE_CONT, child, NULL, NULL) == 0); /* without the signal */
  }
  return 6;
}
