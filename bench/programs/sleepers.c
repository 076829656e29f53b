/* sleepers THREADS SLEEP_MS SECONDS: THREADS threads wake up each SLEEP_MS and do next to nothing, for SECONDS. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long g_sleep_ms;
static long g_wakeups;

static void* nap(void* count) {
  for (long i = 0; i < g_wakeups; ++i) {
    const struct timespec time = {g_sleep_ms / 1000, g_sleep_ms % 1000 * 1000000};
    nanosleep(&time, NULL);
    ++*(long*)count;
  }
  return NULL;
}

int main(int argc, char** argv) {
  enum { kMost = 64 };
  if (argc != 4) return 2;
  const int threads = atoi(argv[1]);
  g_sleep_ms = atol(argv[2]);
  if (threads < 1 || threads > kMost || g_sleep_ms < 1) return 2;
  g_wakeups = atol(argv[3]) * 1000 / g_sleep_ms;
  pthread_t ids[kMost];
  static long counts[kMost];
  for (int i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, nap, &counts[i]);
  long sum = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    sum += counts[i];
  }
  printf("%ld\n", sum);
  return 0;
}
