/* late_threads COUNT MS: COUNT times, sleeps for 0.3 s and then has a thread use MS of CPU time; one thread after the other. */
#include <pthread.h>

#include "hazard_program.h"

static unsigned g_ms;

static void* work(void* unused) {
  (void)unused;
  burn_ms(g_ms);
  return NULL;
}

int main(int argc, char** argv) {
  MUST(argc == 3);
  const unsigned count = (unsigned)atoi(argv[1]);
  g_ms = (unsigned)atoi(argv[2]);
  for (unsigned i = 0; i < count; ++i) {
    const struct timespec pause = {0, 300000000};
    nanosleep(&pause, NULL);
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, work, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
  }
  puts("done");
  return 0;
}
