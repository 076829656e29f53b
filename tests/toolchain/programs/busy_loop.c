/* Executes branches on two threads for some hundred milliseconds, long enough for any sampler. Exits with code 3, or
 * raises the signal whose number is its first argument. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static unsigned step_whose_name_is_longer_than_the_columns_that_a_table_on_a_terminal_has(
    unsigned value) {
  return value & 1 ? value * 3 + 1 : value / 2;
}

static void* work(void* unused) {
  volatile unsigned sink = 0;
  struct timespec now;
  do {
    for (unsigned i = 1; i < 20000; ++i)
      sink += step_whose_name_is_longer_than_the_columns_that_a_table_on_a_terminal_has(i);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (now.tv_sec == 0 && now.tv_nsec < 150000000);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  work(NULL);
  pthread_join(thread, NULL);
  if (argc > 1) raise(atoi(argv[1]));
  return 3;
}
