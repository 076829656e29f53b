// LoadMachineContext in a real handler: compares every register slot that it fills with a known pattern.
#include <elf.h>
#include <gtest/gtest.h>
#include <ucontext.h>

#include <cstring>

#include "platform/base/registers_aarch64.h"
#include "platform/cpu_context.h"
#include "platform/linux/aarch64/signal_frame_aarch64.h"
#include "platform/trap_signal.h"
#include "tests/platform/aarch64/state_trap_aarch64.h"
#include "tests/platform/trap_instruction.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

constexpr uint32_t kVectorSlot = 96;
MachineContext g_context;

void Load(const Trap& trap) {
  std::memset(&g_context, 0xee, sizeof(g_context));
  LoadMachineContext(trap.ucontext, &g_context);
  SkipTrapInstruction(trap.ucontext);
}

void LoadWithoutFloatRecord(const Trap& trap) {
  auto* record = reinterpret_cast<A64Record*>(static_cast<A64SignalFrame*>(trap.ucontext)->records);
  const A64Record saved = *record;
  *record = A64Record{0, 0};
  Load(trap);
  *record = saved;
}

A64TrapState Patterns() {
  A64TrapState state = {};
  uint64_t next = 0x0123456789abcdef;
  auto pattern = [&next] { return next = next * 6364136223846793005u + 1442695040888963407u; };
  for (auto& value : state.x) value = pattern();
  for (auto& vector : state.vectors) {
    for (auto& value : vector) value = pattern();
  }
  return state;
}

class CpuContext : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetTrapLog();
    g_log.takes_foreign.store(true);
    g_log.action.store(Load);
    ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  }
  void TearDown() override { RestoreTrapHandler(); }
};

void ExpectSlot(uint32_t slot, uint64_t value) {
  EXPECT_EQ(g_context.regs[slot], value) << "register slot " << slot;
  EXPECT_EQ(g_context.known[slot], kAllKnown) << "register slot " << slot;
}

TEST_F(CpuContext, HoldsGeneralRegistersPcAndSp) {
  const A64TrapState state = Patterns();
  softlbr_test_state_trap(&state);
  ASSERT_EQ(g_log.count.load(), 1u);
  for (uint32_t i = 0; i < 31; ++i) ExpectSlot(SOFTLBR_A64_X0 + i, state.x[i]);
  ExpectSlot(SOFTLBR_A64_SP, softlbr_test_state_trap_sp);
  EXPECT_EQ(g_context.sp, softlbr_test_state_trap_sp);
  EXPECT_EQ(g_context.pc, reinterpret_cast<uint64_t>(softlbr_test_state_trap_pc));
  EXPECT_EQ(g_log.traps[0].pc, g_context.pc);
  EXPECT_EQ(g_log.traps[0].sp, g_context.sp);
  ExpectSlot(0, 0);
  uint64_t thread_pointer = 0;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread_pointer));
  ExpectSlot(SOFTLBR_A64_TPIDR, thread_pointer);
}

TEST_F(CpuContext, StateOutsideTheFrameIsUnknown) {
  const A64TrapState state = Patterns();
  softlbr_test_state_trap(&state);
  EXPECT_EQ(g_context.known[1], 0) << "the block's address is the evaluator's";
  for (uint32_t slot = SOFTLBR_A64_GENERAL_END; slot < kVectorSlot; ++slot) EXPECT_EQ(g_context.known[slot], 0) << slot;
  for (uint32_t slot = kVectorSlot + 256; slot < kRegisterSlotCount; ++slot)
    EXPECT_EQ(g_context.known[slot], 0) << slot;
}

TEST_F(CpuContext, HoldsVectorsWithTheRestZeroOrUnknown) {
  const A64TrapState state = Patterns();
  softlbr_test_state_trap(&state);
  for (uint32_t r = 0; r < 32; ++r) {
    ExpectSlot(kVectorSlot + 8 * r, state.vectors[r][0]);
    ExpectSlot(kVectorSlot + 8 * r + 1, state.vectors[r][1]);
    // If SVE is live, a write of v zeroes the rest of z.
    for (uint32_t i = 2; i < 8; ++i) {
      if (g_context.known[kVectorSlot + 8 * r + i] != 0) ExpectSlot(kVectorSlot + 8 * r + i, 0);
    }
  }
}

