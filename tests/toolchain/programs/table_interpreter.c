/* A small interpreter with a jump table: what optimizers of code layout are made for. Argument: millions of steps. */
#include <stdio.h>
#include <stdlib.h>

static unsigned char code[4096];

__attribute__((noinline)) static unsigned long mix(unsigned long value, unsigned long by) {
  return (value ^ by) * 0x9e3779b97f4a7c15ul;
}

__attribute__((noinline)) static unsigned long run(unsigned long steps) {
  unsigned long a = 1, b = 2, c = 3;
  for (unsigned long i = 0, pc = 0; i < steps; ++i) {
    switch (code[pc]) {
      case 0: a += b; break;
      case 1: b ^= a >> 3; break;
      case 2: c += a & b; break;
      case 3: a = a << 1 | c >> 63; break;
      case 4: c = mix(c, a); break;
      case 5: b += c; break;
      case 6: c ^= b << 5; break;
      default: a ^= c;
    }
    pc = (pc + 1) % sizeof code;
  }
  return a + b + c;
}

int main(int argc, char** argv) {
  unsigned seed = 1;
  for (unsigned i = 0; i < sizeof code; ++i) {
    seed = seed * 1103515245 + 12345;
    code[i] = (seed >> 16) & 7;
  }
  printf("%lu\n", run((unsigned long)(argc > 1 ? atol(argv[1]) : 10) * 1000000));
  return 0;
}
