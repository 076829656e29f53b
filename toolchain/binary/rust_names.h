// Demangles Rust symbols: the v0 scheme ("_R...", RFC 2603) and the legacy one ("_ZN...17h<16 hex digits>E").
//
// Written here because input is hostile: a v0 name may refer back to its own parts, so that a short name stands for a text of any
//   length. The result here has at most kMaxRustNameBytes, and parts nest at most kMaxRustNesting deep.
// Prints what rustc-demangle prints in its alternate form: no hashes, no disambiguators of crates, no types of constants. A vendor
//   suffix (".llvm.123") is kept. Identifiers in Punycode are printed as punycode{...}.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_RUST_NAMES_H_
#define SOFTLBR_TOOLCHAIN_BINARY_RUST_NAMES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

inline constexpr size_t kMaxRustNameBytes = 64 << 10;
inline constexpr int kMaxRustNesting = 128;

// The demangled name; nothing if `name` is not a well-formed Rust symbol.
std::optional<std::string> DemangleRust(std::string_view name);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_RUST_NAMES_H_
