/* Watches as many words as the CPU has debug registers for, in two threads, while the rest of the program goes on. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"

enum { MOST = 4 };
static volatile uint64_t words[MOST];

static int watch(int number) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.bp_type = HW_BREAKPOINT_W;
  attributes.bp_addr = (uint64_t)(uintptr_t)&words[number];
  attributes.bp_len = HW_BREAKPOINT_LEN_8;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void* watch_all(void* name) {
  burn_ms(100);
  int files[MOST];
  errno = 0;
  for (int i = 0; i < MOST; ++i) files[i] = watch(i);
  printf("%s: errno %d\n", (const char*)name, errno);
  burn_ms(100);
  for (int i = 0; i < MOST; ++i) {
    for (int k = 0; k <= i; ++k) words[i] = (uint64_t)k;
    uint64_t count = 0;
    MUST(files[i] < 0 || read(files[i], &count, sizeof count) == sizeof count);
    printf("%d: %s %d\n", i, files[i] < 0 ? "refused" : "open", (int)count);
  }
  burn_ms(100);
  for (int i = 0; i < MOST; ++i) {
    if (files[i] >= 0) close(files[i]);
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  watch_all("main");
  MUST(pthread_create(&thread, NULL, watch_all, "other") == 0);
  pthread_join(thread, NULL);
  return 2;
}
