/* A program that does everything that may disturb a profiler, and whose output does not depend on timing. */
#ifndef SOFTLBR_TESTS_SOAK_PROGRAMS_TORTURE_H_
#define SOFTLBR_TESTS_SOAK_PROGRAMS_TORTURE_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A part of a round. Returns a checksum that depends on the seed only. The parts of a round run at once, each in its
 * own thread. */
typedef uint64_t (*torture_part)(uint64_t seed);

uint64_t torture_threads(uint64_t seed);   /* threads that come and go; locks and condition variables */
uint64_t torture_timers(uint64_t seed);    /* handlers that run long, under a timer of the thread */
uint64_t torture_jumps(uint64_t seed);     /* siglongjmp out of handlers, longjmp out of depth, on alternate stacks */
uint64_t torture_blocked(uint64_t seed);   /* hot loops with every signal blocked; checks that errno is kept */
uint64_t torture_children(uint64_t seed);  /* fork, vfork, posix_spawn; children that are killed */
uint64_t torture_libraries(uint64_t seed); /* dlopen and dlclose of libraries that replace each other */
uint64_t torture_generated_code(uint64_t seed); /* code written, run, patched in place and unmapped */
uint64_t torture_memory(uint64_t seed);         /* mmap, mprotect, mremap, munmap; the heap */
uint64_t torture_sockets(uint64_t seed);        /* blocking calls between two threads */

/* Called before the first round. */
void torture_install_handlers(void);
extern const char *torture_folder; /* of this program and its libraries */
extern const char *torture_self;

/* Branches that depend on data. Never inlined: all callers run the same code. */
uint64_t torture_mix(uint64_t seed, uint64_t rounds);

/* Checks what must never fail; otherwise it says where, and ends the program. */
#define MUST(condition)                                                   \
  do {                                                                    \
    if (!(condition)) {                                                   \
      fprintf(stderr, "%s:%d: %s: %m\n", __FILE__, __LINE__, #condition); \
      _exit(99);                                                          \
    }                                                                     \
  } while (0)

#endif
