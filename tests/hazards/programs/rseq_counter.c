/* A hot loop around an rseq critical section, with as much work before it as after it.
 *
 * Arguments: CPU milliseconds to run; "self": registers its own area by system call, "libc": uses the libc's;
 * optionally a library that has the section. Output: rounds, restarts, whether the counters are right, CPU ns per
 * thousand rounds. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"
#include "rseq_critical_section.h"

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static __thread struct rseq own_area __attribute__((aligned(32), tls_model("initial-exec")));
static uint64_t counters[1024 * 8];

__attribute__((noinline)) static uint64_t work_before(uint64_t state) {
  for (int i = 0; i < 40; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    if (state & 1) state += 3;
  }
  return state;
}
__attribute__((noinline)) static uint64_t work_behind(uint64_t state) {
  for (int i = 0; i < 40; ++i) {
    state ^= state << 11;
    state ^= state >> 5;
    if (state & 1) state += 5;
  }
  return state;
}

/* An even number that look-ahead cannot know: from the clock. */
static inline uint64_t even_number(void) {
#if defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#else
  uint64_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  const uint64_t ticks = high << 32 | low;
#endif
  return ticks >> 63;
}

static struct rseq* area_of(int is_own) {
  if (!is_own) {
    if (&__rseq_offset == NULL || &__rseq_size == NULL || __rseq_size == 0) exit(77);
    return (struct rseq*)((char*)__builtin_thread_pointer() + __rseq_offset);
  }
  own_area.cpu_id = (uint32_t)RSEQ_CPU_ID_UNINITIALIZED;
  if (syscall(SYS_rseq, &own_area, sizeof own_area, 0, RSEQ_SIGNATURE) != 0) exit(77);
  return &own_area;
}

int main(int argc, char** argv) {
  MUST(argc >= 3);
  const uint64_t run_ns = strtoull(argv[1], NULL, 10) * 1000000u;
  struct rseq* area = area_of(strcmp(argv[2], "self") == 0);
  int (*add)(struct rseq*, uint64_t*, uint64_t, uint64_t) = rseq_add;
  if (argc > 3) {
    burn_ms(50); /* so that the runtime reads the modules before the library is loaded */
    void* library = dlopen(argv[3], RTLD_NOW);
    MUST(library != NULL);
    *(void**)&add = dlsym(library, "library_rseq_add");
    MUST(add != NULL);
  }
  uint64_t rounds = 0, restarts = 0, odd = 0, state = 88172645463325252ull;
  const uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  uint64_t now = begin;
  while (now < begin + run_ns) {
    for (int i = 0; i < 500; ++i) {
      state = work_before(state);
      const uint64_t parity = even_number();
      int result;
      while ((result = add(area, counters, 1, parity)) == kRseqRestart) ++restarts;
      odd += result == kRseqOdd;
      state = work_behind(state);
      ++rounds;
    }
    now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  }
  uint64_t sum = odd;
  for (unsigned i = 0; i < sizeof counters / sizeof counters[0]; ++i) sum += counters[i];
  printf("%llu %llu %s %llu\n", (unsigned long long)rounds, (unsigned long long)restarts,
         sum == rounds ? "right" : "WRONG", (unsigned long long)((now - begin) * 1000 / rounds));
  return state == 0;
}
