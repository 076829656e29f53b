#include "runtime/blocks/lifter.h"

#include "platform/base/bytes.h"
#include "platform/safe_read.h"
#include "runtime/blocks/block_check.h"
#include "runtime/lookahead/memory/page_cache.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

static_assert(kCodeWindowBytes <= kProbePageBytes, "a window touches two probed pages at most");

// The number of readable bytes from pc on, at most kCodeWindowBytes.
uint64_t CountReadableBytes(PageCache* pages, uint64_t pc) {
  if (LookUpPage(pages, pc) != PageState::kReadable) return 0;
  const uint64_t in_page = kProbePageBytes - pc % kProbePageBytes;
  if (in_page >= kCodeWindowBytes || LookUpPage(pages, pc + in_page) == PageState::kReadable) return kCodeWindowBytes;
  return in_page;
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

AbortReason LiftBlock(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder, ScratchState* scratch, uint64_t pc) {
  ShadowMemory* memory = &scratch->evaluator.memory;
  const uint64_t bytes = CountReadableBytes(&memory->pages, pc);
  if (bytes == 0) return AbortReason::kUnreadableCode;
  if (!memory->is_guarded) {
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
