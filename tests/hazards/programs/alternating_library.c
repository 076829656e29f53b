/* Built twice, as two libraries with the same code at the same addresses and different build ids. */
#include <stdint.h>

__attribute__((used)) static const char name[] = SOFTLBR_LIBRARY_NAME;

uint64_t mix(uint64_t state, uint64_t rounds);
uint64_t mix(uint64_t state, uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state & 3) state += i % 7;
  }
  return state;
}
