// The function that a compiler's part or clone belongs to.
//
// Compilers move cold code away (f.cold), split functions (f.part.0), clone them for known arguments (f.constprop.0,
// f.isra.0), and rename local ones so that they are unique in the program (f.llvm.123, f.lto_priv.0). Which they do,
// and with which number, changes from build to build, so two builds are compared by the name without all that.
#ifndef SOFTLBR_TOOLCHAIN_SYMBOLS_FUNCTION_FAMILY_H_
#define SOFTLBR_TOOLCHAIN_SYMBOLS_FUNCTION_FAMILY_H_

#include <string_view>

namespace softlbr::toolchain {

// `name` (mangled) without these suffixes, however many: "f" of "f.isra.0.cold". Others are part of the name.
std::string_view FunctionFamily(std::string_view name);

// Of a local function that was renamed to be unique, the name without what parts and clones add: "f.lto_priv.1" of
// "f.lto_priv.1.cold". Functions of one family with different identities are different functions. Other names: as
// FunctionFamily.
std::string_view FunctionIdentity(std::string_view name);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_SYMBOLS_FUNCTION_FAMILY_H_
