// Loads and stores of the shadow program.
//
// Context: handler. A load asks the store buffer, then the program's memory; a store goes to the store buffer alone.
// Both first make sure that the page can be read: the path ends where the program would fault. Pages that are special
// (page_cache.h) are neither read nor believed: their bytes are UNKNOWN, also after a store.
// What this does not see: one memory mapped at two addresses; stores to pages that can be read but not written.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_H_

#include <cstdint>

#include "runtime/lookahead/evaluator.h"
#include "runtime/lookahead/value.h"

namespace softlbr {

// What became of one uop.
enum class UopResult : uint8_t {
  kOk = 0,
  kUnreadable = 1,  // it touches a page that cannot be read
  kTrap = 2,        // it is known to fault (division)
};

// Address of a memory uop: a + (b << aux) + imm.
struct Address {
  uint64_t value;
  bool is_known;
};
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE Address AddressOf(const Evaluator& evaluator, const softlbr_uop& uop) {
  const MachineContext& context = evaluator.context;
  const uint64_t sum = context.cells[uop.a] + (context.cells[uop.b] << uop.aux) + static_cast<uint64_t>(int64_t{uop.imm});
  return Address{sum, (context.known[uop.a] & context.known[uop.b]) == kAllKnown};
}

// Addresses are as the program has them: the tag of a tagged pointer does not count for what lies there, but the access
// itself is made with it (memory tagging).
// width 1, 2, 4, 8. *out is UNKNOWN where it cannot be known. kUnreadable: *out untouched.
SOFTLBR_HANDLER_SAFE UopResult LoadMemory(Evaluator* evaluator, uint64_t address, uint32_t width, Value* out);
// width 1..8.
SOFTLBR_HANDLER_SAFE UopResult StoreMemory(Evaluator* evaluator, uint64_t address, uint32_t width, Value value);

// State of all pages of [address, address + bytes), the worst of them; at most kMaxProbedPages of them and the last are asked.
inline constexpr uint32_t kMaxProbedPages = 64;
SOFTLBR_HANDLER_SAFE PageState ProbePages(Evaluator* evaluator, uint64_t address, uint64_t bytes);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_H_
