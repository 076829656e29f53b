#include "runtime/trace/restartable.h"

#include "platform/base/elf_machine.h"
#include "platform/base/registers_aarch64.h"
#include "platform/base/registers_x86_64.h"
#include "platform/rseq.h"
#include "platform/safe_read.h"
#include "runtime/blocks/lifter.h"
#include "runtime/lookahead/memory/shadow_memory.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

constexpr uint16_t kThreadPointerX86_64 = SOFTLBR_X86_FS_BASE;
constexpr uint16_t kThreadPointerAarch64 = SOFTLBR_A64_TPIDR;

// Used as the range of an exclusive region, because its end is not known beforehand.
constexpr AddressRange kUntilClosed = {0, ~uint64_t{0}};

bool IsIn(AddressRange range, uint64_t pc) { return pc - range.begin < range.end - range.begin; }

// Reads the critical section that the thread's rseq area points to, as the shadow program sees it.
bool ReadOwnCriticalSection(Evaluator* evaluator, AddressRange* section) {
  int64_t distance = 0;
  if (!platform::FindRseqPointer(&distance)) return false;
  const uint16_t slot = evaluator->machine == kMachineX86_64 ? kThreadPointerX86_64 : kThreadPointerAarch64;
  const MachineContext& context = evaluator->context;
  Value pointer{};
  platform::RseqDescriptor descriptor;
  if (context.known[slot] != kAllKnown ||
      LoadMemory(&evaluator->memory, context.regs[slot] + static_cast<uint64_t>(distance), 8, &pointer) !=
          UopResult::kOk ||
      pointer.known != kAllKnown || pointer.bits == 0 ||
      platform::CopyFrom(pointer.bits, &descriptor, sizeof descriptor) != Status::kOk ||
      descriptor.length > kMaxCriticalSectionBytes) {
    return false;
  }
  *section = AddressRange{descriptor.start_pc, descriptor.start_pc + descriptor.length};
  return true;
}

}  // namespace

bool FindCriticalSection(const CodeMap& map, const LearnedPcs& learned, ScratchState* scratch, uint64_t pc,
                         AddressRange* section) {
  if (scratch->evaluator.exclusive_left != 0) {
    *section = kUntilClosed;
    return true;
  }
  const AddressRange* listed = FindRange(map.critical_sections, map.critical_section_count, pc);
  if (listed != nullptr) {
    *section = *listed;
    return true;
  }
  if (ReadOwnCriticalSection(&scratch->evaluator, section) && IsIn(*section, pc)) return true;
  *section = AddressRange{0, 0};
  for (const std::atomic<uint64_t>& known : learned.pcs) {
    if (known.load(std::memory_order_relaxed) == pc) return true;
  }
  return false;
}

uint64_t FindCriticalSectionExit(const softlbr_decoder_plugin& plugin, softlbr_decoder* decoder, ScratchState* scratch,
                                 AddressRange section, uint64_t from) {
  uint64_t starts[kMaxCriticalSectionBlocks];  // of blocks inside; an initialiser would be a call of memset
  starts[0] = from;
  uint32_t count = 1;
  uint64_t exit_pc = 0;
  const auto visit = [&](uint64_t pc) {
    if (!IsIn(section, pc)) {
      if (exit_pc == 0 || pc == section.end) exit_pc = pc;
      return;
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (starts[i] == pc) return;
    }
    if (count < kMaxCriticalSectionBlocks) starts[count++] = pc;
  };
  for (uint32_t i = 0; i < count; ++i) {
    if (LiftBlock(plugin, decoder, scratch, starts[i]) != AbortReason::kNone) continue;
    const softlbr_block& block = scratch->block;
    const softlbr_terminator& end = block.end;
    uint64_t pc = starts[i];
    uint32_t k = 0;
    for (; k < block.instruction_count && pc != section.end; ++k) pc += block.length[k];
    if (k < block.instruction_count) {  // the block continues after the section's end
      visit(pc);
      continue;
    }
    if (section.begin == kUntilClosed.begin && (end.flags & SOFTLBR_END_FLAG_EXCLUSIVE_CLOSED) != 0) {
      return pc - block.length[block.instruction_count - 1];
    }
    // Calls, returns, indirect jumps and traps are not followed: critical sections must not contain them.
    const bool is_direct = end.base == SOFTLBR_REG_BLOCK && end.index == SOFTLBR_REG_ZERO && end.load_bytes == 0;
    if (end.kind == SOFTLBR_END_CONDITIONAL || end.kind == SOFTLBR_END_FALLTHROUGH) visit(pc);
    if (is_direct && (end.kind == SOFTLBR_END_CONDITIONAL || end.kind == SOFTLBR_END_JUMP)) {
      visit(block.pc + static_cast<uint64_t>(end.disp));
    }
  }
  return exit_pc;
}

bool LearnFromAbort(LearnedPcs* learned, uint64_t armed_pc, uint64_t pc) {
  uint32_t signature = 0;
  if (platform::CopyFrom(pc - sizeof signature, &signature, sizeof signature) != Status::kOk ||
      signature != platform::kRseqSignature) {
    return false;
  }
  const uint32_t index = learned->next.fetch_add(1, std::memory_order_relaxed) % kLearnedPcs;
  learned->pcs[index].store(armed_pc, std::memory_order_relaxed);
  return true;
}

}  // namespace softlbr
