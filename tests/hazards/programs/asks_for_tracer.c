/* Makes its parent its tracer, as programs do that want to find out whether a debugger is attached, and sends itself
 * signals. With an argument, executes itself afterwards. */
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

static volatile sig_atomic_t got;
static void count(int number) {
  (void)number;
  ++got;
}

/* The part that is recorded. Its parent resumes it wherever it stops, as a shell would not. */
static int traced(const char* self, int executes) {
  signal(SIGUSR1, count);
  burn_ms(50);
  printf("traced: %ld\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
  printf("again: %ld\n", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
  for (int i = 0; i < 5; ++i) {
    raise(SIGUSR1);
    burn_ms(50);
  }
  printf("signals: %d\n", (int)got);
  fflush(stdout);
  if (executes) {
    execl(self, self, "executed", NULL);
    MUST(0);
  }
  return 4;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "executed") == 0) {
    puts("executed");
    return 6;
  }
  return traced(argv[0], argc == 2);
}
