/* The workload of tests/toolchain, repeated so that it is long enough to be sampled. */
#include <stdio.h>
#include <stdlib.h>

#include "../toolchain/programs/workload.h"

int main(int count, char** arguments) {
  const int times = count > 1 ? atoi(arguments[1]) : 1000;
  unsigned long sum = 0;
  for (int i = 0; i < times; ++i) sum += (unsigned long)workload(i);
  printf("%lu\n", sum);
  return 0;
}
