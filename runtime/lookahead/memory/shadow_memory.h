// Loads and stores of the shadow program.
//
// Context: handler. A load asks the store buffer, then the program's memory; a store goes to the store buffer alone.
// Both first make sure that the page can be read: the path ends where the program would fault. Pages that are special
// (page_cache.h) are neither read nor believed: their bytes are UNKNOWN, also after a store.
// A page without a mark (page_cache.h) has nothing of the shadow program on it: what memory holds there counts.
// What this does not see: one memory mapped at two addresses; stores to pages that can be read but not written.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_SHADOW_MEMORY_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_SHADOW_MEMORY_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/config.h"
#include "runtime/lookahead/memory/guarded_read.h"
#include "runtime/lookahead/memory/page_cache.h"
#include "runtime/lookahead/memory/store_buffer.h"
#include "runtime/lookahead/values/value.h"

namespace softlbr {

// What became of one uop.
enum class UopResult : uint8_t {
  kOk = 0,
  kUnreadable = 1,  // it touches a page that cannot be read
  kTrap = 2,        // it is known to fault (division)
};

// Memory as the shadow program sees it: the program's own below what it has stored itself.
struct ShadowMemory {
  StoreBuffer stores;
  PageCache pages;        // pages.special: set it after initialisation
  uint64_t address_mask;  // A64 ignores the top byte of a data address
  uint64_t dead_begin;    // [dead_begin, dead_end): below the stack pointer at adoption, if our own handler runs there:
  uint64_t dead_end;      //   bytes the shadow program did not store there are UNKNOWN. Empty on an alternate stack.
  uint64_t pinned_begin;  // [pinned_begin, pinned_end): where eight bytes begin that nobody unmaps, which need no guard
  uint64_t pinned_end;
  bool is_guarded;  // other threads may unmap what is read: set it before AdoptTrueState (guarded_read.h)
  GuardLines guarded;
};

// The read itself is made with the tag, which may be checked; CPUs that know no tags fault on one (A64 code on another host).
inline constexpr bool kReadsWithTag = SOFTLBR_CPU_CHECKS_TAGS != 0;

// `width` bytes (1, 2, 4, 8) of the program's memory by one plain read; the caller has made sure that none faults. Bits beyond
// are unspecified.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE uint64_t ReadProgramMemory(uint64_t address, uint32_t width) {
  const void* pointer = reinterpret_cast<const void*>(address);
  uint64_t value = 0;
  switch (width) {
    case 1: {
      uint8_t narrow;
      __builtin_memcpy(&narrow, pointer, sizeof(narrow));
      value = narrow;
      break;
    }
    case 2: {
      uint16_t narrow;
      __builtin_memcpy(&narrow, pointer, sizeof(narrow));
      value = narrow;
      break;
    }
    case 4: {
      uint32_t narrow;
      __builtin_memcpy(&narrow, pointer, sizeof(narrow));
      value = narrow;
      break;
    }
    default: __builtin_memcpy(&value, pointer, sizeof(value)); break;
  }
  asm("" : "+r"(value));  // other threads write there: the compiler must not read again
  return value;
}

// The load that most loads are: `width` bytes (1..8) of a page remembered as readable and unmarked. False: ask LoadMemory.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool LoadPlain(const ShadowMemory& memory, uint64_t address, uint32_t width,
                                                          uint64_t* bits) {
  const uint64_t place = address & memory.address_mask;
  if (SOFTLBR_UNLIKELY(!IsKnownUnmarked(memory.pages, place))) return false;
  // Eight bytes are read whatever the width, but where a tag is checked, each 16 bytes may have another.
  if ((place & (kProbePageBytes - 1)) > kProbePageBytes - 8) return false;
  *bits = kReadsWithTag ? ReadProgramMemory(address, width) : ReadProgramMemory(place, 8);
  return true;
}

// Addresses are as the program has them: the tag of a tagged pointer does not count for what lies there, but the access
// itself is made with it (memory tagging).
// width 1, 2, 4, 8. *out is UNKNOWN where it cannot be known. kUnreadable: *out untouched.
SOFTLBR_HANDLER_SAFE UopResult LoadMemory(ShadowMemory* memory, uint64_t address, uint32_t width, Value* out);
// width 1..8.
SOFTLBR_HANDLER_SAFE UopResult StoreMemory(ShadowMemory* memory, uint64_t address, uint32_t width, Value value);

// `bytes` bytes from address become `value`, or UNKNOWN; the caller has probed the pages.
SOFTLBR_HANDLER_SAFE void StoreRange(ShadowMemory* memory, uint64_t address, uint64_t bytes, uint8_t value, bool is_known);
// Any byte of memory may have been stored to.
SOFTLBR_HANDLER_SAFE void PoisonMemory(ShadowMemory* memory);

// State of all pages of [address, address + bytes), the worst of them; at most kMaxProbedPages of them and the last are asked.
SOFTLBR_HANDLER_SAFE PageState ProbePages(ShadowMemory* memory, uint64_t address, uint64_t bytes);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_SHADOW_MEMORY_H_
