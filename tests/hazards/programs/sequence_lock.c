/* Reads the words of a shared file that another process writes under a sequence lock, and calls never_called if they
 * differ: they never
   do between two readings of one even sequence number. */
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

/* Each word on a page of its own, so that they are not read at once by whoever reads more than a word. */
enum { PAGE = 4096, PAGES = 48, STEP = PAGE / sizeof(atomic_ulong) };

static volatile unsigned long g_calls;

__attribute__((noinline, cold)) static void never_called(unsigned long differing) {
  for (unsigned long i = 0; i < differing; ++i) ++g_calls;
}

static void write_words(atomic_ulong* words) {
  for (unsigned long value = 1;; ++value) {
    atomic_fetch_add(words, 1);
    for (int page = 1; page < PAGES; ++page) atomic_store_explicit(&words[page * STEP], value, memory_order_release);
    atomic_fetch_add(words, 1);
    for (volatile int i = 0; i < 1000; ++i) {
    }
  }
}

__attribute__((noinline)) static void read_words(atomic_ulong* words) {
  unsigned long before, differing;
  do {
    before = atomic_load(words);
    const unsigned long first = atomic_load(&words[STEP]);
    differing = 0;
    for (int page = 2; page < PAGES; ++page) {
      if (atomic_load(&words[page * STEP]) != first) ++differing;
    }
  } while (before % 2 != 0 || atomic_load(words) != before);
  if (differing != 0) never_called(differing);
}

int main(int argc, char** argv) {
  const unsigned ms = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
  const int file = memfd_create("sequence", 0);
  MUST(file >= 0 && ftruncate(file, PAGES * PAGE) == 0);
  atomic_ulong* words = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  MUST(words != MAP_FAILED);
  const pid_t other = fork();
  MUST(other >= 0);
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    write_words(words);
  }
  const uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ull;
  while (clock_ns(CLOCK_MONOTONIC) < end) {
    for (int round = 0; round < 1000; ++round) read_words(words);
  }
  kill(other, SIGKILL);
  waitpid(other, NULL, 0);
  printf("%lu differed\n", g_calls);
  return 0;
}
