// A program that tests all its anonymous memory: it overwrites and restores what it finds, whoever uses it.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class MemoryTestRecord : public HazardRun {};

TEST_F(MemoryTestRecord, FindsNothingOfOurs) {
  period_ns_ = 50000;
  // Some 50 ms alone, of which hardly more than a thread's own page is left out.
  ExpectUndisturbed({Program("tests_memory"), "1000"});
  const json stats = Stats();
  EXPECT_GT(stats["samples"].get<uint64_t>(), 100u);
  EXPECT_EQ(stats["is_truncated"], false);
  EXPECT_EQ(Lost("memory_damaged"), 0u);
}

}  // namespace
}  // namespace softlbr::hazards
