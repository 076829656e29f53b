/* Sets an alternate signal stack, unmaps its memory and goes on: harmless as long as no handler uses the stack. */
#include <signal.h>
#include <sys/mman.h>

#include "hazard_program.h"

enum { kBytes = 65536 };

int main(void) {
  for (int round = 0; round < 3; ++round) {
    const stack_t stack = {.ss_sp = mmap(NULL, 3 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                           .ss_size = kBytes};
    MUST(stack.ss_sp != MAP_FAILED);
    MUST(sigaltstack(&stack, NULL) == 0);
    burn_ms(50);
    MUST(munmap((char*)stack.ss_sp + 2 * kBytes, kBytes) == 0); /* other memory, which the stack survives */
    stack_t present;
    MUST(sigaltstack(NULL, &present) == 0 && present.ss_sp == stack.ss_sp);
    MUST(munmap(stack.ss_sp, 2 * kBytes) == 0);
    burn_ms(100);
  }
  printf("done\n");
  return 0;
}
