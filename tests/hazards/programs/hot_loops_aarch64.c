/* Hot loops in which a misplaced breakpoint would stop the program for good: exclusive pairs of every kind, and loops
 * of one block that end at the breakpoint.
 *
 * Arguments: kind, CPU milliseconds. Output: rounds, stores that failed, whether the sums are right, CPU ns per
 * thousand rounds. The value that a pair loads, and the clock, are UNKNOWN, so each round has a branch that needs a
 * breakpoint. 77: the CPU lacks the instructions. */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/auxv.h>

#include "hazard_program.h"

#define HWCAP_OF_LSE (1u << 8)

static uint64_t words[2] __attribute__((aligned(64)));
static uint64_t failed;
static uint64_t odd;

/* With a branch, not with arithmetic. */
static inline void count_odd(uint64_t value) {
  if (value & 1) {
    __asm__ volatile("");
    ++odd;
  }
}

/* ldxr to stxr without a branch; the branch on the status follows. */
static void word(void) {
  uint64_t value;
  uint32_t status;
  __asm__ volatile("0: ldxr %0, [%3]\n add %0, %0, #1\n stxr %w1, %0, [%3]\n cbz %w1, 1f\n add %2, %2, #1\n b 0b\n1:"
                   : "=&r"(value), "=&r"(status), "+r"(failed)
                   : "r"(words)
                   : "memory");
  count_odd(value);
}

static void pair(void) {
  uint64_t low, high;
  uint32_t status;
  __asm__ volatile(
      "0: ldaxp %0, %1, [%4]\n adds %0, %0, #1\n adc %1, %1, xzr\n stlxp %w2, %0, %1, [%4]\n cbz %w2, 1f\n add %3, %3, "
      "#1\n"
      " b 0b\n1:"
      : "=&r"(low), "=&r"(high), "=&r"(status), "+r"(failed)
      : "r"(words)
      : "memory", "cc");
  count_odd(low);
}

/* A branch on the loaded value between load and store, where a breakpoint would be needed. */
static void branch(void) {
  uint64_t value;
  uint32_t status;
  __asm__ volatile(
      "0: ldaxr %0, [%3]\n tbnz %0, #0, 2f\n add %0, %0, #1\n b 3f\n2: eor %0, %0, #0x100000000\n add %0, %0, #1\n"
      "   eor %0, %0, #0x100000000\n3: stlxr %w1, %0, [%3]\n cbz %w1, 1f\n add %2, %2, #1\n b 0b\n1:"
      : "=&r"(value), "=&r"(status), "+r"(failed)
      : "r"(words)
      : "memory");
  count_odd(value);
}

/* x9 + 1, by a path that depends on it. */
__asm__(
    ".pushsection .text\n.balign 64\n.type hot_helper, %function\nhot_helper:\n"
    "  tbz x9, #1, 1f\n  add x9, x9, #2\n  sub x9, x9, #1\n  ret\n1: add x9, x9, #1\n  ret\n"
    ".size hot_helper, .-hot_helper\n.popsection\n");
extern const char hot_helper[] __attribute__((visibility("hidden")));

/* A call, a branch and a return between load and store. The helper is called outside pairs too. */
static void call(void) {
  uint64_t value;
  uint32_t status;
  __asm__ volatile(
      "0: ldaxr x9, [%3]\n blr %4\n stlxr %w1, x9, [%3]\n cbz %w1, 1f\n add %2, %2, #1\n b 0b\n1: mov %0, x9\n blr %4\n"
      : "=&r"(value), "=&r"(status), "+r"(failed)
      : "r"(words), "r"(hot_helper)
      : "x9", "x30", "memory");
  count_odd(value);
}

/* One block with an unknown branch at its end: the breakpoint must be armed at the thread's pc. The counter's low bits
 * are zero where it counts slowly. */
static void clock_block(void) {
  uint64_t ticks, turns = 0;
  __asm__ volatile(
      "0: add %1, %1, #1\n mrs %0, cntvct_el0\n eor %0, %0, %0, lsr #7\n eor %0, %0, %1\n tst %0, #7\n b.ne 0b"
      : "=&r"(ticks), "+r"(turns)
      :
      : "cc", "memory");
  ++words[0];
  odd += ticks & 8 ? 1 : 0;
}
static void swap_block(void) {
  uint64_t value, status;
  /* The pair is one block, and the branch at its end goes back to the load. */
  __asm__ volatile("0: ldxr %0, [%2]\n add %0, %0, #1\n stxr %w1, %0, [%2]\n cbnz %w1, 0b"
                   : "=&r"(value), "=&r"(status)
                   : "r"(words)
                   : "memory");
}

