// Loads two libraries by turns: loads one, calls into it and is called back, unloads it. A library that is loaded twice
// in a row stays. Arguments: library, other library, rounds, milliseconds to sleep in each round.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef unsigned (*CountFunction)(const unsigned char*, unsigned);
typedef unsigned (*VisitFunction)(unsigned, unsigned (*)(unsigned, void*), void*);

static unsigned Visit(unsigned i, void* cookie) {
  unsigned* seed = cookie;
  *seed = *seed * 1103515245u + 12345u;
  return (*seed >> 16) % (i + 1);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const unsigned rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 2;
  const int is_same = strcmp(argv[1], argv[2]) == 0;
  const struct timespec pause = {0, argc > 4 ? atol(argv[4]) * 1000000 : 0};
  unsigned sum = 7;
  for (unsigned round = 0; round < rounds; ++round) {
    void* library = dlopen(argv[1 + round % 2], RTLD_NOW);
    if (library == NULL) return 1;
    if (pause.tv_nsec != 0) nanosleep(&pause, NULL);
    CountFunction count = (CountFunction)dlsym(library, "CountBits");
    VisitFunction for_each = (VisitFunction)dlsym(library, "ForEach");
    if (count == NULL || for_each == NULL) return 1;
    for (unsigned i = 0; i < 50; ++i) {
      unsigned char bytes[64];
      for (unsigned k = 0; k < sizeof bytes; ++k) bytes[k] = (unsigned char)(sum = sum * 69069 + 1 + k);
      sum += count(bytes, 20 + i % 44);
      sum ^= for_each(100, Visit, &sum);
    }
    if (!is_same) dlclose(library);
  }
  printf("%u\n", sum);
  return 0;
}