TEST_F(CpuContext, PacksEachFlag) {
  const struct {
    uint64_t nzcv;
    uint8_t packed;
  } cases[] = {{0, 0}, {1u << 28, 32}, {1u << 29, 1}, {1u << 30, 8}, {1u << 31, 16}, {0xf0000000, 57}};
  for (const auto& each : cases) {
    A64TrapState state = Patterns();
    state.nzcv = each.nzcv;
    softlbr_test_state_trap(&state);
    EXPECT_EQ(g_context.flags, each.packed) << std::hex << each.nzcv;
    EXPECT_EQ(g_context.flags_known, 57);
  }
}

TEST_F(CpuContext, KnowsWhetherRoundingIsTheDefault) {
  const struct {
    uint64_t fpcr;
    bool is_default;
  } cases[] = {{0, true}, {1u << 22, false}, {1u << 23, false}, {1u << 24, false}, {1u << 25, false}};
  for (const auto& each : cases) {
    A64TrapState state = Patterns();
    state.fpcr = each.fpcr;
    softlbr_test_state_trap(&state);
    EXPECT_EQ(g_context.rounding_is_default, each.is_default) << std::hex << each.fpcr;
    ExpectSlot(SOFTLBR_A64_FPCR, each.fpcr);
  }
}

TEST_F(CpuContext, FrameWithoutFloatRecordLeavesVectorsUnknown) {
  g_log.action.store(LoadWithoutFloatRecord);
  const A64TrapState state = Patterns();
  softlbr_test_state_trap(&state);
  for (uint32_t slot = kVectorSlot; slot < kRegisterSlotCount; ++slot) EXPECT_EQ(g_context.known[slot], 0) << slot;
  EXPECT_EQ(g_context.known[SOFTLBR_A64_FPCR], 0);
  EXPECT_EQ(g_context.known[SOFTLBR_A64_SVE_LENGTH], 0);
  EXPECT_FALSE(g_context.rounding_is_default);
  ExpectSlot(SOFTLBR_A64_X0, state.x[0]);
}

TEST(SignalFrame, LayoutMatchesLibc) {
  EXPECT_EQ(kHostMachine, EM_AARCH64);
  EXPECT_EQ(offsetof(A64SignalFrame, signal_mask), offsetof(ucontext_t, uc_sigmask));
  EXPECT_EQ(offsetof(A64SignalFrame, x), offsetof(ucontext_t, uc_mcontext.regs));
  EXPECT_EQ(offsetof(A64SignalFrame, sp), offsetof(ucontext_t, uc_mcontext.sp));
  EXPECT_EQ(offsetof(A64SignalFrame, pc), offsetof(ucontext_t, uc_mcontext.pc));
  EXPECT_EQ(offsetof(A64SignalFrame, pstate), offsetof(ucontext_t, uc_mcontext.pstate));
  EXPECT_EQ(offsetof(A64SignalFrame, records), offsetof(ucontext_t, uc_mcontext.__reserved));
  EXPECT_EQ(kFloatRecordMagic, static_cast<uint32_t>(FPSIMD_MAGIC));
  EXPECT_EQ(kScalableRecordMagic, static_cast<uint32_t>(SVE_MAGIC));
  EXPECT_EQ(offsetof(A64ScalableRecord, vector_bytes), offsetof(sve_context, vl));
  EXPECT_EQ(offsetof(A64ScalableRecord, flags), 10u);
  EXPECT_EQ(sizeof(A64ScalableRecord), static_cast<size_t>(SVE_SIG_REGS_OFFSET));
  EXPECT_EQ(32u * 64 + 17 * 64 / 8 + sizeof(A64ScalableRecord), static_cast<size_t>(SVE_SIG_FFR_OFFSET(4)) + 8);
  EXPECT_EQ(offsetof(A64FloatRecord, vectors), offsetof(fpsimd_context, vregs));
}

}  // namespace
}  // namespace softlbr::platform::testing
