// Tells ThreadSanitizer about memory handed from one thread to another through code that it does not instrument
// (liburcu).
#ifndef SOFTLBR_PLATFORM_BASE_THREAD_SANITIZER_H_
#define SOFTLBR_PLATFORM_BASE_THREAD_SANITIZER_H_

#if defined(__SANITIZE_THREAD__)
#define SOFTLBR_THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SOFTLBR_THREAD_SANITIZED 1
#endif
#endif

#if defined(SOFTLBR_THREAD_SANITIZED)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#define SOFTLBR_HANDS_OVER(address) __tsan_release(address)
#define SOFTLBR_TAKES_OVER(address) __tsan_acquire(address)
#else
#define SOFTLBR_HANDS_OVER(address) ((void)0)
#define SOFTLBR_TAKES_OVER(address) ((void)0)
#endif

#endif  // SOFTLBR_PLATFORM_BASE_THREAD_SANITIZER_H_
