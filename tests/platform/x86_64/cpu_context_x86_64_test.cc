// LoadMachineContext in a real handler: compares every register that the frame holds with a known pattern.
#include <asm/prctl.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>

#include "platform/base/registers_x86_64.h"
#include "platform/cpu_context.h"
#include "platform/linux/kernel_abi.h"
#include "platform/linux/x86_64/signal_frame_x86_64.h"
#include "platform/thread.h"
#include "platform/trap_signal.h"
#include "tests/platform/trap_log.h"
#include "tests/platform/x86_64/state_trap_x86_64.h"

namespace softlbr::platform::testing {
namespace {

constexpr uint32_t kVectorSlot = 96;
MachineContext g_context;
uint64_t g_best_ticks;

void Load(const Trap& trap) {
  std::memset(&g_context, 0xee, sizeof(g_context));
  LoadMachineContext(trap.ucontext, &g_context);
}

void LoadAndMeasure(const Trap& trap) {
  g_best_ticks = ~uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    const uint64_t before = Ticks();
    LoadMachineContext(trap.ucontext, &g_context);
    const uint64_t ticks = Ticks() - before;
    if (ticks < g_best_ticks) g_best_ticks = ticks;
  }
}

void LoadWithoutExtendedState(const Trap& trap) {
  auto* image = const_cast<X86FloatState*>(static_cast<X86SignalFrame*>(trap.ucontext)->float_state);
  const uint32_t magic = image->magic1;
  image->magic1 = 0;
  Load(trap);
  image->magic1 = magic;
}

int WidestLevel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw")) return 2;
  return __builtin_cpu_supports("avx") ? 1 : 0;
}

