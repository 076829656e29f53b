// A program that locks its memory, under limits that do not allow for ours.
#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class MemoryLockRecord : public HazardRun {};

TEST_F(MemoryLockRecord, SessionDoesNotCountAgainstTheLimit) {
  const CommandResult plain = testing::RunCommand({Program("locks_memory")});
  if (plain.exit_code != 0 || plain.out.find("current: done") == std::string::npos) {
    GTEST_SKIP() << "missing: the right to become another user, or memory to lock: " << plain.out << plain.err;
  }
  ExpectUndisturbed({Program("locks_memory")});
  EXPECT_GT(Stats()["samples"].get<uint64_t>(), 50u);
}

}  // namespace
}  // namespace softlbr::hazards
