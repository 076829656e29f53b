// LoadMachineContext and the SVE record: a real frame if the CPU has SVE, and constructed frames.
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <cstring>
#include <memory>

#include "platform/base/registers_aarch64.h"
#include "platform/cpu_context.h"
#include "platform/linux/aarch64/signal_frame_aarch64.h"
#include "platform/trap_signal.h"
#include "tests/platform/trap_instruction.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

constexpr uint32_t kScalableSlot = 96;
constexpr unsigned long kHwcapScalable = 1u << 22;
constexpr int kGetVectorLength = 51;  // PR_SVE_GET_VL
constexpr int kVectorLengthBits = 0xffff;
MachineContext g_scalable_context;

// Byte `index` of the record's contents after its header.
uint8_t PayloadByte(uint32_t index) { return static_cast<uint8_t>(index * 37 + 11); }

struct MadeUp {
  uint16_t vector_bytes;
  uint16_t flags;
  bool has_payload;
};

// A frame with an FPSIMD record, an SVE record and the end record.
std::unique_ptr<A64SignalFrame> MakeFrame(const MadeUp& made_up) {
  auto frame = std::make_unique<A64SignalFrame>();
  std::memset(static_cast<void*>(frame.get()), 0, sizeof *frame);
  auto* image = reinterpret_cast<A64FloatRecord*>(frame->records);
  image->header = A64Record{kFloatRecordMagic, sizeof *image};
  for (auto& vector : image->vectors) vector[0] = vector[1] = 0x5a5a5a5a5a5a5a5a;
  uint8_t* at = frame->records + sizeof *image;
  auto* record = reinterpret_cast<A64ScalableRecord*>(at);
  const uint32_t payload = made_up.has_payload ? 32u * made_up.vector_bytes + 17u * made_up.vector_bytes / 8 : 0;
  record->header = A64Record{kScalableRecordMagic, (static_cast<uint32_t>(sizeof *record) + payload + 15) & ~15u};
  record->vector_bytes = made_up.vector_bytes;
  record->flags = made_up.flags;
  const uint64_t left = kRecordAreaBytes - sizeof *image - sizeof *record;
  for (uint32_t i = 0; i < payload && i < left; ++i) at[sizeof *record + i] = PayloadByte(i);
  return frame;
}

void Load(const MadeUp& made_up) {
  std::memset(&g_scalable_context, 0xee, sizeof g_scalable_context);
  LoadMachineContext(MakeFrame(made_up).get(), &g_scalable_context);
}

// The SVE state must be UNKNOWN, except the length if the record gives it.
void ExpectNothing(bool is_length_known) {
  const uint8_t length_known = is_length_known ? kAllKnown : 0;
  EXPECT_EQ(g_scalable_context.known[SOFTLBR_A64_SVE_LENGTH], length_known);
  EXPECT_EQ(g_scalable_context.known[SOFTLBR_A64_SVE_BYTES], length_known);
  for (uint32_t slot = SOFTLBR_A64_P0; slot <= SOFTLBR_A64_FFR; ++slot)
    EXPECT_EQ(g_scalable_context.known[slot], 0) << slot;
  for (uint32_t r = 0; r < 32; ++r) {
    for (uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(g_scalable_context.known[kScalableSlot + 8 * r + i], i < 2 ? kAllKnown : 0) << r << " " << i;
    }
  }
}

TEST(ScalableContext, HoldsEveryByteOfALiveRecord) {
  for (const uint16_t length : {16, 32, 48, 64}) {
    SCOPED_TRACE(length);
    Load(MadeUp{length, 0, true});
    const MachineContext& context = g_scalable_context;
    EXPECT_EQ(context.regs[SOFTLBR_A64_SVE_LENGTH], length);
    EXPECT_EQ(context.regs[SOFTLBR_A64_SVE_BYTES], ~uint64_t{0} >> (64 - length));
    uint32_t at = 0;
    for (uint32_t r = 0; r < 32; ++r, at += length) {
      uint8_t expected[64] = {};
      for (uint32_t i = 0; i < length; ++i) expected[i] = i < 16 ? 0x5a : PayloadByte(at + i);
      EXPECT_EQ(std::memcmp(&context.regs[kScalableSlot + 8 * r], expected, 64), 0) << r;
      for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(context.known[kScalableSlot + 8 * r + i], kAllKnown);
    }
    for (uint32_t slot = SOFTLBR_A64_P0; slot <= SOFTLBR_A64_FFR; ++slot, at += length / 8u) {
      uint8_t expected[8] = {};
      for (uint32_t i = 0; i < length / 8u; ++i) expected[i] = PayloadByte(at + i);
      EXPECT_EQ(std::memcmp(&context.regs[slot], expected, 8), 0) << slot;
      EXPECT_EQ(context.known[slot], kAllKnown);
    }
  }
}

