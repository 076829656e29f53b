// Tests the reader of the plugin's counts on text, sound and damaged.
#include "tests/reference/exact_profile.h"

#include <gtest/gtest.h>

#include <sstream>

#include "toolchain/base/failure.h"

namespace softlbr::reference {
namespace {

ExactProfiles Read(const std::string& text) {
  std::istringstream input(text);
  return ReadExactCounts(input, "/proc/self/exe");
}

std::string MessageOf(const std::string& text) {
  try {
    Read(text);
  } catch (const toolchain::StatedFailure& failure) {
    return failure.what();
  }
  return "";
}

// The file offset of a function's code in this program, and the line that names its file.
constexpr char kModule[] = "softlbr-exact 1\ntotals 30 7 2\nmodule 0 /proc/self/exe\n";
constexpr char kOneRun[] = "softlbr-exact 1\ntotals 30 1 0\nmodule 0 /proc/self/exe\n";

TEST(ExactProfile, AddsRunsOfOneBranchAndKeepsTheirRanges) {
  std::ostringstream text;
  text << kModule;
  // Offsets in the executable segment of this program: any will do that lie in it.
  const ExactProfiles empty = Read(std::string(kOneRun) + "run 0 0 0 0 0 0 1 0 0\n");
  EXPECT_EQ(empty.unmapped, 1u) << "offset 0 is the ELF header, no code";
  const toolchain::Segment* code = nullptr;
  for (const toolchain::Segment& segment : empty.exact.modules.at(0).segments) {
    if ((segment.flags & 1) != 0) code = &segment;
  }
  ASSERT_NE(code, nullptr);
  const auto at = [&](uint64_t distance) {
    std::ostringstream field;
    field << "0 " << std::hex << code->file_offset + distance << ' ';
    return field.str();
  };
  text << "run " << at(0) << at(16) << at(64) << "4 3 2\n"
       << "run " << at(8) << at(16) << at(64) << "3 1 0\n"
       << "pc " << at(8) << "2\n";
  const ExactProfiles profiles = Read(text.str());
  EXPECT_EQ(profiles.instructions, 30u);
  EXPECT_EQ(profiles.branches, 7u);
  ASSERT_EQ(profiles.exact.branches.size(), 1u);
  EXPECT_EQ(profiles.exact.branches[0].count, 7u);
  EXPECT_EQ(profiles.exact.branches[0].from.address, code->vaddr + 16);
  EXPECT_EQ(profiles.exact.branches[0].to.address, code->vaddr + 64);
  ASSERT_EQ(profiles.exact.ranges.size(), 2u);
  EXPECT_EQ(profiles.exact.ranges[0].count, 4u);
  ASSERT_EQ(profiles.sampled.branches.size(), 1u);
  EXPECT_EQ(profiles.sampled.branches[0].count, 4u);
  ASSERT_EQ(profiles.sampled.ranges.size(), 1u);
  EXPECT_EQ(profiles.sampled.ranges[0].count, 2u);
  ASSERT_EQ(profiles.sampled.samples.size(), 1u);
  EXPECT_EQ(profiles.sampled.samples[0].pc.address, code->vaddr + 8);
}

TEST(ExactProfile, RefusesWhatThePluginDoesNotWrite) {
  EXPECT_NE(MessageOf("").find("the first line"), std::string::npos);
  EXPECT_NE(MessageOf("softlbr-exact 1\n").find("not complete"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kModule) + "run 1 0 0 0 0 0 1 0 0\n").find("module number"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kModule) + "run 0 0 0 0 0 0\n").find("run 0"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kModule) + "module 7 /x\n").find("module 7"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kModule) + "what 1\n").find("what 1"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kOneRun) + "run 0 0 0 0 0 0 -1 0 0\n").find("-1 0 0"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kOneRun) + "run 0 0 0 0 0 0 0 0 0\n").find("run 0"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kModule) + "totals 30 7 2\n").find("totals"), std::string::npos);
  EXPECT_EQ(MessageOf(std::string(kOneRun) + "run 0 0 0 0 -1 7f0000000000 1 0 0\n"), "");
}

// As left by a full disk.
TEST(ExactProfile, RefusesTextThatEndsEarly) {
  EXPECT_NE(MessageOf(kModule).find("do not add up"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kModule) + "run 0 0 0 0 0 0 6 0 0\n").find("do not add up"), std::string::npos);
  EXPECT_NE(MessageOf(std::string(kModule) + "run 0 0 0 0 0 0 ffff 0 0\n").find("ffff"), std::string::npos);
  const std::string most = "run 0 0 0 0 0 0 18446744073709551615 0 0\n";
  EXPECT_NE(MessageOf(kModule + most + most).find("exceed 64 bits"), std::string::npos);
}

}  // namespace
}  // namespace softlbr::reference
