/* busy_threads COUNT MS: COUNT threads use MS of CPU time each, then sleep until all have; prints the sum of their
 * results. */
#include <pthread.h>
#include <string.h>

#include "hazard_program.h"

static unsigned g_ms;
static pthread_barrier_t g_all;

static void* work(void* result) {
  *(uint64_t*)result = turn(100000);
  burn_ms(g_ms);
  pthread_barrier_wait(&g_all);
  return NULL;
}

int main(int argc, char** argv) {
  enum { kMost = 256 };
  MUST(argc == 3);
  const unsigned count = (unsigned)atoi(argv[1]);
  g_ms = (unsigned)atoi(argv[2]);
  MUST(count >= 1 && count <= kMost);
  pthread_t threads[kMost];
  static uint64_t results[kMost];
  pthread_barrier_init(&g_all, NULL, count);
  for (unsigned i = 0; i < count; ++i) MUST(pthread_create(&threads[i], NULL, work, &results[i]) == 0);
  uint64_t sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    sum += results[i];
  }
  printf("%u threads: %llu\n", count, (unsigned long long)sum);
  return 5;
}
