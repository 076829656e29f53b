// Divides a fall-through range by the functions that it runs through.
//
// The end of a symbol is no end of control flow: glibc's strcasecmp runs on into strcasecmp_l, a hot part into its cold
// part, and one section of a basic block into the next. Each function gets the instructions that are its own. Host
// code.
#ifndef SOFTLBR_TOOLCHAIN_SYMBOLS_RANGE_PARTS_H_
#define SOFTLBR_TOOLCHAIN_SYMBOLS_RANGE_PARTS_H_

#include <cstdint>
#include <vector>

#include "toolchain/binary/code_walker.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {

// The functions without those inside others: how consumers that work on whole functions (BOLT) divide the code. A label
// or a second entry point inside a function is a part of it.
class OuterFunctions {
 public:
  OuterFunctions() = default;
  // `symbols` must outlive the object.
  explicit OuterFunctions(const SymbolTable& symbols);
  // nullptr for an address outside every function.
  const FunctionSymbol* Find(uint64_t address) const;
  // True if the functions at the ends differ, or a function begins in between.
  bool AreSeveral(uint64_t first, uint64_t last) const;

 private:
  std::vector<const FunctionSymbol*> functions_;  // by start; none begins before the end of the one before
};

// The same for the innermost functions.
bool AreSeveral(const SymbolTable& symbols, uint64_t first, uint64_t last);

struct RangePart {
  const FunctionSymbol* function = nullptr;  // nullptr: code without a symbol
  uint64_t first = 0;
  uint64_t last = 0;  // the address of the last instruction
  uint64_t instructions = 0;
};

// In order of address. `Functions` is a SymbolTable (the innermost functions) or OuterFunctions. Empty unless the walk
// of the range is kOk.
template <typename Functions>
std::vector<RangePart> RangeParts(const Functions& functions, CodeWalker* walker, uint64_t first, uint64_t last) {
  std::vector<RangePart> parts;
  std::vector<uint64_t> addresses;
  if (walker->Walk(first, last, &addresses).result != WalkResult::kOk) return parts;
  for (const uint64_t address : addresses) {
    const FunctionSymbol* function = functions.Find(address);
    if (parts.empty() || parts.back().function != function) parts.push_back({function, address, address, 0});
    parts.back().last = address;
    ++parts.back().instructions;
  }
  return parts;
}

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_SYMBOLS_RANGE_PARTS_H_
