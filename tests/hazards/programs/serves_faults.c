/* Reads pages that a thread of its own provides when they are read (userfaultfd). To provide one, that thread takes a
 * lock that the
   reader holds now and then, but never while it reads a page. Exit code 77: there is no userfaultfd. */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"

enum { PAGE = 4096, PAGES = 4096, ROUNDS = 6 };

static int g_faults;
static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long g_guarded;

static void work_under_lock(int times) {
  pthread_mutex_lock(&g_lock);
  for (int i = 0; i < times; ++i) g_guarded += i & 1;
  pthread_mutex_unlock(&g_lock);
}

static void* serve(void* unused) {
  static char content[PAGE] __attribute__((aligned(PAGE)));
  memset(content, 1, PAGE);
  struct uffd_msg fault;
  while (read(g_faults, &fault, sizeof fault) == sizeof fault) {
    work_under_lock(1);
    struct uffdio_copy copy = {
        .dst = fault.arg.pagefault.address & ~(PAGE - 1ull), .src = (uint64_t)content, .len = PAGE};
    (void)ioctl(g_faults, UFFDIO_COPY, &copy);
  }
  return unused;
}

int main(void) {
  alarm(20);
  g_faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  struct uffdio_api api = {.api = UFFD_API};
  if (g_faults < 0 || ioctl(g_faults, UFFDIO_API, &api) != 0) return 77;
  volatile char* pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(pages != MAP_FAILED);
  struct uffdio_register all = {.range = {(uint64_t)pages, (uint64_t)PAGES * PAGE},
                                .mode = UFFDIO_REGISTER_MODE_MISSING};
  MUST(ioctl(g_faults, UFFDIO_REGISTER, &all) == 0);
  pthread_t server;
  MUST(pthread_create(&server, NULL, serve, NULL) == 0);
  unsigned long sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    for (long page = 0; page < PAGES; ++page) {
      work_under_lock(300);
      for (int i = 0; i < 100; ++i) sum += pages[page * PAGE + i];
    }
    madvise((void*)pages, (size_t)PAGES * PAGE, MADV_DONTNEED);
  }
  printf("%lu\n", sum);
  return 0;
}
