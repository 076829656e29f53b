// Counts this process's allocations while armed. Include it in one source file of a test program.
#ifndef SOFTLBR_TESTS_DECODERS_ALLOCATION_COUNTER_H_
#define SOFTLBR_TESTS_DECODERS_ALLOCATION_COUNTER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define SOFTLBR_UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SOFTLBR_UNDER_ASAN 1
#endif
#endif

namespace softlbr::test {

#ifdef SOFTLBR_UNDER_ASAN
inline constexpr bool kIsUnderAddressSanitizer = true;
#else
inline constexpr bool kIsUnderAddressSanitizer = false;
#endif

inline std::atomic<bool> g_is_counting{false};
inline std::atomic<uint64_t> g_allocations{0};

inline void CountAllocation() {
  if (g_is_counting.load(std::memory_order_relaxed)) ++g_allocations;
}
inline void StartCountingAllocations() {
  g_allocations = 0;
  g_is_counting = true;
}
inline uint64_t StopCountingAllocations() {
  g_is_counting = false;
  return g_allocations.load();
}

}  // namespace softlbr::test

#ifdef SOFTLBR_UNDER_ASAN
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
static const int g_hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { softlbr::test::CountAllocation(); }, [](const volatile void*) {});
#else
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* malloc(size_t size) noexcept {
  softlbr::test::CountAllocation();
  return __libc_malloc(size);
}
void* calloc(size_t n, size_t size) noexcept {
  softlbr::test::CountAllocation();
  return __libc_calloc(n, size);
}
void* realloc(void* old, size_t size) noexcept {
  softlbr::test::CountAllocation();
  return __libc_realloc(old, size);
}
}
#endif

#endif  // SOFTLBR_TESTS_DECODERS_ALLOCATION_COUNTER_H_
