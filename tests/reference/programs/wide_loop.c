/* A loop of three additions of 512 bits and one `dec`, executed argv[1] times. The CPU must have AVX-512. */
#include <stdlib.h>

int main(int argc, char** argv) {
  unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
  __asm__ volatile(
      "1: vaddpd %%zmm1, %%zmm0, %%zmm0\n vaddpd %%zmm1, %%zmm2, %%zmm2\n vaddpd %%zmm1, %%zmm3, %%zmm3\n dec %0\n jnz "
      "1b"
      : "+r"(rounds)
      :
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3");
  return 0;
}
