/* One thread walks a ring of nodes on a page that another thread repeatedly replaces and unmaps. The reader publishes
 * the page it
   uses (a hazard pointer), so the page that it walks stays mapped; the page before or after it may be unmapped. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "hazard_program.h"

struct node {
  struct node* next;
  uint64_t value;
  char padding[48];
};
enum { NODES = 64, PAGE = NODES * sizeof(struct node) };
_Static_assert(PAGE == 4096, "a page of nodes");

static _Atomic(struct node*) shared, used;
static atomic_int is_over;
static atomic_ulong walks;

static struct node* make(void) {
  struct node* nodes = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(nodes != MAP_FAILED);
  for (unsigned i = 0; i < NODES; ++i) {
    nodes[i].next = &nodes[(i * 17 + 5) % NODES];
    nodes[i].value = (i * 2654435761u) >> 7;
  }
  return nodes;
}

static void* walk(void* odd_sum) {
  uint64_t odd = 0;
  while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
    struct node* page;
    do {
      page = atomic_load(&shared);
      /* Not an exchange: look-ahead cannot predict its result. */
      atomic_store_explicit(&used, page, memory_order_relaxed);
#if defined(__x86_64__)
      __asm__ volatile("mfence" ::: "memory");
#else
      __asm__ volatile("dmb ish" ::: "memory");
#endif
    } while (page != atomic_load(&shared));
    for (int i = 0; i < NODES; ++i, page = page->next) {
      if (page->value & 1) odd += page->value;
    }
    atomic_store_explicit(&used, NULL, memory_order_release);
    atomic_fetch_add_explicit(&walks, 1, memory_order_relaxed);
  }
  *(uint64_t*)odd_sum = odd;
  return NULL;
}

int main(int count, char** arguments) {
  const uint64_t end = clock_ns(CLOCK_MONOTONIC) + (count > 1 ? strtoull(arguments[1], NULL, 10) : 2000) * 1000000;
  atomic_store(&shared, make());
  pthread_t reader;
  uint64_t odd = 0;
  MUST(pthread_create(&reader, NULL, walk, &odd) == 0);
  uint64_t replaced = 0;
  for (; clock_ns(CLOCK_MONOTONIC) < end; ++replaced) {
    struct node* old = atomic_exchange(&shared, make());
    while (atomic_load(&used) == old) {
    }
    MUST(munmap(old, PAGE) == 0);
  }
  atomic_store(&is_over, 1);
  MUST(pthread_join(reader, NULL) == 0);
  MUST(atomic_load(&walks) > 100 && replaced > 100);
  printf("lived\n");
  return 0;
}
