// Records programs that use SIGTRAP themselves.
#include "tests/hazards/hazard_run.h"
#include "tests/platform/breakpoint_hits.h"

namespace softlbr::hazards {
namespace {

class SigtrapRecord : public HazardRun {};

TEST_F(SigtrapRecord, ProgramSeesOnlyTheHandlersItInstalled) {
  for (const uint64_t period : {1000003u, 100003u}) {
    period_ns_ = period;
    ExpectUndisturbed({Program("trap_handlers")});
    const json stats = Stats();
    EXPECT_GT(stats["samples"].get<uint64_t>(), 50u);
    EXPECT_EQ(stats["lost"].value("handler_replaced", 0), 0);
  }
}

TEST_F(SigtrapRecord, ProgramThatWaitsForSigtrapGetsOnlyItsOwn) {
  ExpectUndisturbed({Program("trap_blocked")});
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 100u);
}

TEST_F(SigtrapRecord, ChildrenInheritAnIgnoredSigtrap) {
  period_ns_ = 100003;
  const CommandResult plain = testing::RunCommand({Program("ignored_trap")});
  const CommandResult recorded = Recorded({Program("ignored_trap")});
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_EQ(recorded.exit_code, 0) << recorded.signal_number << recorded.err;
  EXPECT_EQ(recorded.out, plain.out);
  const json stats = Stats();
  EXPECT_GT(stats["samples"].get<uint64_t>(), 500u) << "sampled while SIGTRAP is ignored, and afterwards";
  EXPECT_EQ(stats["lost"].value("handler_replaced", 0), 0);
}

TEST_F(SigtrapRecord, HandlerInstalledThroughTheLibcGetsNoneOfOurTraps) {
  for (const char* way : {"libc", "syscall"}) {
    SCOPED_TRACE(way);
    ExpectUndisturbed({Program("raw_trap_handler"), way});
    // At most 3500; a sample takes as long as the period on some virtual machines. One that ends early has far fewer
    // than half.
    EXPECT_GT(Stats()["samples"].get<uint64_t>(), IsSmall() ? 200u : 1200u) << "sampled until its end";
  }
}

TEST_F(SigtrapRecord, ProgramThatLooksForPendingSignalsFindsOnlyItsOwn) {
  ExpectUndisturbed({Program("pending_trap")});
}

TEST_F(SigtrapRecord, WaitsThatUnblockSignalsEndByThoseOfTheProgramOnly) {
  ExpectUndisturbed({Program("masked_waits")});
}

TEST_F(SigtrapRecord, ProgramGetsEveryDebugRegister) {
  ExpectUndisturbed({Program("own_breakpoints")});
  const json stats = Stats();
  EXPECT_GT(stats["samples"].get<uint64_t>(), 500u) << "sampled until its end";
  EXPECT_EQ(stats["has_breakpoints"], platform::testing::HasBreakpointHits());
}

TEST_F(SigtrapRecord, HandlerInstalledByRawSystemCallEndsSampling) {
  const CommandResult recorded = Recorded({Program("raw_trap_handler"), "raw"}, {"-q"});
  EXPECT_EQ(recorded.exit_code, 3) << recorded.err;
  // The program gets our traps only until the control thread notices the handler: within a round of 8 ms, or later on a
  // busy machine. The whole run, 700 ms at 5 kHz, would bring 3500.
  EXPECT_LT(std::stoi("0" + recorded.out), 1000);
  EXPECT_GE(Lost("handler_replaced"), 1u);
  EXPECT_LT(Stats()["samples"].get<uint64_t>(), 1500u);
}

TEST_F(SigtrapRecord, CompilerWithItsOwnCrashHandlerCompiles) {
  if (!testing::HasProgram("clang-19")) GTEST_SKIP() << "missing: clang-19";
  const std::string source = folder_ / "x.c";
  testing::WriteFile(source, "int f(int a) { int s = 0; for (int i = 0; i < a; ++i) s += i * i % 7; return s; }\n");
  period_ns_ = 100003;
  for (int round = 0; round < 5; ++round) {
    const CommandResult recorded = Recorded({"clang-19", "-O2", "-c", source, "-o", folder_ / "x.o"}, {"-q"});
    ASSERT_EQ(recorded.exit_code, 0) << recorded.signal_number << recorded.err;
  }
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 20u);
}

TEST_F(SigtrapRecord, PointersThatTheKernelRefusesAreLeftToIt) { ExpectUndisturbed({Program("signal_pointers")}); }

// The kernel cannot put a signal frame there, so a signal of ours would end the program.
TEST_F(SigtrapRecord, AlternateStackTooSmallForAFrameIsNotUsed) {
  ExpectUndisturbed({Program("small_alternate_stack")});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 100u);
}

TEST_F(SigtrapRecord, UnmappedAlternateStackIsNotUsed) {
  ExpectUndisturbed({Program("unmaps_its_stack")});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 100u);
}

// The libc's functions that we replace, and our handler before the program's, are unwound through.
TEST_F(SigtrapRecord, UnwindingPassesThroughOurFunctions) { ExpectUndisturbed({Program("unwinding")}); }

}  // namespace
}  // namespace softlbr::hazards
