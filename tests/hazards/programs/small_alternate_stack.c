/* Sets the smallest alternate signal stack that the kernel accepts, and never takes a signal on it. */
#include <signal.h>

#include "hazard_program.h"

int main(void) {
  static char memory[65536];
  stack_t stack = {.ss_sp = memory, .ss_size = 1024};
  while (sigaltstack(&stack, NULL) != 0) {
    stack.ss_size += 1024;
    MUST(stack.ss_size < sizeof memory);
  }
  burn_ms(300);
  for (size_t i = 0; i < sizeof memory; ++i) MUST(memory[i] == 0);
  printf("done on %zu bytes\n", stack.ss_size);
  return 0;
}
