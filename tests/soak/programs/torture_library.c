/* Built twice, into two libraries of the same functions and size that compute different values. */
#include <stdint.h>

#ifndef TORTURE_FACTOR
#error "TORTURE_FACTOR tells the two apart"
#endif

uint64_t torture_library_work(uint64_t seed, uint64_t rounds);

uint64_t torture_library_work(uint64_t seed, uint64_t rounds) {
  uint64_t value = seed;
  for (uint64_t i = 0; i < rounds; ++i) {
    value = value * TORTURE_FACTOR + i;
    if (value & 8) value ^= value >> 11;
    if (value % 5 == 2) value += i;
  }
  return value;
}
