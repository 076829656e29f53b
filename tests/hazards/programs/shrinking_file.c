/* Sums up the pages of a shared file that another process empties and refills again and again. The two agree on who
 * may: the
   reader leaves the pages alone unless it has entered while the file is whole, and the other process waits until it has
   left. */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

enum { PAGES = 64, PAGE = 4096, UNDISTURBED_MS = 600 };

struct agreement {
  atomic_int is_reading;
  atomic_int is_whole;
  atomic_int is_over;
  atomic_ulong times;
};

static void empty_and_refill(struct agreement* with, int file) {
  usleep(UNDISTURBED_MS * 1000); /* until the mapping has been noticed */
  while (!atomic_load(&with->is_over)) {
    atomic_store(&with->is_whole, 0);
    while (atomic_load(&with->is_reading) && !atomic_load(&with->is_over)) sched_yield();
    if (ftruncate(file, 0) != 0 || ftruncate(file, PAGES * PAGE) != 0) _exit(1);
    atomic_fetch_add(&with->times, 1);
    atomic_store(&with->is_whole, 1);
    usleep(100);
  }
  _exit(0);
}

int main(int argc, char** argv) {
  const unsigned ms = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
  struct agreement* with = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const int file = memfd_create("shrinking", 0);
  MUST(with != MAP_FAILED && file >= 0 && ftruncate(file, PAGES * PAGE) == 0);
  const volatile unsigned char* pages = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);
  MUST(pages != MAP_FAILED);
  atomic_store(&with->is_whole, 1);
  const pid_t other = fork();
  MUST(other >= 0);
  if (other == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    empty_and_refill(with, file);
  }
  uint64_t sum = 0, reads = 0;
  const uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ull;
  while (clock_ns(CLOCK_MONOTONIC) < end) {
    for (int round = 0; round < 200; ++round) {
      atomic_store(&with->is_reading, 1);
      if (atomic_load(&with->is_whole)) {
        ++reads;
        for (int page = 0; page < PAGES; ++page) {
          if (pages[page * PAGE] != 0) ++sum;
        }
      }
      atomic_store(&with->is_reading, 0);
    }
  }
  atomic_store(&with->is_over, 1);
  int status = 0;
  MUST(waitpid(other, &status, 0) == other && status == 0);
  MUST(sum == 0 && reads > 100 && atomic_load(&with->times) > 10);
  printf("read it while it was whole\n");
  return 0;
}
