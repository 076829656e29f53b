/* kernel_calls KIND COUNT: COUNT times a short computation and a call of the kernel.
 *
 * KIND: getppid (the shortest call), map (mmap, a write, munmap), thread (a thread is created and joined), futex (two
 * threads hand a turn to each other), lock (four threads share a mutex). */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long g_count;
static long g_sum;
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
static long g_turn;

static long compute(long seed) {
  long sum = seed;
  for (int i = 0; i < 40; ++i) sum += (sum ^ i) % 3 == 0 ? i : sum >> 5;
  return sum;
}

static void* one(void* sum) {
  *(long*)sum = compute((long)sum & 15);
  return NULL;
}

static void* take_turns(void* first) {
  for (long i = (long)first; i < g_count; i += 2) {
    pthread_mutex_lock(&g_mutex);
    while (g_turn != i) pthread_cond_wait(&g_changed, &g_mutex);
    g_sum += compute(i);
    ++g_turn;
    pthread_cond_signal(&g_changed);
    pthread_mutex_unlock(&g_mutex);
  }
  return NULL;
}

static void* share(void* unused) {
  for (long i = 0; i < g_count / 4; ++i) {
    pthread_mutex_lock(&g_mutex);
    g_sum += compute(i);
    pthread_mutex_unlock(&g_mutex);
  }
  return unused;
}

static void in_threads(int threads, void* (*function)(void*)) {
  pthread_t ids[4];
  for (long i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, function, (void*)i);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* kind = argv[1];
  g_count = atol(argv[2]);
  if (strcmp(kind, "futex") == 0)
    in_threads(2, take_turns);
  else if (strcmp(kind, "lock") == 0)
    in_threads(4, share);
  else {
    for (long i = 0; i < g_count; ++i) {
      if (strcmp(kind, "getppid") == 0) {
        g_sum += compute(i) + syscall(SYS_getppid) % 2;
      } else if (strcmp(kind, "map") == 0) {
        char* page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED) return 1;
        page[i % 65536] = (char)compute(i);
        g_sum += page[i % 65536];
        munmap(page, 65536);
      } else {
        pthread_t id;
        long sum = 0;
        pthread_create(&id, NULL, one, &sum);
        pthread_join(id, NULL);
        g_sum += sum;
      }
    }
  }
  printf("%ld\n", g_sum);
  return 0;
}
