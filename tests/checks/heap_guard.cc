#include "tests/checks/heap_guard.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

std::atomic<bool> g_is_on;
std::atomic<uint64_t> g_calls;
std::atomic<const char*> g_first_function;
std::atomic<const void*> g_first_caller;

void Note(const char* function, const void* caller) {
  if (!g_is_on.load(std::memory_order_relaxed)) return;
  if (g_calls.fetch_add(1) == 0) {
    g_first_function = function;
    g_first_caller = caller;
  }
}

}  // namespace

namespace softlbr::checks {

void StartHeapGuard() {
  g_calls = 0;
  g_first_function = nullptr;
  g_first_caller = nullptr;
  g_is_on = true;
}

HeapUse StopHeapGuard() {
  g_is_on = false;
  return {g_calls, g_first_function, g_first_caller};
}

}  // namespace softlbr::checks

#define NOTE(function) Note(function, __builtin_return_address(0))

#pragma GCC visibility push(default)
extern "C" {

void* malloc(size_t bytes) {
  NOTE("malloc");
  return __libc_malloc(bytes);
}
void* calloc(size_t count, size_t bytes) {
  NOTE("calloc");
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, size_t bytes) {
  NOTE("realloc");
  return __libc_realloc(memory, bytes);
}
void free(void* memory) {
  NOTE("free");
  __libc_free(memory);
}
void* memalign(size_t alignment, size_t bytes) {
  NOTE("memalign");
  return __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  NOTE("aligned_alloc");
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  NOTE("posix_memalign");
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  NOTE("mmap");
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, fd, offset));
}
void* mmap64(void* address, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  NOTE("mmap64");
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, fd, offset));
}
int munmap(void* address, size_t bytes) {
  NOTE("munmap");
  return static_cast<int>(syscall(SYS_munmap, address, bytes));
}
void* mremap(void* address, size_t old_bytes, size_t bytes, int flags, ...) {
  NOTE("mremap");
  va_list arguments;
  va_start(arguments, flags);
  void* target = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  return reinterpret_cast<void*>(syscall(SYS_mremap, address, old_bytes, bytes, flags, target));
}

}  // extern "C"
#pragma GCC visibility pop
