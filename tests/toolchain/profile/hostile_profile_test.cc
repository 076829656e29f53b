// Runs everything that works on a profile in memory on profiles that no recorder would write.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "platform/base/elf_machine.h"
#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/convert/converted_text.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/base/failure.h"
#include "toolchain/commands/report_data.h"
#include "toolchain/convert/converters.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {
namespace {

constexpr int kRounds = 400;

class Chaos {
 public:
  explicit Chaos(uint32_t seed) : random_(seed) {}

  uint64_t Number() {
    static constexpr uint64_t kEdges[] = {0,
                                          1,
                                          0xfff,
                                          0x1000,
                                          0x1790,
                                          0x17a4,
                                          0x7fffffff,
                                          0x80000000,
                                          uint64_t{1} << 46,
                                          INT64_MAX,
                                          UINT64_MAX - 1,
                                          UINT64_MAX};
    return Pick(3) == 0 ? random_() : kEdges[Pick(std::size(kEdges))] + Pick(2);
  }
  size_t Pick(size_t below) { return static_cast<size_t>(random_() % below); }
  Location Place() { return {static_cast<uint32_t>(Pick(4) == 0 ? Number() : Pick(4)), Number()}; }

  Profile MakeProfile() {
    Profile profile = testing::SyntheticProfileWithTraces();
    ProfileSession session = profile.sessions[0];
    session.arch = static_cast<uint16_t>(Number());
    session.event = static_cast<uint8_t>(Number());
    session.resolve = static_cast<ResolvePolicy>(Number());
    profile.sessions.push_back(session);
    profile.counters.taken_branches = Number();
    for (size_t i = Pick(3); i > 0; --i) {
      ProfileModule module;
      module.name = Pick(2) == 0 ? "prog" : std::string("a\0b/..\n\x1b", 8);
      module.machine = static_cast<uint16_t>(Pick(2) == 0 ? kMachineX86_64 : Number());
      module.elf_type = static_cast<uint16_t>(Pick(4));
      module.is_main = Pick(2) == 0;
      for (size_t k = Pick(4); k > 0; --k) {
        module.segments.push_back({Number(), Number(), Number(), Number(), static_cast<uint32_t>(Pick(8))});
      }
      profile.modules.insert(profile.modules.begin() + static_cast<ptrdiff_t>(Pick(profile.modules.size() + 1)),
                             module);
    }
    for (size_t i = Pick(20); i > 0; --i) {
      profile.branches.push_back({Place(), Place(), Number()});
      profile.ranges.push_back({Place().module, Number(), Number(), Number()});
      profile.samples.push_back({Place(), Number()});
      Trace trace;
      trace.sampled_pc = Place();
      trace.reason = static_cast<AbortReason>(Number());
      for (size_t k = Pick(5); k > 0; --k) trace.branches.push_back({Place(), Place()});
      profile.traces.push_back(trace);
    }
    return profile;
  }

 private:
  std::mt19937_64 random_;
};

TEST(HostileProfile, IsConvertedOrRefusedInEveryFormat) {
  using Converter = std::string (*)(const ConvertInput&);
  constexpr Converter kConverters[] = {ToBolt, ToLlvm, ToAutofdo, ToPropeller, ToPerfScript, ToPerfData};
  size_t converted = 0;
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    SCOPED_TRACE(seed);
    Profile profile = Chaos(seed).MakeProfile();
    if (seed % 2 == 0) profile.traces.clear();
    for (const Converter convert : kConverters) {
      try {
        const ConvertInput input = PrepareConvertInput(profile, "p.slbr", "");
        converted += !convert(input).empty();
        for (const ConvertRange& range : input.ranges) ASSERT_LE(range.first, range.last);
      } catch (const StatedFailure& failure) {
        EXPECT_NE(std::string(failure.what()), "");
      }
    }
  }
  EXPECT_GT(converted, 0u);
}

TEST(HostileProfile, IsReportedMergedAndCounted) {
  const ModuleFiles files({}, "p.slbr");
  for (uint32_t seed = 0; seed < kRounds; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = Chaos(seed).MakeProfile();
    Symbolizer symbolizer(profile, files);
    const ReportData data = BuildReport(profile, &symbolizer, 5);
    EXPECT_LE(data.branches.size(), 5u);
    for (const BranchReport& branch : data.branches) {
      EXPECT_EQ(symbolizer.Describe(branch.from).find('\x1b'), std::string::npos);
    }
    ProfileBuilder builder;
    ASSERT_TRUE(builder.AddProfile(profile, nullptr) && builder.AddProfile(Chaos(seed + 1).MakeProfile(), nullptr));
    const Profile sum = builder.Take();
    EXPECT_GE(TotalBranches(sum), TotalBranches(profile));
    for (const BranchCount& branch : sum.branches) {
      EXPECT_TRUE(branch.from.module == kNoModule || branch.from.module < sum.modules.size());
    }
  }
}

}  // namespace
}  // namespace softlbr::toolchain
