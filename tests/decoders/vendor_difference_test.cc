// Where processors differ (the table in decoders/x86_64/README.md): lifts for each vendor and for an unknown CPU, on
// any machine. The oracle checks that this machine's CPU behaves as lifted (oracle/mutation_test.cc).
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <string>

#include "decoders/x86_64/decode/instruction.h"
#include "runtime/lookahead/evaluator.h"
#include "tests/decoders/plugin_fixture.h"

namespace softlbr {
namespace {

using test::kPc;

constexpr uint16_t kMachineX86_64 = 62;
constexpr uint32_t kIntel = SOFTLBR_X86_64_TODAYS_INTEL;
constexpr uint32_t kAmd = SOFTLBR_X86_64_TODAYS_AMD;
constexpr uint32_t kUnknown = SOFTLBR_DECODER_VARIANT_UNKNOWN;
constexpr uint32_t kAllVariants[] = {kIntel, kAmd, kUnknown};

// The plugin opened for one variant, and a machine state in which everything is known.
class Machine {
 public:
  explicit Machine(uint32_t variant)
      : plugin_(*softlbr_decoder_plugin_x86_64()),
        arena_(std::aligned_alloc(64, (plugin_.arena_bytes + 63) / 64 * 64)),
        evaluator_(std::make_unique<Evaluator>()) {
    EXPECT_EQ(plugin_.open(arena_, plugin_.arena_bytes, variant, &decoder_), SOFTLBR_DECODER_OK);
    InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, kMachineX86_64);
    for (uint32_t i = 0; i < 16; ++i) Set(SOFTLBR_X86_RAX + i, uint64_t{0x11111111111} * i);
    Set(SOFTLBR_X86_RSP, reinterpret_cast<uint64_t>(&stack[4]));
    evaluator_->context.flags = SOFTLBR_FLAG_ALL;
    evaluator_->context.flags_known = SOFTLBR_FLAG_ALL;
    AdoptTrueState(evaluator_.get());
  }
  ~Machine() {
    plugin_.close(decoder_);
    std::free(arena_);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void Set(uint32_t slot, uint64_t value) {
    evaluator_->context.regs[slot] = value;
    evaluator_->context.known[slot] = kAllKnown;
  }
  const softlbr_block& Lift(std::initializer_list<uint8_t> code) {
    const std::vector<uint8_t> bytes(code);
    EXPECT_EQ(plugin_.lift(decoder_, bytes.data(), bytes.size(), kPc, &block), SOFTLBR_DECODER_OK);
    return block;
  }
  BlockExit Run(std::initializer_list<uint8_t> code) {
    Lift(code);
    EXPECT_EQ(block.byte_length, code.size());
    const BlockExit exit = RunBlock(evaluator_.get(), ViewOf(block), 0);
    SettleContext(evaluator_.get());
    return exit;
  }
  uint32_t Length(std::initializer_list<uint8_t> code) {
    uint8_t window[32] = {};  // long enough for the fast path of decode.cc
    std::copy(code.begin(), code.end(), window);
    const uint32_t length = plugin_.instruction_length(decoder_, window, sizeof(window), kPc);
    EXPECT_EQ(plugin_.instruction_length(decoder_, window, 15, kPc), length);
    return length;
  }
  bool IsKnown(uint32_t slot) const { return evaluator_->context.known[slot] == kAllKnown; }
  uint64_t Get(uint32_t slot) const {
    EXPECT_TRUE(IsKnown(slot)) << "register slot " << slot;
    return evaluator_->context.regs[slot];
  }
  // The change of rsp.
  int64_t Popped() const { return static_cast<int64_t>(Get(SOFTLBR_X86_RSP) - reinterpret_cast<uint64_t>(&stack[4])); }
  uint8_t flags() const { return evaluator_->context.flags & evaluator_->context.flags_known; }
  uint8_t flags_known() const { return evaluator_->context.flags_known; }
  // What the evaluated code stored: `bytes` bytes at an offset from the initial rsp.
  uint64_t Stored(int64_t offset, uint32_t bytes) {
    Value value = kUnknownValue;
    const uint64_t address = reinterpret_cast<uint64_t>(&stack[4]) + static_cast<uint64_t>(offset);
    EXPECT_EQ(LoadMemory(&evaluator_->memory, address, bytes, &value), UopResult::kOk);
    for (uint32_t i = 0; i < bytes; ++i) EXPECT_TRUE(value.known >> i & 1);
    return value.bits & (~uint64_t{0} >> (64 - 8 * bytes));
  }

  uint64_t stack[8] = {0x10, 0x21, 0x32, 0x43, 0x334455667788, 0x65, 0x76, 0x87};
  softlbr_block block;

 private:
  const softlbr_decoder_plugin& plugin_;
  void* arena_;
  std::unique_ptr<Evaluator> evaluator_;
  softlbr_decoder* decoder_ = nullptr;
};

struct NearBranch {
  std::initializer_list<uint8_t> code;
  uint8_t kind;
  uint64_t intels;  // the branch target
  uint64_t amds;
  int64_t intel_pops;
  int64_t amd_pops;
};

// 66 before every taken near branch whose length is the same on all processors. rax is not 0, Z is set, rcx is not 1.
const NearBranch kNearBranches[] = {
    {{0x66, 0xc3}, SOFTLBR_END_RETURN, 0x334455667788, 0x7788, 8, 2},
    {{0x66, 0xc2, 0x10, 0x80}, SOFTLBR_END_RETURN, 0x334455667788, 0x7788, 8 + 0x8010, 2 + 0x8010},
    {{0x66, 0xf3, 0xc3}, SOFTLBR_END_RETURN, 0x334455667788, 0x7788, 8, 2},
    {{0x66, 0xeb, 0x10}, SOFTLBR_END_JUMP, kPc + 0x13, (kPc + 0x13) & 0xffff, 0, 0},
    {{0x66, 0x74, 0xf0}, SOFTLBR_END_CONDITIONAL, kPc + 3 - 16, (kPc + 3 - 16) & 0xffff, 0, 0},
    {{0x66, 0xe2, 0x20}, SOFTLBR_END_CONDITIONAL, kPc + 0x23, (kPc + 0x23) & 0xffff, 0, 0},
    {{0x67, 0x66, 0xe1, 0x20}, SOFTLBR_END_CONDITIONAL, kPc + 0x24, (kPc + 0x24) & 0xffff, 0, 0},
    {{0x66, 0xff, 0xe2}, SOFTLBR_END_INDIRECT_JUMP, 0x22222222222, 0x2222, 0, 0},
    {{0x66, 0x41, 0xff, 0xd7}, SOFTLBR_END_INDIRECT_CALL, 0xfffffffffff, 0xffff, -8, -2},
    {{0x66, 0xff, 0x24, 0x24}, SOFTLBR_END_INDIRECT_JUMP, 0x334455667788, 0x7788, 0, 0},
    {{0x66, 0xff, 0x54, 0x24, 0x08}, SOFTLBR_END_INDIRECT_CALL, 0x65, 0x65, -8, -2},
};

TEST(VendorDifference, NearBranchesOnIntelIgnoreTheOperandSizePrefix) {
  for (const NearBranch& branch : kNearBranches) {
    Machine machine(kIntel);
    const BlockExit exit = machine.Run(branch.code);
    EXPECT_EQ(machine.block.end.kind, branch.kind);
    EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
    EXPECT_TRUE(exit.is_taken);
    EXPECT_EQ(exit.next_pc, branch.intels) << int{branch.kind};
    EXPECT_EQ(machine.Popped(), branch.intel_pops) << int{branch.kind};
    if (branch.intel_pops >= 0) continue;
    EXPECT_EQ(machine.Stored(-8, 8), kPc + branch.code.size());
  }
}

TEST(VendorDifference, NearBranchesOnAmdAreCutToSixteenBits) {
  for (const NearBranch& branch : kNearBranches) {
    Machine machine(kAmd);
    const BlockExit exit = machine.Run(branch.code);
    EXPECT_EQ(machine.block.end.kind, branch.kind);
    EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
    EXPECT_TRUE(exit.is_taken);
    EXPECT_EQ(exit.next_pc, branch.amds) << int{branch.kind};
    EXPECT_EQ(machine.Popped(), branch.amd_pops) << int{branch.kind};
    if (branch.amd_pops >= 0) continue;
    EXPECT_EQ(machine.Stored(-2, 2), (kPc + branch.code.size()) & 0xffff);
    EXPECT_EQ(machine.Stored(-8, 4), machine.stack[3] & 0xffffffff) << "no more than 2 bytes were pushed";
  }
}

TEST(VendorDifference, NearBranchesOfAnUnknownCpuHaveNoTarget) {
  for (const NearBranch& branch : kNearBranches) {
    Machine machine(kUnknown);
    const BlockExit exit = machine.Run(branch.code);
    EXPECT_EQ(machine.block.end.kind, branch.kind);
    EXPECT_EQ(machine.Length(branch.code), branch.code.size());
    EXPECT_EQ(exit.outcome, BlockOutcome::kUnresolved) << int{branch.kind};
    EXPECT_EQ(exit.branch_pc, kPc);
  }
}

TEST(VendorDifference, NearBranchesNotTakenFallThroughEverywhere) {
  for (const uint32_t variant : kAllVariants) {
    Machine machine(variant);
    const BlockExit exit = machine.Run({0x66, 0x75, 0x10});
    EXPECT_EQ(exit.outcome, BlockOutcome::kNext);
    EXPECT_FALSE(exit.is_taken);
    EXPECT_EQ(exit.next_pc, kPc + 3);
    EXPECT_FALSE(machine.Run({0x66, 0xe3, 0x10}).is_taken);
  }
}

// Forms whose displacement is shorter.
TEST(VendorDifference, LongDisplacementsHaveFourBytesOnIntelTwoOnAmd) {
  struct Case {
    std::initializer_list<uint8_t> code;  // with a displacement of 0x00100020
    uint32_t opcode_bytes;
    uint8_t kind;
    int64_t amd_pops;
  };
  const Case cases[] = {{{0x66, 0xe8, 0x20, 0x00, 0x10, 0x00}, 2, SOFTLBR_END_CALL, -2},
                        {{0x66, 0xe9, 0x20, 0x00, 0x10, 0x00}, 2, SOFTLBR_END_JUMP, 0},
                        {{0x66, 0x0f, 0x84, 0x20, 0x00, 0x10, 0x00}, 3, SOFTLBR_END_CONDITIONAL, 0}};
  for (const Case& c : cases) {
    Machine intel(kIntel);
    EXPECT_EQ(intel.Length(c.code), c.opcode_bytes + 4);
    EXPECT_EQ(intel.Run(c.code).next_pc, kPc + c.opcode_bytes + 4 + 0x100020);
    EXPECT_EQ(intel.block.end.kind, c.kind);
    Machine amd(kAmd);
    EXPECT_EQ(amd.Length(c.code), c.opcode_bytes + 2);
    amd.Lift(c.code);
    EXPECT_EQ(amd.block.end.kind, c.kind);
    EXPECT_EQ(amd.block.byte_length, c.opcode_bytes + 2);
    std::vector<uint8_t> code(c.code);
    Machine unknown(kUnknown);
    EXPECT_EQ(unknown.Length(c.code), 0u);
    unknown.Lift(c.code);
    EXPECT_EQ(unknown.block.end.kind, SOFTLBR_END_UNDECODABLE);
    EXPECT_EQ(unknown.block.instruction_count, 0);
    EXPECT_EQ(unknown.block.end.flags, 0) << "more bytes would not help";
  }
  Machine call(kAmd);
  EXPECT_EQ(call.Run({0x66, 0xe8, 0xf0, 0xff}).next_pc, (kPc + 4 - 16) & 0xffff);
  EXPECT_EQ(call.Popped(), -2);
  EXPECT_EQ(call.Stored(-2, 2), (kPc + 4) & 0xffff);
  Machine jump(kAmd);
  EXPECT_EQ(jump.Run({0x66, 0x0f, 0x84, 0x20, 0x00}).next_pc, (kPc + 0x25) & 0xffff);
}

// data16 rex.W call, as in TLS sequences.
TEST(VendorDifference, RexWOverridesThePrefixEverywhere) {
  for (const uint32_t variant : kAllVariants) {
    Machine machine(variant);
    EXPECT_EQ(machine.Run({0x66, 0x66, 0x48, 0xe8, 0x20, 0x00, 0x10, 0x00}).next_pc, kPc + 8 + 0x100020);
    EXPECT_EQ(machine.Popped(), -8);
    EXPECT_EQ(machine.Run({0x66, 0x48, 0xff, 0xe2}).next_pc, 0x22222222222u);
    EXPECT_EQ(machine.Run({0x66, 0x48, 0x0f, 0x84, 0x20, 0x00, 0x10, 0x00}).next_pc, kPc + 8 + 0x100020);
  }
}

// f2, f3 before loope (e1), loopne (e0). Z is set, so loope is taken and loopne is not.
TEST(VendorDifference, RepeatPrefixesChangeLoopsOnAmd) {
  Machine intel(kIntel);
  EXPECT_TRUE(intel.Run({0xf2, 0xe1, 0x10}).is_taken);
  EXPECT_FALSE(intel.Run({0xf3, 0xe0, 0x10}).is_taken);
  Machine amd(kAmd);
  EXPECT_FALSE(amd.Run({0xf2, 0xe1, 0x10}).is_taken);
  EXPECT_TRUE(amd.Run({0xf3, 0xe0, 0x10}).is_taken);
  Machine unknown(kUnknown);
  EXPECT_EQ(unknown.Run({0xf2, 0xe1, 0x10}).outcome, BlockOutcome::kUnresolved);
  EXPECT_EQ(unknown.Run({0xf3, 0xe0, 0x10}).outcome, BlockOutcome::kUnresolved);
  for (const uint32_t variant : kAllVariants) {  // forms without a difference
    Machine machine(variant);
    EXPECT_TRUE(machine.Run({0xf3, 0xe1, 0x10}).is_taken);
    EXPECT_FALSE(machine.Run({0xf2, 0xe0, 0x10}).is_taken);
    EXPECT_TRUE(machine.Run({0xf2, 0xe2, 0x10}).is_taken);
    EXPECT_TRUE(machine.Run({0xf2, 0x74, 0x10}).is_taken);  // bnd
  }
}

TEST(VendorDifference, PauseWithARegisterExtensionIsAnExchangeOnAmd) {
  Machine intel(kIntel);
  intel.Run({0xf3, 0x49, 0x90});
  EXPECT_EQ(intel.Get(SOFTLBR_X86_RAX), 0u);
  Machine amd(kAmd);
  amd.Run({0xf3, 0x49, 0x90});
  EXPECT_EQ(amd.Get(SOFTLBR_X86_RAX), 0x88888888888u);
  EXPECT_EQ(amd.Get(SOFTLBR_X86_R8), 0u);
  Machine unknown(kUnknown);
  EXPECT_EQ(unknown.Lift({0xf3, 0x49, 0x90}).end.kind, SOFTLBR_END_UNDECODABLE);
  EXPECT_EQ(unknown.Length({0xf3, 0x49, 0x90}), 3u);
  for (const uint32_t variant : kAllVariants) {
    Machine machine(variant);
    machine.Run({0xf3, 0x90});
    EXPECT_EQ(machine.Get(SOFTLBR_X86_RAX), 0u);
    machine.Run({0xf2, 0x49, 0x90});
    EXPECT_EQ(machine.Get(SOFTLBR_X86_RAX), 0x88888888888u);
  }
}

TEST(VendorDifference, UndefinedInstructionZeroHasNoModrmOnAmd) {
  EXPECT_EQ(Machine(kIntel).Length({0x0f, 0xff, 0x40, 0x10}), 4u);
  EXPECT_EQ(Machine(kAmd).Length({0x0f, 0xff, 0x40, 0x10}), 2u);
  EXPECT_EQ(Machine(kUnknown).Length({0x0f, 0xff, 0x40, 0x10}), 0u);
  EXPECT_EQ(Machine(kIntel).Lift({0x0f, 0xff, 0xc0}).end.kind, SOFTLBR_END_TRAP);
  EXPECT_EQ(Machine(kAmd).Lift({0x0f, 0xff}).end.kind, SOFTLBR_END_TRAP);
  for (const uint32_t variant : kAllVariants) {
    EXPECT_EQ(Machine(variant).Length({0x67, 0x0f, 0xb9, 0x40, 0x02}), 5u) << "ud1";
    EXPECT_EQ(Machine(variant).Lift({0x0f, 0x0b}).end.kind, SOFTLBR_END_TRAP);
  }
}

TEST(VendorDifference, PrefetchOfARegisterIsANopOnIntelOnly) {
  EXPECT_EQ(Machine(kIntel).Length({0x0f, 0x0d, 0xc0}), 3u);
  EXPECT_EQ(Machine(kAmd).Length({0x0f, 0x0d, 0xc0}), 0u);
  EXPECT_EQ(Machine(kUnknown).Length({0x0f, 0x0d, 0xc0}), 0u);
  for (const uint32_t variant : kAllVariants) EXPECT_EQ(Machine(variant).Length({0x0f, 0x0d, 0x48, 0x40}), 4u);
}

TEST(VendorDifference, CountsOfZerosAreScansOnOldCpus) {
  constexpr uint32_t kOld = SOFTLBR_X86_64_INTEL | SOFTLBR_X86_64_TZCNT_IS_BSF | SOFTLBR_X86_64_LZCNT_IS_BSR;
  const std::initializer_list<uint8_t> kTzcnt = {0xf3, 0x48, 0x0f, 0xbc, 0xc1};  // rax, rcx
  const std::initializer_list<uint8_t> kLzcnt = {0xf3, 0x48, 0x0f, 0xbd, 0xc1};
  for (const uint32_t variant : {kIntel, kAmd}) {
    Machine machine(variant);
    machine.Set(SOFTLBR_X86_RCX, 0x100);
    machine.Run(kTzcnt);
    EXPECT_EQ(machine.Get(SOFTLBR_X86_RAX), 8u);
    machine.Run(kLzcnt);
    EXPECT_EQ(machine.Get(SOFTLBR_X86_RAX), 55u);
    machine.Set(SOFTLBR_X86_RCX, 0);
    machine.Run(kTzcnt);
    EXPECT_EQ(machine.Get(SOFTLBR_X86_RAX), 64u);
    EXPECT_EQ(machine.flags_known(), SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z);
    EXPECT_EQ(machine.flags(), SOFTLBR_FLAG_C);
  }
  Machine old(kOld);
  old.Set(SOFTLBR_X86_RCX, 0x100);
  old.Run(kTzcnt);
  EXPECT_EQ(old.Get(SOFTLBR_X86_RAX), 8u);
  old.Run(kLzcnt);
  EXPECT_EQ(old.Get(SOFTLBR_X86_RAX), 8u) << "bsr: from the other end";
  old.Set(SOFTLBR_X86_RCX, 0);
  old.Set(SOFTLBR_X86_RAX, 0x1234);
  old.Run(kTzcnt);
  EXPECT_EQ(old.Get(SOFTLBR_X86_RAX), 0x1234u) << "bsf does not change it";
  EXPECT_EQ(old.flags_known(), SOFTLBR_FLAG_Z);
  EXPECT_EQ(old.flags(), SOFTLBR_FLAG_Z);
  Machine unknown(kUnknown);
  unknown.Run(kTzcnt);
  EXPECT_FALSE(unknown.IsKnown(SOFTLBR_X86_RAX));
  EXPECT_EQ(unknown.flags_known(), 0);
  EXPECT_EQ(unknown.Length(kTzcnt), 5u);
}

// A result that a manual leaves undefined is UNKNOWN, regardless of what current processors do. All flags are known
// before.
TEST(VendorDifference, UndefinedFlagsAreUnknown) {
  constexpr uint8_t kP = SOFTLBR_FLAG_P;
  constexpr uint8_t kA = SOFTLBR_FLAG_A;
  constexpr uint8_t kZ = SOFTLBR_FLAG_Z;
  constexpr uint8_t kS = SOFTLBR_FLAG_S;
  constexpr uint8_t kV = SOFTLBR_FLAG_V;
  constexpr uint8_t kC = SOFTLBR_FLAG_C;
  constexpr uint8_t kAll = SOFTLBR_FLAG_ALL;
  struct Case {
    const char* name;
    std::initializer_list<uint8_t> code;
    uint8_t undefined;
  };
  const Case cases[] = {
      {"and", {0x21, 0xc8}, kA},
      {"test", {0x85, 0xc8}, kA},
      {"mul", {0xf7, 0xe1}, kS | kZ | kA | kP},
      {"imul", {0x0f, 0xaf, 0xc1}, kS | kZ | kA | kP},
      {"shl 1", {0xd1, 0xe0}, kA},
      {"shl 3", {0xc1, 0xe0, 0x03}, kA | kV},
      {"shr bl 8", {0xc0, 0xeb, 0x08}, kA | kV | kC},
      {"shl bx 17", {0x66, 0xc1, 0xe3, 0x11}, kA | kV | kC},
      {"sar bl 9", {0xc0, 0xfb, 0x09}, kA | kV},
      {"shl 32, which is 0", {0xc1, 0xe0, 0x20}, 0},
      {"rol 1", {0xd1, 0xc0}, 0},
      {"rol 3", {0xc1, 0xc0, 0x03}, kV},
      {"rcr 3", {0xc1, 0xd8, 0x03}, kV},
      {"shld 1", {0x0f, 0xa4, 0xc8, 0x01}, kA},
      {"shld 3", {0x0f, 0xa4, 0xc8, 0x03}, kA | kV},
      {"shrd ax 17", {0x66, 0x0f, 0xac, 0xc8, 0x11}, kAll},
      {"shld ax cl", {0x66, 0x0f, 0xa5, 0xd0}, kAll},
      {"bt", {0x0f, 0xba, 0xe1, 0x03}, kAll & ~kC},
      {"bts", {0x0f, 0xab, 0xc8}, kAll & ~kC},
      {"bt mem", {0x0f, 0xa3, 0x0c, 0x24}, kAll & ~kC},
      {"bsf", {0x48, 0x0f, 0xbc, 0xc1}, kAll & ~kZ},
      {"bsr", {0x0f, 0xbd, 0xc1}, kAll & ~kZ},
      {"tzcnt", {0xf3, 0x0f, 0xbc, 0xc1}, kV | kS | kA | kP},
      {"popcnt", {0xf3, 0x0f, 0xb8, 0xc1}, 0},
      {"andn", {0xc4, 0xe2, 0x70, 0xf2, 0xc2}, kA | kP},
      {"blsr", {0xc4, 0xe2, 0x78, 0xf3, 0xc9}, kA | kP},
      {"bextr", {0xc4, 0xe2, 0x70, 0xf7, 0xc2}, kA | kS | kP},
      {"bzhi", {0xc4, 0xe2, 0x70, 0xf5, 0xc2}, kA | kP},
  };
  for (const uint32_t variant : {kIntel, kAmd}) {
    for (const Case& c : cases) {
      Machine machine(variant);
      machine.Set(SOFTLBR_X86_RCX, 0x13);
      machine.Run(c.code);
      EXPECT_EQ(machine.flags_known(), kAll & ~c.undefined) << c.name;
    }
    Machine machine(variant);
    machine.Set(SOFTLBR_X86_RDX, 0);
    machine.Run({0xf7, 0xf1});  // div %ecx
    EXPECT_EQ(machine.flags_known(), 0);
  }
}

TEST(VendorDifference, UndefinedResultsAreUnknown) {
  for (const uint32_t variant : kAllVariants) {
    Machine machine(variant);
    machine.Run({0x66, 0x0f, 0xc9});  // bswap %cx
    EXPECT_FALSE(machine.IsKnown(SOFTLBR_X86_RCX));
    machine.Run({0x66, 0x0f, 0xa4, 0xd3, 0x11});  // shld $17,%dx,%bx
    EXPECT_FALSE(machine.IsKnown(SOFTLBR_X86_RBX));
    // bsf of zero: the register is unchanged; after a 32-bit form its upper half is UNKNOWN.
    machine.Set(SOFTLBR_X86_RSI, 0);
    machine.Set(SOFTLBR_X86_RDI, 0x123456789);
    machine.Run({0x48, 0x0f, 0xbc, 0xfe});
    EXPECT_EQ(machine.Get(SOFTLBR_X86_RDI), 0x123456789u);
    machine.Run({0x0f, 0xbc, 0xfe});
    EXPECT_FALSE(machine.IsKnown(SOFTLBR_X86_RDI));
    // A failing cmpxchg: the upper half of the register that it leaves unchanged is UNKNOWN.
    machine.Run({0x0f, 0xb1, 0xd5});
    EXPECT_FALSE(machine.IsKnown(SOFTLBR_X86_RBP));
    // mov of a segment register, whose upper bytes differ; push of a segment register.
    machine.Run({0x8c, 0xe2});
    EXPECT_FALSE(machine.IsKnown(SOFTLBR_X86_RDX));
    machine.Set(SOFTLBR_X86_RAX, 0x12345678);
    machine.Set(SOFTLBR_X86_RCX, 0x87654321);
    machine.Run({0x66, 0x63, 0xc1});  // movsxd of %cx or %ecx to %ax: the low 2 bytes are the same
    EXPECT_EQ(machine.Get(SOFTLBR_X86_RAX), 0x12344321u);
  }
}

// One vendor's extensions, and privileged forms: the length is exact, and no result is known.
TEST(VendorDifference, FormsOfOneVendorAreNeverGuessed) {
  for (const uint32_t variant : kAllVariants) {
    Machine machine(variant);
    EXPECT_EQ(machine.Lift({0x66, 0x0f, 0x79, 0xc1}).end.kind, SOFTLBR_END_UNDECODABLE) << "extrq";
    EXPECT_EQ(machine.Length({0x66, 0x0f, 0x79, 0xc1}), 4u);
    EXPECT_EQ(machine.Lift({0x66, 0x0f, 0x78, 0xc0, 0x04, 0x08}).end.kind, SOFTLBR_END_UNDECODABLE)
        << "extrq, immediates";
    EXPECT_EQ(machine.Lift({0x8f, 0xe8, 0x78, 0xc2, 0xec, 0x0e}).end.kind, SOFTLBR_END_UNDECODABLE) << "XOP";
    EXPECT_EQ(machine.Lift({0x0f, 0xa7, 0xc0}).end.kind, SOFTLBR_END_UNDECODABLE) << "VIA's xstore";
    EXPECT_EQ(machine.Lift({0xf0, 0x0f, 0x20, 0xc0}).end.kind, SOFTLBR_END_UNDECODABLE) << "lock mov: cr8";
    EXPECT_EQ(machine.Lift({0x0f, 0x34}).end.kind, SOFTLBR_END_FAR) << "sysenter: undefined on AMD's";
    EXPECT_EQ(machine.Lift({0x66, 0x0f, 0x05}).end.kind, SOFTLBR_END_SYSCALL) << "syscall ignores 66";
    EXPECT_EQ(machine.Lift({0x66, 0x0f, 0x07}).end.kind, SOFTLBR_END_FAR) << "sysret";
    EXPECT_EQ(machine.Lift({0x48, 0xff, 0x28}).end.kind, SOFTLBR_END_FAR) << "far jump: 10 bytes, or 6 on AMD's";
    EXPECT_EQ(machine.Lift({0x66, 0xc7, 0xf8, 0x10, 0x00}).end.kind, SOFTLBR_END_UNDECODABLE) << "xbegin with 66";
    machine.Lift({0x0f, 0x0f, 0xca, 0x9e});  // pfadd %mm2,%mm1
    EXPECT_TRUE(test::Forgets(machine.block, SOFTLBR_X86_MM0 + 1));
    EXPECT_TRUE(test::Forgets(machine.Lift({0xc4, 0xe3, 0x71, 0x68, 0xc2, 0x30}), SOFTLBR_REG_VECTOR))
        << "vfmaddps of FMA4";
    EXPECT_TRUE(test::Forgets(machine.Lift({0x0f, 0x02, 0xc1}), SOFTLBR_X86_RAX)) << "lar";
    EXPECT_TRUE(test::HasOp(machine.Lift({0x0f, 0x00, 0xe1}), SOFTLBR_OP_CLOBBER_FLAGS)) << "verr";
    EXPECT_TRUE(test::Forgets(machine.Lift({0x0f, 0x33}), SOFTLBR_X86_RAX)) << "rdpmc";
    EXPECT_TRUE(test::Forgets(machine.Lift({0xf3, 0x0f, 0xc7, 0xf8}), SOFTLBR_X86_RAX)) << "rdpid";
    EXPECT_TRUE(test::Forgets(machine.Lift({0x0f, 0x01, 0xfd}), SOFTLBR_X86_RAX)) << "rdpru";
    EXPECT_TRUE(test::Forgets(machine.Lift({0x8e, 0xe0}), SOFTLBR_X86_FS_BASE))
        << "a null selector keeps the base on AMD's";
    EXPECT_TRUE(test::HasOp(machine.Lift({0x0f, 0xae, 0x04, 0x24}), SOFTLBR_OP_STORE_UNKNOWN)) << "fxsave";
    EXPECT_TRUE(test::HasOp(machine.Lift({0x0f, 0xa0}), SOFTLBR_OP_STORE_UNKNOWN)) << "push %fs";
    EXPECT_TRUE(test::Forgets(machine.Lift({0x0f, 0x53, 0xc1}), SOFTLBR_REG_VECTOR)) << "rcpps: an approximation";
    EXPECT_TRUE(test::Forgets(machine.Lift({0x67, 0xf3, 0xa4}), SOFTLBR_X86_RCX))
        << "rep movs with 67: rcx' upper half";
  }
}

TEST(VendorDifference, OpenRejectsInvalidVariants) {
  const softlbr_decoder_plugin& plugin = *softlbr_decoder_plugin_x86_64();
  alignas(64) static uint8_t arena[65536];
  softlbr_decoder* decoder = nullptr;
  constexpr uint32_t kBothMakers = uint32_t{SOFTLBR_X86_64_INTEL} | SOFTLBR_X86_64_AMD;
  constexpr uint32_t kBothTzcnts = uint32_t{SOFTLBR_X86_64_TZCNT} | SOFTLBR_X86_64_TZCNT_IS_BSF;
  for (const uint32_t variant : {2u, 255u, SOFTLBR_X86_64_INTEL | 1u, kBothMakers, kBothTzcnts, 0x4000u, 0x80000000u}) {
    EXPECT_EQ(plugin.open(arena, sizeof(arena), variant, &decoder), SOFTLBR_DECODER_BAD_ARGUMENT) << variant;
  }
  EXPECT_EQ(decoder, nullptr);
}

// Compares the vendor in /proc/cpuinfo with the variant that the plugin detected, as shown by the length of 66 e9.
TEST(VendorDifference, HostVariantUsesTheHostsVendor) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  uint32_t expected = 0;
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("vendor_id", 0) != 0) continue;
    if (line.find("GenuineIntel") != std::string::npos) expected = 6;
    if (line.find("AuthenticAMD") != std::string::npos || line.find("HygonGenuine") != std::string::npos) expected = 4;
    break;
  }
  EXPECT_EQ(Machine(SOFTLBR_DECODER_VARIANT_HOST).Length({0x66, 0xe9, 0x00, 0x00, 0x00, 0x00}), expected);
}

}  // namespace
}  // namespace softlbr
