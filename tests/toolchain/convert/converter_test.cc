// Compares the converters' output for a synthetic profile with golden files. SOFTLBR_REBASE=1 rewrites them; review the
// diff.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/convert/converted_text.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/base/failure.h"
#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {
namespace {

using testing::ReadFile;
using testing::SyntheticProfile;
using testing::SyntheticProfileWithTraces;

void ExpectGolden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(SOFTLBR_GOLDEN_FOLDER) + "/" + name;
  if (std::getenv("SOFTLBR_REBASE") != nullptr) testing::WriteFile(path, actual);
  EXPECT_EQ(ReadFile(path), actual) << path;
}

// No file has the modules' build ids, so segments come from the profile.
ConvertInput Prepare(const Profile& profile, const std::string& module = "") {
  return PrepareConvertInput(profile, "test.slbr", module);
}

TEST(ConvertBolt, WritesLinkTimeAddressesAndExternalAsX0) {
  const Profile profile = SyntheticProfile();
  ExpectGolden("prog.bolt", ToBolt(Prepare(profile)));
}

TEST(ConvertBolt, LibraryProfileHasOnlyItsOwnAddresses) {
  const Profile profile = SyntheticProfile();
  ExpectGolden("libx.bolt", ToBolt(Prepare(profile, "libx.so")));
}

TEST(ConvertLlvm, WritesLinkTimeAddressesWithoutPrefix) {
  const Profile profile = SyntheticProfile();
  ExpectGolden("prog.llvm", ToLlvm(Prepare(profile)));
}

TEST(ConvertAutofdo, WritesFileOffsets) {
  const Profile profile = SyntheticProfile();
  const std::string text = ToAutofdo(Prepare(profile));
  EXPECT_NE(text.find("7a4->800:100"), std::string::npos);  // 0x17a4 is at file offset 0x7a4
  EXPECT_NE(text.find("7c0->0:7"), std::string::npos);      // a branch out of the binary
  EXPECT_EQ(text.find("7c5"), std::string::npos);           // a branch into the binary cannot be expressed
  ExpectGolden("prog.autofdo", text);
}

TEST(ConvertPerfScript, WritesTraceStacksNewestFirst) {
  const Profile profile = SyntheticProfileWithTraces();
  ExpectGolden("traces.perfscript", ToPerfScript(Prepare(profile)));
}

TEST(ConvertPerfScript, WithoutTracesCountsEachRangeOnceAndEachBranchTwice) {
  const Profile profile = SyntheticProfile();
  ExpectGolden("counts.perfscript", ToPerfScript(Prepare(profile)));
}

TEST(ConvertPerfData, WritesOneSamplePerTrace) {
  const Profile profile = SyntheticProfileWithTraces();
  const std::string bytes = ToPerfData(Prepare(profile));
  EXPECT_EQ(bytes.substr(0, 8), "PERFILE2");
  ExpectGolden("traces.perfdata", bytes);
}

TEST(ConvertPerfData, FailsWithoutTraces) {
  const Profile profile = SyntheticProfile();
  try {
    ToPerfData(Prepare(profile));
    FAIL() << "no failure";
  } catch (const StatedFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("record with --traces"), std::string::npos);
  }
}

TEST(ConvertPropeller, FailsWithoutModuleFile) {
  const Profile profile = SyntheticProfile();
  EXPECT_THROW(ToPropeller(Prepare(profile)), StatedFailure);
}

TEST(ConvertInput, DropsInvalidRows) {
  Profile profile = SyntheticProfile();
  profile.branches.push_back({{testing::kProg, 0x4790}, {testing::kProg, 0x17a0}, 3});  // data segment
  profile.branches.push_back({{testing::kProg, 0x17a0}, {testing::kProg, 0x99999999}, 3});
  profile.branches.push_back({{testing::kProg, 0x17a0}, {testing::kProg, 0x17a0}, 0});
  profile.ranges.push_back({testing::kProg, 0x17b0, 0x17a9, 5});      // reversed
  profile.ranges.push_back({testing::kProg, 0x700, 0x17a9, 5});       // starts outside every executable segment
  profile.ranges.push_back({testing::kProg, 0x1790, 0x4790, 5});      // ends in another segment
  profile.ranges.push_back({testing::kProg, 0x1790, 0x40001790, 5});  // too long
  profile.ranges.push_back({99, 0x1790, 0x1794, 5});                  // no such module
  const size_t ranges_before = Prepare(SyntheticProfile()).ranges.size();
  const ConvertInput input = Prepare(profile);
  EXPECT_EQ(input.ranges.size(), ranges_before);
  EXPECT_EQ(input.dropped.reversed.rows, 1u);
  EXPECT_EQ(input.dropped.outside_segments.rows, 2u);
  EXPECT_EQ(input.dropped.too_long.rows, 1u);
  EXPECT_EQ(input.dropped.branches_outside_segments.rows, 2u);
  EXPECT_EQ(input.dropped.zero_counts, 1u);
  EXPECT_EQ(DescribeDrops(input.dropped),
            "10 executions of 2 ranges outside executable segments, 5 executions of 1 reversed range, 5 executions of "
            "1 range of 1 MiB "
            "or more, 6 executions of 2 branches outside executable segments, 1 record with a count of 0");
  EXPECT_EQ(ToBolt(input), ToBolt(Prepare(SyntheticProfile())));
}

// docs/profile_format.md, "ranges": the ends are less than 1 MiB apart. The runtime drops longer ranges (Aggregator).
TEST(ConvertInput, DropsRangesLongerThanTheFormatAllows) {
  constexpr uint64_t kMiB = 1 << 20;
  Profile profile = SyntheticProfile();
  profile.modules[0].segments[1].memory_bytes = profile.modules[0].segments[1].file_bytes = 4 * kMiB;
  const size_t ranges_before = Prepare(profile).ranges.size();
  profile.ranges.push_back({testing::kProg, 0x1790, 0x1790 + kMiB - 1, 5});
  profile.ranges.push_back({testing::kProg, 0x1790, 0x1790 + kMiB, 5});
  const ConvertInput input = Prepare(profile);
  EXPECT_EQ(input.ranges.size(), ranges_before + 1);
  EXPECT_EQ(input.dropped.too_long.rows, 1u);
}

// Branches were recorded, and a longer run would give more of the same.
TEST(ConvertInput, TellsOfBranchesThatBelongToNoModule) {
  Profile profile = SyntheticProfile();
  profile.branches.clear();
  profile.ranges.clear();
  profile.counters.lost[static_cast<uint32_t>(LossReason::kUnmapped)] = 299008;
  const std::string text = DescribeEmptiness(Prepare(profile));
  EXPECT_NE(text.find("299,008 taken branches were recorded, all in code of no known module"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("longer run"), std::string::npos) << text;
  profile.counters.lost[static_cast<uint32_t>(LossReason::kUnmapped)] = 0;
  EXPECT_NE(DescribeEmptiness(Prepare(profile)).find("holds no taken branch"), std::string::npos);
}

TEST(ConvertInput, RefusesUnknownModule) {
  const Profile profile = SyntheticProfile();
  EXPECT_THROW(Prepare(profile, "liby.so"), StatedFailure);
  EXPECT_THROW(Prepare(profile, "/proc/self/exe"), StatedFailure);  // a file with another build id
}

TEST(ConvertInput, RefusesProfileWithoutMainModule) {
  Profile profile = SyntheticProfile();
  profile.modules[0].is_main = false;
  EXPECT_THROW(Prepare(profile), StatedFailure);
  EXPECT_NO_THROW(Prepare(profile, "prog"));
}

}  // namespace
}  // namespace softlbr::toolchain
