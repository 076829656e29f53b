// Contract: state_check.h.
#include "tests/paths/state_check.h"

#include <bit>
#include <cstdio>

#include "platform/base/elf_machine.h"
#include "platform/base/registers_aarch64.h"
#include "platform/base/registers_x86_64.h"

namespace softlbr::paths {
namespace {

// Sticky exception flags of MXCSR are side effects of every floating-point instruction; the evaluator does not compute
// them.
constexpr uint64_t kStickyExceptionBits = 0x3f;

uint64_t BitsOf(uint8_t bytes) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 8; ++i) bits |= (bytes >> i & 1) != 0 ? uint64_t{0xff} << (8 * i) : 0;
  return bits;
}

std::string SlotName(uint32_t slot, bool is_a64) {
  if (is_a64) {
    if (slot >= SOFTLBR_REG_VECTOR) {
      const uint32_t index = slot - SOFTLBR_REG_VECTOR;
      return "v" + std::to_string(index / 8) + ".d[" + std::to_string(index % 8) + "]";
    }
    return slot <= SOFTLBR_A64_X30 ? "x" + std::to_string(slot - SOFTLBR_A64_X0)
                                   : "register slot " + std::to_string(slot);
  }
  static constexpr const char* kGeneral[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
  if (slot >= SOFTLBR_REG_VECTOR) {
    const uint32_t index = slot - SOFTLBR_REG_VECTOR;
    return "zmm" + std::to_string(index / 8) + "[" + std::to_string(index % 8) + "]";
  }
  if (slot >= SOFTLBR_X86_RAX && slot <= SOFTLBR_X86_RDI) return kGeneral[slot - SOFTLBR_X86_RAX];
  if (slot >= SOFTLBR_X86_R8 && slot <= SOFTLBR_X86_R15) return "r" + std::to_string(slot - SOFTLBR_X86_R8 + 8);
  return "register slot " + std::to_string(slot);
}

std::string Difference(const std::string& what, uint64_t predicted, uint64_t truth, uint64_t compared) {
  char text[128];
  std::snprintf(text, sizeof text, ": predicted %016lx, true %016lx, known bits %016lx", predicted, truth, compared);
  return what + text;
}

void CheckStores(const StoreBuffer& stores, const SteppedProgram& program, StateCheck* check) {
  for (const StoreBuffer::Line& line : stores.lines) {
    if (line.generation != stores.generation || line.known == 0) continue;
    uint8_t truth[kStoreLineBytes];
    if (!program.ReadMemory(line.address, truth, sizeof truth)) continue;
    check->bytes_known += static_cast<uint64_t>(std::popcount(line.known));
    for (uint32_t i = 0; i < kStoreLineBytes; ++i) {
      if ((line.known >> i & 1) == 0 || truth[i] == line.bytes[i] || !check->difference.empty()) continue;
      char text[32];
      std::snprintf(text, sizeof text, "memory at %lx", line.address + i);
      check->difference = Difference(text, line.bytes[i], truth[i], 0xff);
    }
  }
}

}  // namespace

StateCheck CheckState(Evaluator* predicted, const MachineContext& truth, const SteppedProgram& program,
                      const softlbr_uop* changed, uint32_t changed_count) {
  StateCheck check;
  SettleContext(predicted);
  const MachineContext& context = predicted->context;
  auto is_changed = [changed, changed_count](uint32_t slot) {
    for (uint32_t i = 0; i < changed_count; ++i) {
      if (changed[i].dst == slot) return true;
    }
    return false;
  };
  const bool is_a64 = predicted->machine == kMachineAarch64;
  const uint32_t general_end = is_a64 ? uint32_t{SOFTLBR_A64_GENERAL_END} : uint32_t{SOFTLBR_X86_GENERAL_END};
  for (uint32_t slot = SOFTLBR_REG_GENERAL; slot < SOFTLBR_REG_VECTOR_TEMP; ++slot) {
    if (slot >= general_end && slot < SOFTLBR_REG_VECTOR) continue;
    const uint8_t known = context.known[slot] & truth.known[slot];
    check.bytes_unknown += static_cast<uint64_t>(std::popcount(static_cast<uint8_t>(truth.known[slot] & ~known)));
    uint64_t compared = BitsOf(known);
    if (!is_a64 && slot == SOFTLBR_X86_MXCSR) compared &= ~kStickyExceptionBits;
    if (is_changed(slot)) continue;
    check.bytes_known += static_cast<uint64_t>(std::popcount(known));
    if (((context.regs[slot] ^ truth.regs[slot]) & compared) == 0 || !check.difference.empty()) continue;
    check.difference = Difference(SlotName(slot, is_a64), context.regs[slot], truth.regs[slot], compared);
  }
  const uint8_t flags = context.flags_known & truth.flags_known;
  if (((context.flags ^ truth.flags) & flags) != 0 && check.difference.empty()) {
    check.difference = Difference("flags", context.flags, truth.flags, flags);
  }
  CheckStores(predicted->memory.stores, program, &check);
  return check;
}

}  // namespace softlbr::paths