static void lse(void) {
  uint64_t value = 1;
  __asm__ volatile(".arch_extension lse\n ldaddal %0, %0, [%1]" : "+r"(value) : "r"(words) : "memory");
  count_odd(value);
}
static void lse_pair(void) {
  register uint64_t x0 __asm__("x0");
  register uint64_t x1 __asm__("x1");
  register uint64_t x2 __asm__("x2");
  register uint64_t x3 __asm__("x3");
  do {
    const uint64_t was = ((volatile uint64_t*)words)[0];
    x0 = was, x1 = 0, x2 = was + 1, x3 = 0;
    __asm__ volatile(".arch_extension lse\n caspal x0, x1, x2, x3, [%4]"
                     : "+r"(x0), "+r"(x1)
                     : "r"(x2), "r"(x3), "r"(words)
                     : "memory");
    if (x0 + 1 == x2) break;
    ++failed;
  } while (1);
  count_odd(x0);
}

/* A lock acquired and released by two threads; the waiting one spins on its load-exclusive. */
static uint32_t lock_word __attribute__((aligned(64)));
static void locked(void) {
  uint32_t value, status;
  uint32_t spins = 0;
  for (;;) {
    __asm__ volatile("0: ldaxr %w0, [%2]\n cbnz %w0, 1f\n stxr %w1, %w3, [%2]\n cbnz %w1, 0b\n1: clrex"
                     : "=&r"(value), "=&r"(status)
                     : "r"(&lock_word), "r"(1)
                     : "memory");
    if (value == 0) break;
    if (++spins % 64 == 0) sched_yield();
  }
  ++words[0];
  odd += words[0] & 1;
  __asm__ volatile("stlr wzr, [%0]" ::"r"(&lock_word) : "memory");
}
static volatile uint64_t other_rounds;
static volatile int is_over;
static void* take_turns(void* unused) {
  while (!is_over) {
    locked();
    ++other_rounds;
    if (other_rounds % 32 == 0) sched_yield();
  }
  return unused;
}

int main(int argc, char** argv) {
  MUST(argc == 3);
  static const struct {
    const char* name;
    void (*round)(void);
    uint64_t is_odd_counted;
    unsigned long needs;
  } kinds[] = {{"word", word, 1, 0},
               {"pair", pair, 1, 0},
               {"branch", branch, 1, 0},
               {"call", call, 1, 0},
               {"clock_block", clock_block, 0, 0},
               {"swap_block", swap_block, 0, 0},
               {"lock", locked, 1, 0},
               {"lse", lse, 1, HWCAP_OF_LSE},
               {"lse_pair", lse_pair, 1, HWCAP_OF_LSE}};
  const unsigned count = sizeof kinds / sizeof kinds[0];
  unsigned kind = 0;
  while (kind < count && strcmp(kinds[kind].name, argv[1]) != 0) ++kind;
  MUST(kind < count);
  if ((getauxval(AT_HWCAP) & kinds[kind].needs) != kinds[kind].needs) return 77;
  pthread_t other;
  const int has_other = kinds[kind].round == locked;
  if (has_other) MUST(pthread_create(&other, NULL, take_turns, NULL) == 0);
  const uint64_t run_ns = strtoull(argv[2], NULL, 10) * 1000000u;
  uint64_t rounds = 0;
  const uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  uint64_t now = begin;
  while (now < begin + run_ns) {
    for (int i = 0; i < 500; ++i) kinds[kind].round();
    rounds += 500;
    now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  }
  if (has_other) {
    is_over = 1;
    pthread_join(other, NULL);
  }
  const uint64_t sum = rounds + other_rounds;
  const int is_right = words[0] == sum && words[1] == 0 && (!kinds[kind].is_odd_counted || odd - sum / 2 <= 1);
  printf("%llu %llu %s %llu\n", (unsigned long long)rounds, (unsigned long long)failed, is_right ? "right" : "WRONG",
         (unsigned long long)((now - begin) * 1000 / rounds));
  return 0;
}
