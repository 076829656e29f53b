// Loads and stores of the shadow program.
//
// Context: handler. A load reads the store buffer, then the program's memory; a store goes to the store buffer alone.
// Both first check that the page can be read: the path ends where the program would fault. Special pages (page_cache.h)
// are never read; their bytes are UNKNOWN, also after a store.
// On a page without a mark (page_cache.h) the shadow program has stored nothing, so a plain read of memory is exact.
// Memory that is mapped at two addresses: a store to either ends the path, once the control thread has listed them.
// Not detected: stores to pages that are readable but not writable.
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_SHADOW_MEMORY_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_SHADOW_MEMORY_H_

#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "runtime/lookahead/memory/guarded_read.h"
#include "runtime/lookahead/memory/page_cache.h"
#include "runtime/lookahead/memory/store_buffer.h"
#include "runtime/lookahead/values/value.h"

namespace softlbr {

// Result of one uop.
enum class UopResult : uint8_t {
  kOk = 0,
  kUnreadable = 1,  // it touches a page that cannot be read, or stores to memory that is also mapped at another address
  kTrap = 2,        // it is known to fault (division)
};

// Memory as the shadow program sees it: its own stores over the program's memory.
struct ShadowMemory {
  uint64_t address_mask;  // A64 ignores the top byte of a data address
  // [dead_begin, dead_end): dead stack that our handler runs on. Bytes there that the shadow program has
  uint64_t dead_begin;
  uint64_t dead_end;  //   not stored are UNKNOWN. Empty if the handler runs on an alternate stack.
  // [pinned_begin, pinned_end): start addresses of 8-byte reads in pinned memory, which need no guard
  uint64_t pinned_begin;
  uint64_t pinned_end;
  bool is_guarded;  // guarded reads (guarded_read.h). Set it before AdoptTrueState
  PageCache pages;  // pages.special: set it after initialisation
  StoreBuffer stores;
  GuardLines* guarded;  // may be null
};

// Reads keep the address tag, as the CPU may check it. A CPU without tags would fault on one (when it evaluates A64
// code in a test), so there the tag is removed.
inline constexpr bool kReadsWithTag = SOFTLBR_CPU_CHECKS_TAGS != 0;

// Reads `width` bytes (1, 2, 4, 8) of the program's memory by one plain read; the caller has checked that it does not
// fault. Bits beyond `width` bytes are unspecified.
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
  asm("" : "+r"(value));  // other threads may write there: the compiler must not read again
  return value;
}

// The fast path of most loads: `width` bytes (1..8) of a page remembered as readable and unmarked. False: call
// LoadMemory.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool LoadPlain(const ShadowMemory& memory, uint64_t address, uint32_t width,
                                                          uint64_t* bits) {
  const uint64_t place = address & memory.address_mask;
  if (SOFTLBR_UNLIKELY(!IsKnownUnmarked(memory.pages, place))) return false;
  // Eight bytes are read for any width, except where the CPU checks tags: every 16 bytes may have a different tag.
  if ((place & (kProbePageBytes - 1)) > kProbePageBytes - 8) return false;
  *bits = kReadsWithTag ? ReadProgramMemory(address, width) : ReadProgramMemory(place, 8);
  return true;
}

// Addresses may be tagged, as in the program. The tag is ignored for look-ups but kept for the access itself (memory
// tagging). width 1, 2, 4, 8. kUnreadable: *out is untouched.
SOFTLBR_HANDLER_SAFE UopResult LoadMemory(ShadowMemory* memory, uint64_t address, uint32_t width, Value* out);
// width 1..8.
SOFTLBR_HANDLER_SAFE UopResult StoreMemory(ShadowMemory* memory, uint64_t address, uint32_t width, Value value);

// Guarded memory: reads a byte at `place` through the kernel instead of probing the page. This shows whether the page
// can be read, and leaves the line in the cache. Does nothing if the page is remembered; in all other cases the probe
// decides.
SOFTLBR_HANDLER_SAFE void RememberPageByReading(ShadowMemory* memory, uint64_t place);

// Sets `bytes` bytes from address on to `value`, or to UNKNOWN; the caller has probed the pages.
SOFTLBR_HANDLER_SAFE void StoreRange(ShadowMemory* memory, uint64_t address, uint64_t bytes, uint8_t value,
                                     bool is_known);
// All memory becomes UNKNOWN, because any byte may have been stored to.
SOFTLBR_HANDLER_SAFE void PoisonMemory(ShadowMemory* memory);

// True if the shadow program has stored to one of the bytes of [address, address + bytes), which must not be empty.
SOFTLBR_HANDLER_SAFE bool HasStored(const ShadowMemory& memory, uint64_t address, uint64_t bytes);

// The worst state of the pages of [address, address + bytes): kUnreadable, else the highest. Probes the last page and
// at most kMaxProbedPages from the first on.
SOFTLBR_HANDLER_SAFE PageState ProbePages(ShadowMemory* memory, uint64_t address, uint64_t bytes);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_MEMORY_SHADOW_MEMORY_H_