TEST(ScalableContext, WithoutRegistersOnlyTheLengthIsKnown) {
  for (const uint16_t length : {16, 32, 64}) {
    Load(MadeUp{length, 0, false});
    EXPECT_EQ(g_scalable_context.regs[SOFTLBR_A64_SVE_LENGTH], length);
    ExpectNothing(true);
  }
}

TEST(ScalableContext, LongVectorsStreamingModeAndInvalidLengthsAreUnknown) {
  for (const MadeUp& made_up : {MadeUp{128, 0, false}, MadeUp{256, 0, false}, MadeUp{32, 1, true}, MadeUp{24, 0, true},
                                MadeUp{0, 0, false}, MadeUp{80, 0, true}}) {
    SCOPED_TRACE(made_up.vector_bytes);
    Load(made_up);
    ExpectNothing(false);
  }
}

void LoadReal(const Trap& trap) {
  std::memset(&g_scalable_context, 0xee, sizeof g_scalable_context);
  LoadMachineContext(trap.ucontext, &g_scalable_context);
  SkipTrapInstruction(trap.ucontext);
}

TEST(ScalableContext, MatchesTheCpu) {
  if ((getauxval(AT_HWCAP) & kHwcapScalable) == 0) GTEST_SKIP() << "missing: SVE";
  const auto length = static_cast<uint32_t>(prctl(kGetVectorLength) & kVectorLengthBits);
  if (length > 64) GTEST_SKIP() << "missing: vectors of at most 64 bytes";
  ResetTrapLog();
  g_log.takes_foreign.store(true);
  g_log.action.store(LoadReal);
  ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
  __asm__ volatile(
      ".arch_extension sve\n\t"
      "index z5.b, #3, #1\n\t"
      "movi v6.16b, #7\n\t"
      "ptrue p3.h\n\t"
      "pfalse p4.b\n\t"
      "setffr\n\t"
      "brk #0" ::
          : "v5", "v6", "memory");
  RestoreTrapHandler();
  ASSERT_EQ(g_log.count.load(), 1u);
  const MachineContext& context = g_scalable_context;
  ASSERT_EQ(context.known[SOFTLBR_A64_SVE_LENGTH], kAllKnown);
  EXPECT_EQ(context.regs[SOFTLBR_A64_SVE_LENGTH], length);
  const uint64_t bytes = ~uint64_t{0} >> (64 - length);
  EXPECT_EQ(context.regs[SOFTLBR_A64_SVE_BYTES], bytes);
  uint8_t counted[64] = {};
  uint8_t sevens[64] = {};
  for (uint32_t i = 0; i < length; ++i) counted[i] = static_cast<uint8_t>(3 + i);
  for (uint32_t i = 0; i < 16; ++i) sevens[i] = 7;
  EXPECT_EQ(std::memcmp(&context.regs[kScalableSlot + 8 * 5], counted, 64), 0);
  EXPECT_EQ(std::memcmp(&context.regs[kScalableSlot + 8 * 6], sevens, 64), 0);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(context.known[kScalableSlot + 8 * 5 + i], kAllKnown);
  EXPECT_EQ(context.regs[SOFTLBR_A64_P0 + 3], 0x5555555555555555 & bytes);
  EXPECT_EQ(context.regs[SOFTLBR_A64_P0 + 4], 0u);
  EXPECT_EQ(context.regs[SOFTLBR_A64_FFR], bytes);
  for (uint32_t slot = SOFTLBR_A64_P0; slot <= SOFTLBR_A64_FFR; ++slot)
    EXPECT_EQ(context.known[slot], kAllKnown) << slot;
}

}  // namespace
}  // namespace softlbr::platform::testing
