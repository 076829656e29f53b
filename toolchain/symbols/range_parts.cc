#include "toolchain/symbols/range_parts.h"

#include <algorithm>

namespace softlbr::toolchain {
namespace {

bool StartsAfter(uint64_t address, const FunctionSymbol* function) { return address < function->start; }
bool StartsLater(uint64_t address, const FunctionSymbol& function) { return address < function.start; }

}  // namespace

OuterFunctions::OuterFunctions(const SymbolTable& symbols) {
  for (const FunctionSymbol& function : symbols.functions()) {
    if (functions_.empty() || function.start >= functions_.back()->end) functions_.push_back(&function);
  }
}

const FunctionSymbol* OuterFunctions::Find(uint64_t address) const {
  const auto next = std::upper_bound(functions_.begin(), functions_.end(), address, StartsAfter);
  return next != functions_.begin() && address < (*std::prev(next))->end ? *std::prev(next) : nullptr;
}

bool OuterFunctions::AreSeveral(uint64_t first, uint64_t last) const {
  return Find(first) != Find(last) || std::upper_bound(functions_.begin(), functions_.end(), first, StartsAfter) !=
                                          std::upper_bound(functions_.begin(), functions_.end(), last, StartsAfter);
}

bool AreSeveral(const SymbolTable& symbols, uint64_t first, uint64_t last) {
  const std::vector<FunctionSymbol>& all = symbols.functions();
  return symbols.Find(first) != symbols.Find(last) || std::upper_bound(all.begin(), all.end(), first, StartsLater) !=
                                                          std::upper_bound(all.begin(), all.end(), last, StartsLater);
}

}  // namespace softlbr::toolchain
