// Markers for context ("colour") and for storage. Macros only; no dependency.
//
// Three colours of code (docs/signal_safety.md):
//   handler  SOFTLBR_HANDLER_SAFE   may run inside a signal handler at any instruction of the host: no allocation,
//                                   lock, libc call, errno, thread_local, or loop without a named bound.
//   control  (unmarked, in runtime/ and platform/)  start, stop, worker, writer: no heap either, but may block.
//   host     (everything in toolchain/)             ordinary C++20.
#ifndef SOFTLBR_PLATFORM_BASE_ATTRIBUTES_H_
#define SOFTLBR_PLATFORM_BASE_ATTRIBUTES_H_

#if defined(__clang__)
#define SOFTLBR_HANDLER_SAFE __attribute__((annotate("softlbr_handler_safe")))
#define SOFTLBR_CONSTINIT constinit
#else
#define SOFTLBR_HANDLER_SAFE
#define SOFTLBR_CONSTINIT constinit
#endif

#define SOFTLBR_LIKELY(x) __builtin_expect(!!(x), 1)
#define SOFTLBR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SOFTLBR_ALWAYS_INLINE inline __attribute__((always_inline))
#define SOFTLBR_NOINLINE __attribute__((noinline))
#define SOFTLBR_COLD __attribute__((cold, noinline))  // rarely run: for size, out of the way
#define SOFTLBR_HIDDEN __attribute__((visibility("hidden")))
#define SOFTLBR_EXPORT __attribute__((visibility("default")))

#endif  // SOFTLBR_PLATFORM_BASE_ATTRIBUTES_H_
