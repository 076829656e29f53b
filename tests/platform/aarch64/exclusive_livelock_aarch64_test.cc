// The effect of a breakpoint between a load-exclusive and its store, and of one behind the store. The runtime must
// never arm the first (docs/hazards.md, 5); these tests show that counting failed stores detects it.
#include <gtest/gtest.h>

#include "platform/breakpoint.h"
#include "platform/thread.h"
#include "tests/platform/trap_log.h"

namespace softlbr::platform::testing {
namespace {

// Tries to store at most `most` times. Each variant labels two addresses: between load and store, and behind the store.
// A nop is at each of them, which LogTrap skips.
struct Pair {
  const char* name;
  uint64_t (*try_to_store)(uint64_t* slot, uint64_t most);  // number of failures before the success, or `most`
  const char* between;
  const char* behind;
};

#define PAIR(kind, load, store)                                                    \
  extern "C" const char exclusive_##kind##_between[], exclusive_##kind##_behind[]; \
  __attribute__((noinline)) uint64_t Try_##kind(uint64_t* slot, uint64_t most) {   \
    uint64_t failed = 0;                                                           \
    __asm__ volatile("0: " load                                                    \
                     "\n add x9, x9, #1\n"                                         \
                     "exclusive_" #kind "_between: nop\n" store                    \
                     "\n"                                                          \
                     "exclusive_" #kind                                            \
                     "_behind: nop\n cbz w11, 9f\n add %0, %0, #1\n"               \
                     " cmp %0, %2\n b.lo 0b\n clrex\n9:"                           \
                     : "+r"(failed)                                                \
                     : "r"(slot), "r"(most)                                        \
                     : "x9", "x10", "x11", "memory", "cc");                        \
    return failed;                                                                 \
  }

PAIR(word, "ldxr x9, [%1]", "stxr w11, x9, [%1]")
PAIR(ordered, "ldaxr x9, [%1]", "stlxr w11, x9, [%1]")
PAIR(byte, "ldxrb w9, [%1]", "stxrb w11, w9, [%1]")
PAIR(pair, "ldxp x9, x10, [%1]", "stxp w11, x9, x10, [%1]")
PAIR(ordered_pair, "ldaxp x9, x10, [%1]", "stlxp w11, x9, x10, [%1]")

#define VARIANT(kind) \
  Pair { #kind, Try_##kind, exclusive_##kind##_between, exclusive_##kind##_behind }

class ExclusiveLivelock : public ::testing::TestWithParam<Pair> {
 protected:
  static constexpr uint64_t kMost = 300;
  void SetUp() override {
    SOFTLBR_NEEDS_BREAKPOINTS();
    ResetTrapLog();
    ASSERT_EQ(InstallTrapHandler(LogTrap), Status::kOk);
    ASSERT_EQ(OpenBreakpoint(CurrentThreadId(), &breakpoint_), Status::kOk);
  }
  void TearDown() override {
    if (breakpoint_.fd >= 0) CloseBreakpoint(&breakpoint_);
    RestoreTrapHandler();
  }
  // How often the store failed while a breakpoint was armed at `address`.
  uint64_t FailedWith(const char* address) {
    EXPECT_EQ(ArmBreakpoint(&breakpoint_, reinterpret_cast<uint64_t>(address), 0), Status::kOk);
    const uint64_t failed = GetParam().try_to_store(target_, kMost);
    EXPECT_EQ(DisarmBreakpoint(&breakpoint_), Status::kOk);
    return failed;
  }
  alignas(16) uint64_t target_[2] = {};
  Breakpoint breakpoint_;
};

TEST_P(ExclusiveLivelock, BreakpointBetweenLoadAndStoreStopsProgress) {
  EXPECT_EQ(FailedWith(GetParam().between), kMost) << "it never succeeds";
  EXPECT_EQ(g_log.count.load(), kMost);
  EXPECT_EQ(target_[0], 0u);
}

TEST_P(ExclusiveLivelock, StoreSucceedsWithABreakpointBehindIt) {
  constexpr uint64_t kRounds = 50;
  uint64_t failed = 0;
  for (uint64_t i = 0; i < kRounds; ++i) failed += FailedWith(GetParam().behind);
  EXPECT_LT(failed, 10u) << "only occasional interrupts";
  EXPECT_EQ(g_log.count.load(), kRounds);
  EXPECT_EQ(g_log.traps[0].pc, reinterpret_cast<uint64_t>(GetParam().behind));
  EXPECT_EQ(target_[0], kRounds);
}

INSTANTIATE_TEST_SUITE_P(Of, ExclusiveLivelock,
                         ::testing::Values(VARIANT(word), VARIANT(ordered), VARIANT(byte), VARIANT(pair),
                                           VARIANT(ordered_pair)),
                         [](const ::testing::TestParamInfo<Pair>& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace softlbr::platform::testing
