/* late_threads pthread|thrd COUNT MS: COUNT times, sleeps for 0.3 s and then has a thread use MS of CPU time; one
 * thread after the other, by pthread_create or by C11's thrd_create. */
#include <pthread.h>
#include <string.h>
#include <threads.h>

#include "hazard_program.h"

static unsigned g_ms;

static void* work(void* unused) {
  (void)unused;
  burn_ms(g_ms);
  return NULL;
}
static int work_of_c11(void* unused) {
  (void)unused;
  burn_ms(g_ms);
  return 0;
}

int main(int argc, char** argv) {
  MUST(argc == 4);
  const int is_c11 = strcmp(argv[1], "thrd") == 0;
  const unsigned count = (unsigned)atoi(argv[2]);
  g_ms = (unsigned)atoi(argv[3]);
  for (unsigned i = 0; i < count; ++i) {
    const struct timespec pause = {0, 300000000};
    nanosleep(&pause, NULL);
    if (is_c11) {
      thrd_t thread;
      MUST(thrd_create(&thread, work_of_c11, NULL) == thrd_success);
      MUST(thrd_join(thread, NULL) == thrd_success);
    } else {
      pthread_t thread;
      MUST(pthread_create(&thread, NULL, work, NULL) == 0);
      MUST(pthread_join(thread, NULL) == 0);
    }
  }
  puts("done");
  return 0;
}
