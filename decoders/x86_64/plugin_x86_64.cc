// The plugin table and the lift loop.
//
// lift() decodes instructions and adds terminator or semantics until a terminator, a full block or the window's end. It
// writes only to the caller's block and the stack, so any number of threads may share a handle.
#include "decoders/x86_64/plugin_x86_64.h"

#include "decoders/api/dead_flags.h"
#include "decoders/x86_64/clobber/clobber.h"
#include "decoders/x86_64/clobber/decoder_handle.h"
#include "decoders/x86_64/decode/cpu.h"
#include "decoders/x86_64/lift/lift.h"
#include "decoders/x86_64/lift_instruction.h"
#include "platform/base/elf_machine.h"

namespace softlbr::x86 {
namespace {

// Measured by tests/decoders/plugin_x86_64_test.cc. Capstone needs nearly all of both.
#if SOFTLBR_DECODER_CAPSTONE
constexpr uint32_t kArenaBytes = 24576;
constexpr uint32_t kStackBytes = 7680;
#else
constexpr uint32_t kArenaBytes = 64;
constexpr uint32_t kStackBytes = 1024;
#endif

// The plugin's own variants are CpuBits, shifted above the values defined for every plugin.
constexpr uint32_t kCpuShift = 8;
static_assert(SOFTLBR_X86_64_INTEL == kIntel << kCpuShift && SOFTLBR_X86_64_AMD == kAmd << kCpuShift &&
                  SOFTLBR_X86_64_TZCNT == kTzcnt << kCpuShift &&
                  SOFTLBR_X86_64_TZCNT_IS_BSF == kTzcntIsBsf << kCpuShift &&
                  SOFTLBR_X86_64_LZCNT == kLzcnt << kCpuShift &&
                  SOFTLBR_X86_64_LZCNT_IS_BSR == kLzcntIsBsr << kCpuShift,
              "plugin_x86_64.h shows decode/cpu.h to the plugin's users: keep them alike");
constexpr uint32_t kAllCpuBits = 0x3f;
constexpr uint32_t kFirstOfPairs = kIntel | kTzcnt | kLzcnt;

// False if this plugin has no such variant.
bool CpuOf(uint32_t variant, uint8_t* cpu) {
  if (variant == SOFTLBR_DECODER_VARIANT_HOST) {
    *cpu = HostCpu();
    return true;
  }
  const uint32_t bits = variant >> kCpuShift;
  *cpu = static_cast<uint8_t>(bits);
  const bool has_both_of_a_pair = (bits & bits >> 1 & kFirstOfPairs) != 0;
  return (bits & ~kAllCpuBits) == 0 && variant == bits << kCpuShift && !has_both_of_a_pair;
}

softlbr_decoder_result Open(void* arena, size_t arena_bytes, uint32_t variant, softlbr_decoder** out) {
  uint8_t cpu = kUnknownCpu;
  if (arena == nullptr || out == nullptr || arena_bytes < kArenaBytes || reinterpret_cast<uintptr_t>(arena) % 64 != 0 ||
      !CpuOf(variant, &cpu))
    return SOFTLBR_DECODER_BAD_ARGUMENT;
  if (!OpenCapstone(arena, arena_bytes, out)) return SOFTLBR_DECODER_FAILED;
  (*out)->cpu = cpu;
  return SOFTLBR_DECODER_OK;
}

// All memory is in the arena, and there are no other resources.
void Close(softlbr_decoder*) {}

softlbr_terminator Cut(uint8_t kind, uint8_t flags) {
  softlbr_terminator end{};
  end.kind = kind;
  end.flags = flags;
  return end;
}

SOFTLBR_HANDLER_SAFE softlbr_decoder_result Lift(softlbr_decoder* decoder, const uint8_t* code, size_t size,
                                                 uint64_t pc, softlbr_block* block) {
  if (decoder == nullptr || block == nullptr || (code == nullptr && size != 0)) return SOFTLBR_DECODER_BAD_ARGUMENT;
  BlockBuilder out(block, pc);
  Instruction in;
  for (;;) {  // at most SOFTLBR_BLOCK_MAX_INSTRUCTIONS rounds
    const uint32_t offset = out.offset();
    const DecodeResult result = Decode(code + offset, size - offset, decoder->cpu, &in);
    if (result != DecodeResult::kOk) {
      const bool is_cut = result == DecodeResult::kTruncated;
      const bool has_any = block->instruction_count != 0;
      block->end = Cut(is_cut && has_any ? SOFTLBR_END_FALLTHROUGH : SOFTLBR_END_UNDECODABLE,
                       is_cut ? SOFTLBR_END_FLAG_CUT_BY_WINDOW : 0);
      break;
    }
    if (!out.Begin(in.length)) {
      block->end = Cut(SOFTLBR_END_FALLTHROUGH, 0);
      break;
    }
    if (LiftBranch(in, &out)) {
      if (!out.End()) block->end = Cut(SOFTLBR_END_FALLTHROUGH, 0);
      break;
    }
    if (!LiftInstruction(in, code + offset, decoder, &out)) {
      block->end = Cut(SOFTLBR_END_UNDECODABLE, 0);
      break;
    }
    if (!out.End()) {
      block->end = Cut(SOFTLBR_END_FALLTHROUGH, 0);
      break;
    }
  }
  decoder::RemoveDeadFlags(block);
  return SOFTLBR_DECODER_OK;
}

SOFTLBR_HANDLER_SAFE uint32_t InstructionLength(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t) {
  Instruction in;
  return Decode(code, size, decoder->cpu, &in) == DecodeResult::kOk ? in.length : 0;
}

constexpr softlbr_decoder_plugin kPlugin = {
    SOFTLBR_DECODER_ABI_VERSION,
    sizeof(softlbr_decoder_plugin),
    kMachineX86_64,
    SOFTLBR_X86_RSP,
    SOFTLBR_DECODER_BRANCHES | SOFTLBR_DECODER_SEMANTICS,
    "x86_64",
    kArenaBytes,
    kStackBytes,
    kMaxInstructionBytes,
    1,
    Open,
    Close,
    Lift,
    InstructionLength,
};

}  // namespace
}  // namespace softlbr::x86

extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void) { return &softlbr::x86::kPlugin; }
