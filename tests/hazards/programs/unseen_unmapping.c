/* One thread reads blocks, and publishes which one (a hazard pointer). Somebody takes away those that nobody reads, in
 * a way that the
   list of threads or mappings does not show: another thread puts guards on them ("guards"), or a process that shares
   the memory unmaps them ("sharer"). Prints how many words were wrong; exit code 77: the kernel has no guards. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

enum { BLOCK = 16384, WORDS = 64, GUARD_INSTALL = 102, GUARD_REMOVE = 103, STACK = 262144 };

static _Atomic(uint64_t*) g_shared, g_used;
static atomic_int g_is_over;
static uint64_t g_end_ns;

static uint64_t* filled(uint64_t* block) {
  for (int i = 0; i < WORDS; ++i) block[i] = 1;
  return block;
}

static uint64_t* mapped(void) {
  void* block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(block != MAP_FAILED);
  return filled(block);
}

static void await_unused(uint64_t* block) {
  while (atomic_load(&g_used) == block) sched_yield();
}

static void* put_guards(void* unused) {
  uint64_t* blocks[2] = {atomic_load(&g_shared), mapped()};
  for (int next = 1; clock_ns(CLOCK_MONOTONIC) < g_end_ns; next = 1 - next) {
    (void)madvise(blocks[next], BLOCK, GUARD_REMOVE);
    atomic_store(&g_shared, filled(blocks[next]));
    await_unused(blocks[1 - next]);
    MUST(madvise(blocks[1 - next], BLOCK, GUARD_INSTALL) == 0);
  }
  atomic_store(&g_is_over, 1);
  return unused;
}

static int unmap_blocks(void* unused) {
  (void)unused;
  while (clock_ns(CLOCK_MONOTONIC) < g_end_ns) {
    uint64_t* old = atomic_exchange(&g_shared, mapped());
    await_unused(old);
    munmap(old, BLOCK);
  }
  atomic_store(&g_is_over, 1);
  return 0;
}

static uint64_t read_blocks(void) {
  uint64_t wrong = 0;
  while (!atomic_load_explicit(&g_is_over, memory_order_relaxed)) {
    uint64_t* block;
    do {
      block = atomic_load(&g_shared);
      /* Not an exchange: look-ahead cannot predict its result. */
      atomic_store_explicit(&g_used, block, memory_order_relaxed);
      atomic_thread_fence(memory_order_seq_cst);
    } while (block != atomic_load(&g_shared));
    for (int i = 0; i < WORDS; ++i) {
      if (((volatile uint64_t*)block)[i] != 1) ++wrong;
    }
    atomic_store_explicit(&g_used, NULL, memory_order_release);
    for (volatile int i = 0; i < 30; ++i) {
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "guards";
  g_end_ns = clock_ns(CLOCK_MONOTONIC) + (argc > 2 ? strtoull(argv[2], NULL, 10) : 2000) * 1000000;
  atomic_store(&g_shared, mapped());
  if (strcmp(how, "guards") == 0) {
    uint64_t* trial = mapped();
    if (madvise(trial, BLOCK, GUARD_INSTALL) != 0 && errno == EINVAL) return 77;
    pthread_t other;
    MUST(pthread_create(&other, NULL, put_guards, NULL) == 0);
    printf("%lu wrong\n", (unsigned long)read_blocks());
    pthread_join(other, NULL);
  } else {
    char* stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(stack != MAP_FAILED);
    const pid_t other = clone(unmap_blocks, stack + STACK, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL);
    MUST(other > 0);
    printf("%lu wrong\n", (unsigned long)read_blocks());
    MUST(waitpid(other, NULL, 0) == other);
  }
  return 0;
}
