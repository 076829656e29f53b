// The plugin table and the lift loop.
//
// lift() lifts word by word until a terminator, a full block or the window's end. It has no state: the handle exists
// only because the ABI requires one, and any number of threads may share it. Dead flags are not removed: only some A64
// instructions set flags, and compilers use them where the flags are read.
#include "decoders/aarch64/plugin_aarch64.h"

#include "decoders/aarch64/lift/lift_aarch64.h"
#include "platform/base/elf_machine.h"

struct softlbr_decoder {
  uint64_t unused;
};

namespace softlbr::a64 {
namespace {

constexpr uint32_t kArenaBytes = 64;
constexpr uint32_t kStackBytes = 768;  // measured by tests/decoders/aarch64/plugin_aarch64_test.cc

// There are no variants: lifting is the same for all processors.
softlbr_decoder_result Open(void* arena, size_t arena_bytes, uint32_t variant, softlbr_decoder** out) {
  if (arena == nullptr || out == nullptr || arena_bytes < kArenaBytes || reinterpret_cast<uintptr_t>(arena) % 64 != 0 ||
      variant > SOFTLBR_DECODER_VARIANT_HOST)
    return SOFTLBR_DECODER_BAD_ARGUMENT;
  *out = static_cast<softlbr_decoder*>(arena);
  (*out)->unused = 0;
  return SOFTLBR_DECODER_OK;
}

void Close(softlbr_decoder*) {}

// Code is little-endian, regardless of the data endianness.
uint32_t WordAt(const uint8_t* code) {
  return uint32_t{code[0]} | uint32_t{code[1]} << 8 | uint32_t{code[2]} << 16 | uint32_t{code[3]} << 24;
}

void Cut(uint8_t kind, uint32_t flags, softlbr_block* block) {
  block->end = softlbr_terminator{};
  block->end.kind = kind;
  block->end.flags = static_cast<uint8_t>(flags);
}

SOFTLBR_HANDLER_SAFE softlbr_decoder_result Lift(softlbr_decoder* decoder, const uint8_t* code, size_t size,
                                                 uint64_t pc, softlbr_block* block) {
  if (decoder == nullptr || block == nullptr || (code == nullptr && size != 0)) return SOFTLBR_DECODER_BAD_ARGUMENT;
  BlockBuilder out(block, pc);
  uint32_t exclusive = 0;  // SOFTLBR_END_FLAG_EXCLUSIVE_OPEN, _CLOSED, or 0: unchanged by this block
  for (;;) {               // at most SOFTLBR_BLOCK_MAX_INSTRUCTIONS rounds
    const uint32_t offset = out.offset();
    if (size - offset < kWordBytes) {
      Cut(block->instruction_count != 0 ? SOFTLBR_END_FALLTHROUGH : SOFTLBR_END_UNDECODABLE,
          exclusive | SOFTLBR_END_FLAG_CUT_BY_WINDOW, block);
      break;
    }
    if (SOFTLBR_UNLIKELY(pc % kWordBytes != 0)) {
      Cut(SOFTLBR_END_UNDECODABLE, 0, block);
      break;
    }
    if (!out.Begin(kWordBytes)) {
      Cut(SOFTLBR_END_FALLTHROUGH, exclusive, block);
      break;
    }
    const Lifted lifted = LiftWord(WordAt(code + offset), &out);
    if (lifted == Lifted::kUnallocated) {
      Cut(SOFTLBR_END_UNDECODABLE, exclusive, block);
      break;
    }
    if (!out.End()) {  // dropped: its uops did not fit
      Cut(SOFTLBR_END_FALLTHROUGH, exclusive, block);
      break;
    }
    if (lifted == Lifted::kEnd) {
      // The kernel closes the exclusive on its return.
      if (block->end.kind == SOFTLBR_END_SYSCALL) exclusive = SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED;
      block->end.flags = static_cast<uint8_t>(exclusive);
      break;
    }
    if (lifted == Lifted::kOpensExclusive) exclusive = SOFTLBR_END_FLAG_EXCLUSIVE_OPEN;
    if (lifted == Lifted::kClosesExclusive) exclusive = SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED;
  }
  return SOFTLBR_DECODER_OK;
}

// Never written: InstructionLength uses it to ask whether a word is an instruction without storing uops.
constexpr softlbr_block kFullBlock = {0, 0, 0, SOFTLBR_BLOCK_MAX_UOPS + 1, {}, {}, {}, {}};

SOFTLBR_HANDLER_SAFE uint32_t InstructionLength(softlbr_decoder*, const uint8_t* code, size_t size, uint64_t pc) {
  if (size < kWordBytes || pc % kWordBytes != 0) return 0;
  BlockBuilder out(kFullBlock);
  (void)out.Begin(kWordBytes);
  return LiftWord(WordAt(code), &out) == Lifted::kUnallocated ? 0 : kWordBytes;
}

constexpr softlbr_decoder_plugin kPlugin = {
    SOFTLBR_DECODER_ABI_VERSION,
    sizeof(softlbr_decoder_plugin),
    kMachineAarch64,
    SOFTLBR_A64_SP,
    SOFTLBR_DECODER_BRANCHES | SOFTLBR_DECODER_SEMANTICS,
    "aarch64",
    kArenaBytes,
    kStackBytes,
    kWordBytes,
    kWordBytes,
    Open,
    Close,
    Lift,
    InstructionLength,
};

}  // namespace
}  // namespace softlbr::a64

extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_aarch64(void) { return &softlbr::a64::kPlugin; }
