// Why a recording holds no branch: each cause is told from the counters, with a remedy for it.
#include "toolchain/record/record_causes.h"

#include <gtest/gtest.h>

#include "tests/toolchain/profile/synthetic_profile.h"

namespace softlbr::toolchain {
namespace {

Profile WithoutSamples() {
  Profile profile = testing::SyntheticProfile();
  SessionCounters& counters = profile.counters;
  counters = {};
  counters.threads_traced = 1;
  counters.app_cpu_ns = 400000000;
  return profile;
}

TEST(WhyNoBranch, NamesThePauseForContextSwitches) {
  Profile profile = WithoutSamples();
  profile.counters.paused_cpu_ns = 390000000;
  const std::string why = WhyNoBranch(profile, profile.counters.app_cpu_ns, true);
  EXPECT_NE(why.find("sampling was paused for 390.0 ms of 400.0 ms CPU time"), std::string::npos) << why;
  EXPECT_NE(why.find("a larger --max-overhead"), std::string::npos) << why;
  EXPECT_EQ(why.find("-c PERIOD"), std::string::npos) << "a smaller period does not help: " << why;
}

TEST(WhyNoBranch, DoesNotBlameAShortPause) {
  Profile profile = WithoutSamples();
  profile.counters.paused_cpu_ns = 1000000;
  const std::string why = WhyNoBranch(profile, profile.counters.app_cpu_ns, true);
  EXPECT_NE(why.find("but no sample came"), std::string::npos) << why;
}

}  // namespace
}  // namespace softlbr::toolchain
