#include "runtime/blocks/lifter.h"

#include "platform/base/bytes.h"
#include "platform/safe_read.h"
#include "runtime/blocks/block_check.h"
#include "runtime/lookahead/memory/page_cache.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

static_assert(kCodeWindowBytes <= kProbePageBytes, "a window touches two probed pages at most");

// The number of readable bytes from pc on, at most kCodeWindowBytes. Sets *must_guard if some are of a file
// (page_cache.h).
uint64_t CountReadableBytes(PageCache* pages, uint64_t pc, bool* must_guard) {
  const PageState first = LookUpPage(pages, pc);
  if (!CanBeRead(first)) return 0;
  if (MustGuard(first)) *must_guard = true;
  const uint64_t in_page = kProbePageBytes - pc % kProbePageBytes;
  if (in_page >= kCodeWindowBytes) return kCodeWindowBytes;
  const PageState last = LookUpPage(pages, pc + in_page);
  if (MustGuard(last)) *must_guard = true;
  return CanBeRead(last) ? kCodeWindowBytes : in_page;
}

// Copies 16 bytes at a time, then the rest: a window is copied for every block lifted.
void CopyCode(uint8_t* to, const uint8_t* from, uint64_t bytes) {
  struct Chunk {
    uint64_t words[2];
  };
  for (; bytes >= sizeof(Chunk); bytes -= sizeof(Chunk), to += sizeof(Chunk), from += sizeof(Chunk)) {
    StoreUnaligned(to, LoadUnaligned<Chunk>(from));
    asm volatile("" ::: "memory");  // else the compiler would call memcpy
  }
  CopyBytes(to, from, bytes);
}

}  // namespace

AbortReason LiftBlock(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder, ScratchState* scratch,
                      uint64_t pc) {
  ShadowMemory* memory = &scratch->evaluator.memory;
  bool must_guard = memory->is_guarded;
  const uint64_t bytes = CountReadableBytes(&memory->pages, pc, &must_guard);
  if (bytes == 0) return AbortReason::kUnreadableCode;
  if (!must_guard) {
    CopyCode(scratch->code, reinterpret_cast<const uint8_t*>(pc), bytes);
  } else if (platform::CopyFrom(pc, scratch->code, bytes) != Status::kOk) {
    return AbortReason::kUnreadableCode;
  }
  if (plugin.lift(decoder, scratch->code, bytes, pc, &scratch->block) != SOFTLBR_DECODER_OK ||
      !IsBlockWellFormed(scratch->block, pc, static_cast<uint32_t>(bytes))) {
    return AbortReason::kDecoderFailed;
  }
  return scratch->block.instruction_count == 0 ? AbortReason::kUndecodable : AbortReason::kNone;
}

}  // namespace softlbr