TrapState Patterns(uint64_t level) {
  TrapState state = {};
  uint64_t next = 0x0123456789abcdef;
  auto pattern = [&next] { return next = next * 6364136223846793005u + 1442695040888963407u; };
  for (auto& value : state.general) value = pattern();
  state.eflags = 0x202;
  state.mxcsr = 0x1f80;
  state.vector_level = level;
  for (auto& vector : state.vectors) {
    for (auto& value : vector) value = pattern();
  }
  for (auto& value : state.masks) value = pattern();
  for (auto& value : state.mmx) value = pattern();
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

// Vectors as loaded at the level under test; the parts not loaded are zero.
void ExpectVectors(const TrapState& state) {
  const uint32_t loaded_slots = state.vector_level == 0 ? 2 : state.vector_level == 1 ? 4 : 8;
  for (uint32_t r = 0; r < 32; ++r) {
    for (uint32_t i = 0; i < 8; ++i) {
      const bool is_loaded = i < loaded_slots && (r < 16 || state.vector_level == 2);
      ExpectSlot(kVectorSlot + 8 * r + i, is_loaded ? state.vectors[r][i] : 0);
    }
  }
}

TEST_F(CpuContext, HoldsGeneralRegistersPcAndSp) {
  const TrapState state = Patterns(0);
  softlbr_test_state_trap(&state);
  ASSERT_EQ(g_log.count.load(), 1u);
  for (uint32_t i = 0; i < 16; ++i) {
    if (i == 4) continue;
    ExpectSlot(SOFTLBR_X86_RAX + i, state.general[i]);
  }
  ExpectSlot(SOFTLBR_X86_RSP, softlbr_test_state_trap_sp);
  EXPECT_EQ(g_context.sp, softlbr_test_state_trap_sp);
  EXPECT_EQ(g_context.pc, reinterpret_cast<uint64_t>(softlbr_test_state_trap_pc));
  EXPECT_EQ(g_log.traps[0].pc, g_context.pc);
  EXPECT_EQ(g_log.traps[0].sp, g_context.sp);
  ExpectSlot(0, 0);
}

TEST_F(CpuContext, StateOutsideTheFrameIsUnknown) {
  const TrapState state = Patterns(0);
  softlbr_test_state_trap(&state);
  EXPECT_EQ(g_context.known[1], 0) << "the block's address is the evaluator's";
  for (uint32_t slot = SOFTLBR_X86_GENERAL_END; slot < kVectorSlot; ++slot) EXPECT_EQ(g_context.known[slot], 0) << slot;
  for (uint32_t slot = kVectorSlot + 256; slot < kRegisterSlotCount; ++slot)
    EXPECT_EQ(g_context.known[slot], 0) << slot;
}

TEST_F(CpuContext, PacksEachFlag) {
  const struct {
    uint64_t eflags;
    uint8_t packed;
    uint64_t direction;
  } cases[] = {{0x202, 0, 0},  {0x203, 1, 0},  {0x206, 2, 0}, {0x212, 4, 0},  {0x242, 8, 0},
               {0x282, 16, 0}, {0xa02, 32, 0}, {0x602, 0, 1}, {0xed7, 63, 1}, {0x8d7, 63, 0}};
  for (const auto& each : cases) {
    TrapState state = Patterns(0);
    state.eflags = each.eflags;
    softlbr_test_state_trap(&state);
    EXPECT_EQ(g_context.flags, each.packed) << std::hex << each.eflags;
    EXPECT_EQ(g_context.flags_known, 63);
    ExpectSlot(SOFTLBR_X86_DF, each.direction);
  }
}

TEST_F(CpuContext, HoldsXmmWithTheRestZero) {
  __asm__ volatile("" ::: "memory");
  const TrapState state = Patterns(0);
  if (WidestLevel() > 0)
    __asm__ volatile("vzeroall" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
  softlbr_test_state_trap(&state);
  for (uint32_t r = 0; r < 16; ++r) {
    for (uint32_t i = 0; i < 4; ++i) ExpectSlot(kVectorSlot + 8 * r + i, i < 2 ? state.vectors[r][i] : 0);
  }
}

TEST_F(CpuContext, HoldsYmm) {
  if (WidestLevel() < 1) GTEST_SKIP() << "needs avx";
  const TrapState state = Patterns(1);
  softlbr_test_state_trap(&state);
  for (uint32_t r = 0; r < 16; ++r) {
    for (uint32_t i = 0; i < 8; ++i) ExpectSlot(kVectorSlot + 8 * r + i, i < 4 ? state.vectors[r][i] : 0);
  }
}

TEST_F(CpuContext, HoldsZmmAndMaskRegisters) {
  if (WidestLevel() < 2) GTEST_SKIP() << "needs avx512bw";
  const TrapState state = Patterns(2);
  softlbr_test_state_trap(&state);
  ExpectVectors(state);
  for (uint32_t i = 0; i < 8; ++i) ExpectSlot(SOFTLBR_X86_K0 + i, state.masks[i]);
}

TEST_F(CpuContext, HoldsMmxRegisters) {
  const TrapState state = Patterns(0);
  softlbr_test_state_trap(&state);
  for (uint32_t i = 0; i < 8; ++i) ExpectSlot(SOFTLBR_X86_MM0 + i, state.mmx[i]);
}

TEST_F(CpuContext, HoldsMmxRegistersWithANonEmptyX87Stack) {
  __asm__ volatile("fninit; fld1; fldpi; int3; fstp %%st(0); fstp %%st(0)" ::: "memory");
  ExpectSlot(SOFTLBR_X86_MM7, 0x8000000000000000);      // 1.0: pushed first, so physical register 7
  ExpectSlot(SOFTLBR_X86_MM0 + 6, 0xc90fdaa22168c235);  // pi
}

TEST_F(CpuContext, KnowsWhetherRoundingIsTheDefault) {
  const struct {
    uint64_t mxcsr;
    bool is_default;
    bool flushes;
    // exception flags do not matter
  } cases[] = {{0x1f80, true, false},
               {0x1fbf, true, false},
               {0x3f80, false, false},
               {0x5f80, false, false},
               {0x7f80, false, false},  // rounding
               // flush to zero, denormals are zero
               {0x9f80, false, true},
               {0x1fc0, false, true},
               {0x9fe1, false, true},
               {0xbf80, false, false},  // and rounding
               {0x1f00, false, false},
               {0x0f80, false, false},
               {0x1f40, false, false}};  // an exception is unmasked
  for (const auto& each : cases) {
    TrapState state = Patterns(0);
    state.mxcsr = each.mxcsr;
    softlbr_test_state_trap(&state);
    EXPECT_EQ(g_context.rounding_is_default, each.is_default) << std::hex << each.mxcsr;
    EXPECT_EQ(g_context.flushes_denormals, each.flushes) << std::hex << each.mxcsr;
    ExpectSlot(SOFTLBR_X86_MXCSR, each.mxcsr);
  }
}

TEST_F(CpuContext, HoldsSegmentBases) {
  uint64_t fs = 0;
  ASSERT_EQ(syscall(SYS_arch_prctl, ARCH_GET_FS, &fs), 0);
  ASSERT_EQ(syscall(SYS_arch_prctl, ARCH_SET_GS, 0x12345678000), 0);
  const TrapState state = Patterns(0);
  softlbr_test_state_trap(&state);
  ExpectSlot(SOFTLBR_X86_FS_BASE, fs);
  ExpectSlot(SOFTLBR_X86_GS_BASE, 0x12345678000);
  ASSERT_EQ(syscall(SYS_arch_prctl, ARCH_SET_GS, 0), 0);
}

TEST_F(CpuContext, FrameWithoutExtendedStateLeavesItUnknown) {
  if (WidestLevel() < 1) GTEST_SKIP() << "needs avx";
  g_log.action.store(LoadWithoutExtendedState);
  const TrapState state = Patterns(static_cast<uint64_t>(WidestLevel()));
  softlbr_test_state_trap(&state);
  for (uint32_t r = 0; r < 32; ++r) {
    for (uint32_t i = 0; i < 8; ++i) {
      const bool is_known = r < 16 && i < 2;
      EXPECT_EQ(g_context.known[kVectorSlot + 8 * r + i], is_known ? kAllKnown : 0);
      if (is_known) ExpectSlot(kVectorSlot + 8 * r + i, state.vectors[r][i]);
    }
  }
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(g_context.known[SOFTLBR_X86_K0 + i], 0);
  ExpectSlot(SOFTLBR_X86_RAX, state.general[0]);
}

TEST_F(CpuContext, LoadsInUnderAMicrosecond) {
  constexpr uint64_t kHwcap2FsGsBase = 1u << 1;
  if ((getauxval(AT_HWCAP2) & kHwcap2FsGsBase) == 0)
    GTEST_SKIP() << "needs FSGSBASE: else two system calls read the segment bases";
  CalibrateTicks();
  g_log.action.store(LoadAndMeasure);
  const TrapState state = Patterns(static_cast<uint64_t>(WidestLevel()));
  softlbr_test_state_trap(&state);
  RecordProperty("ns", static_cast<int>(TicksToNs(g_best_ticks)));
  EXPECT_LT(TicksToNs(g_best_ticks), 1000u);
}

TEST_F(CpuContext, SetResumePcMovesTheThread) {
  g_log.action.store([](const Trap& trap) { SetResumePc(trap.ucontext, trap.pc + 2); });
  int reached = 1;
  // the resume pc skips the jump over the move
  __asm__ volatile("int3; .byte 0xeb, 0x05; movl $2, %0" : "+r"(reached));
  EXPECT_EQ(reached, 2);
}

TEST(SignalFrame, LayoutMatchesLibc) {
  EXPECT_EQ(kHostMachine, EM_X86_64);
  EXPECT_EQ(offsetof(X86SignalFrame, r8_to_r15), offsetof(ucontext_t, uc_mcontext.gregs[REG_R8]));
  EXPECT_EQ(offsetof(X86SignalFrame, rdi), offsetof(ucontext_t, uc_mcontext.gregs[REG_RDI]));
  EXPECT_EQ(offsetof(X86SignalFrame, rsp), offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]));
  EXPECT_EQ(offsetof(X86SignalFrame, rip), offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]));
  EXPECT_EQ(offsetof(X86SignalFrame, eflags), offsetof(ucontext_t, uc_mcontext.gregs[REG_EFL]));
  EXPECT_EQ(offsetof(X86SignalFrame, float_state), offsetof(ucontext_t, uc_mcontext.fpregs));
  EXPECT_EQ(offsetof(X86SignalFrame, signal_mask), offsetof(ucontext_t, uc_sigmask));
  EXPECT_EQ(offsetof(X86FloatState, mxcsr), offsetof(_libc_fpstate, mxcsr));
  EXPECT_EQ(offsetof(X86FloatState, st), offsetof(_libc_fpstate, _st));
  EXPECT_EQ(offsetof(X86FloatState, xmm), offsetof(_libc_fpstate, _xmm));
}

}  // namespace
}  // namespace softlbr::platform::testing
