/* ends HOW: works for a while in two threads, prints, and ends as HOW says.
 * ends HOW US: two threads end the process: main by exit(), the other one US microseconds later by HOW, which is _exit
 * or exec. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "hazard_program.h"

static const char* g_how;

/* Not a valid instruction on either CPU. */
static void illegal(void) {
#if defined(__x86_64__)
  __asm__ volatile("ud2");
#else
  __asm__ volatile(".inst 0");
#endif
}

static void end(void) {
  if (strcmp(g_how, "exit_in_thread") == 0) exit(7);
  if (strcmp(g_how, "_exit") == 0) _exit(8);
  if (strcmp(g_how, "quick_exit") == 0) quick_exit(9);
  if (strcmp(g_how, "abort") == 0) abort();
  volatile uintptr_t nowhere = 8;
  if (strcmp(g_how, "segv") == 0) *(volatile int*)nowhere = 1;
  if (strcmp(g_how, "ill") == 0) illegal();
  if (strcmp(g_how, "kill") == 0) kill(getpid(), SIGKILL);
  if (strcmp(g_how, "trap") == 0) raise(SIGTRAP);
  MUST(strcmp(g_how, "return") == 0 || strcmp(g_how, "main_ends_first") == 0); /* no other value is known */
}

static void* other(void* unused) {
  (void)unused;
  burn_ms(500);
  printf("worked\n");
  fflush(stdout);
  end();
  return NULL;
}

static pthread_barrier_t g_together;
static uint64_t g_delay_ns;

static void* end_beside(void* unused) {
  (void)unused;
  burn_ms(20);
  pthread_barrier_wait(&g_together);
  const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  while (clock_ns(CLOCK_MONOTONIC) < begin + g_delay_ns) {
  }
  if (strcmp(g_how, "_exit") == 0) _exit(7);
  execl("/proc/self/exe", "ends", "at_once", NULL);
  return NULL;
}

static int end_together(void) {
  pthread_t thread;
  MUST(pthread_barrier_init(&g_together, NULL, 2) == 0);
  MUST(pthread_create(&thread, NULL, end_beside, NULL) == 0);
  burn_ms(20);
  pthread_barrier_wait(&g_together);
  exit(7);
}

int main(int argc, char** argv) {
  MUST(argc == 2 || argc == 3);
  if (strcmp(argv[1], "at_once") == 0) return 7;
  if (argc == 3) {
    g_how = argv[1];
    g_delay_ns = 1000ull * (uint64_t)atoi(argv[2]);
    return end_together();
  }
  g_how = argv[1];
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, other, NULL) == 0);
  if (strcmp(g_how, "main_ends_first") == 0) pthread_exit(NULL);
  if (strcmp(g_how, "return") != 0) {
    for (;;) burn_ms(1000);
  }
  pthread_join(thread, NULL);
  return 6;
}
