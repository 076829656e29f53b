// The files that list critical sections are read before a thread can have a breakpoint, and not without need.
#include <gtest/gtest.h>

#include <memory>

#include "platform/thread.h"
#include "runtime/session/session.h"
#include "runtime/watch/module_refresh.h"
#include "runtime/watch/timer_sampling.h"

namespace softlbr {
namespace {

class CriticalSectionReading : public ::testing::Test {
 protected:
  void SetUp() override {
    session_->modules.code_maps = maps_.get();
    session_->modules.tables = tables_.get();
    session_->environment.code_map.store(&maps_[0]);
    session_->environment.cache = cache_.get();
    session_->control.thread.is_helper = true;  // wishes for timers are left to handlers
    session_->info.has_breakpoints = 1;
  }
  bool AreRead() {
    const CodeMap* map = session_->environment.code_map.load();
    EXPECT_NE(map->code_count, 0u);
    return map->has_unsettled_critical_sections == 0;
  }
  void Read() { (void)ReadModules(session_.get(), platform::MonotonicNs()); }

  std::unique_ptr<Session> session_ = std::make_unique<Session>();
  std::unique_ptr<CodeMap[]> maps_ = std::make_unique<CodeMap[]>(2);
  std::unique_ptr<ModuleTable[]> tables_ = std::make_unique<ModuleTable[]>(2);
  std::unique_ptr<BlockCache> cache_ = std::make_unique<BlockCache>();
};

TEST_F(CriticalSectionReading, HappensWhereThreadsHaveBreakpoints) {
  Read();
  EXPECT_TRUE(AreRead());
}

TEST_F(CriticalSectionReading, DoesNotHappenWithoutBreakpoints) {
  session_->info.has_breakpoints = 0;
  Read();
  EXPECT_FALSE(AreRead());
  session_->timers.is_active = true;
  EndTimers(session_.get());
  EXPECT_FALSE(AreRead());
}

TEST_F(CriticalSectionReading, HappensAtTheLatestWhenTimersEnd) {
  session_->timers.is_active = true;
  Read();
  EXPECT_FALSE(AreRead());
  EndTimers(session_.get());  // soon after a change of the map, which must first be left by handlers
  EXPECT_TRUE(AreRead());
  session_->timers.is_active = true;  // a thread may keep its breakpoint for a moment
  Read();
  EXPECT_TRUE(AreRead());
}

}  // namespace
}  // namespace softlbr
