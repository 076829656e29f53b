// Runs single uops and small blocks on an Evaluator, for the tests of this folder.
#ifndef SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_UOP_HARNESS_H_
#define SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_UOP_HARNESS_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>

#include "decoders/api/ir.h"
#include "platform/base/elf_machine.h"
#include "runtime/lookahead/evaluator.h"
#include "tests/fake/safe_read_fake.h"

namespace softlbr::lookahead_test {

inline constexpr uint64_t kBlockPc = 0x401000;

inline constexpr uint32_t kSet = SOFTLBR_UOP_SET_FLAGS;
// Register slots that the tests use.
inline constexpr uint16_t kA = SOFTLBR_REG_GENERAL + 1;
inline constexpr uint16_t kB = SOFTLBR_REG_GENERAL + 2;
inline constexpr uint16_t kC = SOFTLBR_REG_GENERAL + 3;
inline constexpr uint16_t kD = SOFTLBR_REG_GENERAL + 4;
inline constexpr uint16_t kVA = SOFTLBR_REG_VECTOR + 8;
inline constexpr uint16_t kVB = SOFTLBR_REG_VECTOR + 16;
inline constexpr uint16_t kVC = SOFTLBR_REG_VECTOR + 24;
inline constexpr uint16_t kVD = SOFTLBR_REG_VECTOR + 32;

using Random = std::mt19937_64;

// Sanitized builds run fewer random rounds.
#ifndef SOFTLBR_TEST_IS_SLOW
#define SOFTLBR_TEST_IS_SLOW 0
#endif
inline constexpr int Rounds(int rounds) { return SOFTLBR_TEST_IS_SLOW != 0 ? rounds / 10 : rounds; }

// A random value of the kinds that find bugs: small, near the limits of a width, few bits, any bits.
inline uint64_t InterestingBits(Random& random) {
  switch (random() % 8) {
    case 0: return random() % 5;
    case 1: return ~uint64_t{0} - random() % 5;
    case 2: return (uint64_t{1} << (random() % 64)) - random() % 3;
    case 3: return uint64_t{1} << (random() % 64);
    case 4: return (random() % 256) * 0x0101010101010101u;
    case 5: return random() % 300;
    case 6: {
      uint64_t bits = 0;  // bytes of 0, 1, 0x7f, 0x80, 0xff
      constexpr uint8_t kBytes[5] = {0, 1, 0x7f, 0x80, 0xff};
      for (int i = 0; i < 8; ++i) bits = bits << 8 | kBytes[random() % 5];
      return bits;
    }
    default: return random();
  }
}

inline uint8_t RandomKnown(Random& random) {
  switch (random() % 4) {
    case 0: return 0xff;
    case 1: return static_cast<uint8_t>(random());
    case 2: return static_cast<uint8_t>(0xff << (random() % 8));
    default: return static_cast<uint8_t>(~(1u << (random() % 8)));
  }
}

inline constexpr const char* kOpNames[] = {
#define SOFTLBR_OP_ROW(name, value, family, operands, flags, text) #name,
#include "decoders/api/ops.def"
};

// The name of an op for messages; "no op" if there is none.
inline const char* OpName(uint32_t op) { return op <= SOFTLBR_OP_MAX_VALUE ? kOpNames[op] : "no op"; }

inline softlbr_uop MakeUop(uint32_t op, uint32_t width, uint16_t dst, uint16_t a = 0, uint16_t b = 0,
                           uint32_t flags = 0, int32_t imm = 0, uint32_t aux = 0) {
  softlbr_uop uop = {};
  uop.op = static_cast<uint16_t>(op);
  uop.width = static_cast<uint8_t>(width);
  uop.aux = static_cast<uint8_t>(aux);
  uop.dst = dst;
  uop.a = a;
  uop.b = b;
  uop.flags = static_cast<uint16_t>(flags);
  uop.imm = imm;
  return uop;
}

// Makes blocks of 4-byte instructions; end() is the terminator.
class BlockMaker {
 public:
  explicit BlockMaker(uint64_t pc = kBlockPc) {
    std::memset(&block_, 0, sizeof(block_));
    block_.pc = pc;
  }
  BlockMaker& Add(const softlbr_uop& uop) { return AddInstruction({uop}); }
  BlockMaker& AddInstruction(std::initializer_list<softlbr_uop> uops) {
    for (const softlbr_uop& uop : uops) block_.uops[block_.uop_count++] = uop;
    block_.length[block_.instruction_count] = 4;
    block_.uops_of[block_.instruction_count++] = static_cast<uint8_t>(uops.size());
    block_.byte_length += 4;
    return *this;
  }
  softlbr_terminator& end() { return block_.end; }
  const softlbr_block& block() const { return block_; }

 private:
  softlbr_block block_;
};

class UopRunner {
 public:
  explicit UopRunner(uint16_t machine = kMachineX86_64, ResolvePolicy policy = ResolvePolicy::kLookahead)
      : evaluator_(std::make_unique<Evaluator>()) {
    InitEvaluator(evaluator_.get(), policy, machine);
    MakeAllKnown();
    Adopt();
  }
  Evaluator& evaluator() { return *evaluator_; }
  MachineContext& context() { return evaluator_->context; }

  void MakeAllKnown() {
    for (uint32_t i = 0; i < kRegisterSlotCount; ++i) {
      context().regs[i] = 0;
      context().known[i] = 0xff;
    }
    context().rounding_is_default = true;
    context().sp = 0;
    SetFlags(0, SOFTLBR_FLAG_ALL);
  }
  void Adopt() { AdoptTrueState(evaluator_.get()); }
  void Set(uint16_t slot, uint64_t bits, uint8_t known = 0xff) {
    context().regs[slot] = bits;
    context().known[slot] = known;
  }
  uint64_t Get(uint16_t slot) { return context().regs[slot]; }
  uint8_t Known(uint16_t slot) { return context().known[slot]; }
  void SetFlags(uint8_t packed, uint8_t known = SOFTLBR_FLAG_ALL) {
    context().flags = packed & known;
    context().flags_known = known;
    SetExplicitFlags(&evaluator_->lazy, packed & known, known);
  }
  uint8_t Flags() {
    SettleContext(evaluator_.get());
    return context().flags;
  }
  uint8_t FlagsKnown() {
    SettleContext(evaluator_.get());
    return context().flags_known;
  }
  BlockExit Run(const softlbr_uop& uop) { return Run(BlockMaker().Add(uop).block()); }
  BlockExit Run(const softlbr_block& block, uint32_t first = 0) {
    return RunBlock(evaluator_.get(), ViewOf(block), first);
  }

 private:
  std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace softlbr::lookahead_test

#endif  // SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_UOP_HARNESS_H_
