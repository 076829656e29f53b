// Recorded programs do not see the control thread: neither a thread nor a child, nor what would follow from one.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class HelperRecord : public HazardRun {};

class Alone : public HelperRecord, public ::testing::WithParamInterface<const char*> {};

TEST_P(Alone, ProgramIsUndisturbed) {
  if (!HasHelper()) GTEST_SKIP() << "needs perf_event_open on the threads of another process";
  ExpectUndisturbed({Program("alone"), GetParam()});
  const json stats = Stats();
  ASSERT_FALSE(stats.empty());
  EXPECT_EQ(stats["is_truncated"], false);
  EXPECT_GT(stats["samples"].get<uint64_t>(), 10u);
  // The clock of a program that has ended reads 0.
  EXPECT_GT(stats["app_cpu_ns"].get<uint64_t>(), 0u);
  EXPECT_LT(stats["app_cpu_ns"].get<uint64_t>(), 100 * stats["duration_ns"].get<uint64_t>());
}

INSTANTIATE_TEST_SUITE_P(Ways, Alone, ::testing::Values("threads", "raw_exit", "namespaces", "user", "signals", "children", "exec"),
                         [](const auto& way) { return std::string(way.param); });

}  // namespace
}  // namespace softlbr::hazards
