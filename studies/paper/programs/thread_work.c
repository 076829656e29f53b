// Threads that share a fixed amount of work with many kinds of branches: thread_work THREADS ROUNDS, ROUNDS in all.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static long g_rounds;
static uint64_t g_sums[1024];

static uint64_t __attribute__((noinline)) Odd(uint64_t x) { return x * 3 + 1; }
static uint64_t __attribute__((noinline)) Even(uint64_t x) { return x / 2; }
static uint64_t (*const kSteps[2])(uint64_t) = {Even, Odd};

static void* Work(void* argument) {
  const long index = (long)argument;
  uint64_t sum = 0;
  for (long round = 0; round < g_rounds; ++round) {
    uint64_t x = (uint64_t)(round * 7919 + index) % 100003 + 2;
    for (int step = 0; step < 60 && x != 1; ++step) {
      x = kSteps[x & 1](x);
      switch (x % 7) {
        case 0: sum += x; break;
        case 1: sum ^= x << 3; break;
        case 2: sum -= step; break;
        case 3: sum = sum << 1 | sum >> 63; break;
        default: sum += 5; break;
      }
    }
  }
  g_sums[index] = sum;
  return NULL;
}

int main(int argc, char** argv) {
  const long threads = argc > 1 ? atol(argv[1]) : 1;
  const long rounds = argc > 2 ? atol(argv[2]) : 100000;
  if (threads < 1 || threads > 1024) return 2;
  g_rounds = rounds / threads;
  pthread_t ids[1024];
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  for (long i = 0; i < threads; ++i) {
    if (pthread_create(&ids[i], &attributes, Work, (void*)i) != 0) return 1;
  }
  uint64_t sum = 0;
  for (long i = 0; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    sum += g_sums[i];
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
