// Markers for context ("colour") and for storage. Macros only; no dependency.
//
// Three colours of code (docs/signal_safety.md):
//   handler  may run inside a signal handler at any instruction of the host: no allocation, lock, libc call, errno,
//            thread_local, or loop without a named bound.
//   control  start, stop, control thread, profile writer (in runtime/ and platform/): no heap, but may block.
//   host     everything in toolchain/: ordinary C++20.
// SOFTLBR_HANDLER_SAFE marks, in a header, the declaration of each function that a handler reaches, and in a .cc file
// functions that are called only from outside or through a pointer. Other functions of a .cc file need no mark.
// tests/checks/handler_graph.pl compares the marks with the calls. It has the sources compiled with
// SOFTLBR_HANDLER_GRAPH, which writes the mark into the symbol table as visibility and keeps inline functions.
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
#define SOFTLBR_COLD __attribute__((cold, noinline))  // rarely run: optimised for size, kept out of hot code
#define SOFTLBR_HIDDEN __attribute__((visibility("hidden")))
#define SOFTLBR_EXPORT __attribute__((visibility("default")))

#endif  // SOFTLBR_PLATFORM_BASE_ATTRIBUTES_H_
