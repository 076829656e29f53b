// Records programs whose memory goes away while their threads are sampled.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class UnmappingRecord : public HazardRun {};

// Without guarded reads (runtime/lookahead/memory/guarded_read.h) the program dies of SIGSEGV, four times out of five within twenty
// seconds.
TEST_F(UnmappingRecord, PagesUnmappedConcurrentlyKillNobody) {
  period_ns_ = 100003;
  ExpectUndisturbed({Program("unmapper"), "2500"});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 1000u);
}

// A thread may unmap memory from its first instruction, and the main thread's reads are plain until it is known. The control thread
// looks for threads every 128 ms, and less often where the program sleeps, so it finds some of these by itself: 6 of 12 when it
// looked every 64 ms.
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

}  // namespace
}  // namespace softlbr::hazards
