/* Shared by the programs of this folder: work that can be sampled. */
#ifndef SOFTLBR_TESTS_HAZARDS_PROGRAMS_HAZARD_PROGRAM_H_
#define SOFTLBR_TESTS_HAZARDS_PROGRAMS_HAZARD_PROGRAM_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline, unused)) static uint64_t turn(uint64_t rounds) {
  uint64_t state = 88172645463325252ull, odd = 0;
  for (uint64_t i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state & 3) odd += state % 7;
  }
  __asm__ volatile("" ::"r"(odd) : "memory");
  return odd;
}

__attribute__((unused)) static uint64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Uses this much CPU time of the calling thread. */
__attribute__((unused)) static void burn_ms(unsigned ms) {
  const uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000ull;
  while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) turn(1000);
}

/* Ends the program with 99 if `condition` is false. */
#define MUST(condition)                                               \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(99);                                                       \
    }                                                                 \
  } while (0)

#endif
