// Demangles the linker's names of C++ (Itanium), Rust (v0 and legacy), D and Ada, by libiberty.
//
// Input is hostile: a name may refer back to its own parts, so that 200 bytes stand for gigabytes of text, or for years
//   of work that prints nothing. A name that exceeds a bound stays as it is. At most kMaxMangledBytes are read, and at
//   most kMaxDemangledBytes printed. C++ also has kMostDemangleCpuUs of CPU time, half as much after each name that
//   exceeds it, down to kLeastDemangleCpuUs. The others have a number of allocations.
// Prints parameters, but neither hashes nor the "[clone]" of c++filt: the suffix of split or cloned functions (.cold,
//   .constprop.0, .llvm.123) and of PLT stubs is kept as it is.
// Signals: SIGVTALRM is taken for the time limit, with the first C++ name of more than kShortNameBytes. Threads: any.
#ifndef SOFTLBR_TOOLCHAIN_SYMBOLS_DEMANGLE_H_
#define SOFTLBR_TOOLCHAIN_SYMBOLS_DEMANGLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

inline constexpr size_t kMaxMangledBytes = 8 << 10;
inline constexpr size_t kMaxDemangledBytes = 64 << 10;
inline constexpr int kMostDemangleCpuUs = 100000;
inline constexpr int kLeastDemangleCpuUs = 1000;
inline constexpr size_t kShortNameBytes = 48;

// The names of Ada look like those of C, so they are demangled only in a module that is known to hold Ada (has_ada).
std::string Demangle(const std::string& name, bool has_ada = false);

// True for a symbol that only modules with Ada have: of its run-time library, defined or called.
bool IsSignOfAda(std::string_view symbol);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_SYMBOLS_DEMANGLE_H_
