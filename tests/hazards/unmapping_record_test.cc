// Programs whose memory goes away while their threads are watched.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class UnmappingRecord : public HazardRun {};

// Without the guard (runtime/lookahead/memory/guarded_read.h) it dies of SIGSEGV, four times out of five within twenty seconds.
TEST_F(UnmappingRecord, PagesThatAreUnmappedAllTheWhileKillNobody) {
  period_ns_ = 100003;
  ExpectUndisturbed({Program("unmapper"), "2500"});
  EXPECT_GT(Stats()["traces_complete"].get<uint64_t>(), 1000u);
}

}  // namespace
}  // namespace softlbr::hazards
