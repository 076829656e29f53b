// Markers for context ("colour") and for storage. Macros only; no dependency.
//
// Three colours of code (docs/signal_safety.md):
//   handler  may run inside a signal handler at any instruction of the host: no allocation, lock, libc call, errno, thread_local,
//            or loop without a named bound.
//   control  (start, stop, worker, writer, in runtime/ and platform/)  no heap either, but may block.
//   host     (everything in toolchain/)  ordinary C++20.
// SOFTLBR_HANDLER_SAFE stands in front of the declaration, in a header, of each function that a handler reaches, and of functions
// in .cc files that are called from outside or through a pointer only. Other functions of a .cc file need none.
// tests/checks/handler_graph.pl compares the marks with the calls. For it the sources are compiled with SOFTLBR_HANDLER_GRAPH,
// which writes the mark into the symbol table as visibility and keeps inline functions.
#ifndef SOFTLBR_PLATFORM_BASE_ATTRIBUTES_H_
#define SOFTLBR_PLATFORM_BASE_ATTRIBUTES_H_

#if defined(SOFTLBR_HANDLER_GRAPH)
#define SOFTLBR_HANDLER_SAFE __attribute__((visibility("protected")))
#define SOFTLBR_ALWAYS_INLINE inline
#else
#define SOFTLBR_HANDLER_SAFE
#define SOFTLBR_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

#define SOFTLBR_CONSTINIT constinit
#define SOFTLBR_LIKELY(x) __builtin_expect(!!(x), 1)
#define SOFTLBR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SOFTLBR_NOINLINE __attribute__((noinline))
#define SOFTLBR_COLD __attribute__((cold, noinline))  // rarely run: for size, out of the way
#define SOFTLBR_HIDDEN __attribute__((visibility("hidden")))
#define SOFTLBR_EXPORT __attribute__((visibility("default")))

#endif  // SOFTLBR_PLATFORM_BASE_ATTRIBUTES_H_
