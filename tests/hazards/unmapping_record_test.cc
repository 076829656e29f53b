// Records programs whose memory goes away while their threads are sampled.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class UnmappingRecord : public HazardRun {};

// Without guarded reads (runtime/lookahead/memory/guarded_read.h) the program dies of SIGSEGV, four times out of five
// within twenty seconds.
TEST_F(UnmappingRecord, PagesUnmappedConcurrentlyKillNobody) {
  period_ns_ = 100003;
  ExpectUndisturbed({Program("unmapper"), "2500"});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 1000u);
}

// A thread may unmap memory from its first instruction, and the main thread's reads are plain until it is known. The
// control thread looks for threads every 128 ms, and less often where the program sleeps, so it finds some of these by
// itself: 6 of 12 when it looked every 64 ms.
TEST_F(UnmappingRecord, SecondThreadIsKnownAtOnce) {
  constexpr int kBirths = 12;
  for (const char* function : {"pthread", "thrd"}) {
    ExpectUndisturbed({Program("late_threads"), function, std::to_string(kBirths), "30"});
    EXPECT_GE(Stats()["threads_traced"].get<int>(), 1 + kBirths * 3 / 4) << function;
  }
}

// Look-ahead follows the reader past the moment at which it may read. Plain reads end in SIGBUS within a second.
TEST_F(UnmappingRecord, FileShortenedByAnotherProcessKillsNobody) {
  period_ns_ = 100003;
  ExpectUndisturbed({Program("shrinking_file"), "2500"});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 1000u);
}

// They change no mapping. Plain reads end in SIGSEGV, in one of three such runs.
TEST_F(UnmappingRecord, GuardsThatAnotherThreadPutsOnPagesKillNobody) {
  period_ns_ = 100003;
  if (testing::RunCommand({Program("unseen_unmapping"), "guards", "10"}).exit_code == 77)
    GTEST_SKIP() << "missing: MADV_GUARD_INSTALL";
  ExpectUndisturbed({Program("unseen_unmapping"), "guards", "4000"}, {"--max-overhead", "100%"});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 1000u);
}

// It is no thread of the program. Plain reads end likewise.
TEST_F(UnmappingRecord, PagesUnmappedByAProcessThatSharesTheMemoryKillNobody) {
  period_ns_ = 100003;
  ExpectUndisturbed({Program("unseen_unmapping"), "sharer", "4000"}, {"--max-overhead", "100%"});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 1000u);
}

// A page that only look-ahead asks for would be waited for until the lock is free that the waiting thread itself holds.
TEST_F(UnmappingRecord, ProgramThatServesItsPageFaultsIsNotReadAhead) {
  period_ns_ = 100003;
  const CommandResult plain = testing::RunCommand({Program("serves_faults")});
  if (plain.exit_code == 77) GTEST_SKIP() << "missing: userfaultfd";
  const CommandResult recorded = Recorded({Program("serves_faults")}, {"--max-overhead", "100%"});
  EXPECT_EQ(recorded.exit_code, plain.exit_code);
  EXPECT_EQ(recorded.out, plain.out);
  EXPECT_NE(recorded.err.find("serves page faults itself (userfaultfd)"), std::string::npos) << recorded.err;
}

// Look-ahead keeps copies of such a file. What it takes together must have been there together, and still most paths
// are recorded.
TEST_F(UnmappingRecord, WordsOfAFileThatAnotherProcessWritesAreOfOneMoment) {
  period_ns_ = 100003;
  ExpectUndisturbed({Program("sequence_lock"), "2500"}, {"--no-children", "--paths"});
  const json stats = Stats();
  EXPECT_GT(stats["samples"], 500);
  EXPECT_GT(stats["traces_complete"].get<double>(), 0.8 * stats["samples"].get<double>());
  const CommandResult report = testing::RunSoftlbr({"report", profile_, "--json", "--top", "10000"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  EXPECT_NE(report.out.find("\"read_words\""), std::string::npos);
  EXPECT_EQ(report.out.find("never_called"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::hazards
