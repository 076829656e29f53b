// Executed instructions and blocks: counts of a known profile over known code, and kinds of known instructions.
#include <elf.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/sample_event.h"
#include "tests/toolchain/code/tiny_loop.h"
#include "tests/toolchain/commands/run_command.h"
#include "toolchain/base/failure.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/code/block_counts.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/code/mnemonic_groups.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;

using testing::kLoopBase;

// A file of the tiny loop and a profile of it.
class ExecutedCodeX86 : public ::testing::Test {
 protected:
  void SetUp() override {
    program_ = folder_ / "tiny";
    profile_ = folder_ / "p.slbr";
    testing::WriteTinyLoop(program_);
    ASSERT_EQ(WriteProfileFile(testing::TinyLoopProfile(program_, 1), profile_), "");
  }

  json Blocks() {
    BlocksOptions options;
    options.profile = profile_;
    options.binaries = {program_};
    options.json = true;
    std::ostringstream out;
    EXPECT_EQ(RunBlocks(options, out), 0);
    return json::parse(out.str());
  }

  testing::TemporaryFolder folder_;
  std::string program_;
  std::string profile_;
};

TEST_F(ExecutedCodeX86, BlocksEndAtBranchesAndBeforeTheirTargets) {
  const json result = Blocks();
  EXPECT_EQ(result["executed_instructions"], 160);
  EXPECT_EQ(result["samples"], 4);
  ASSERT_EQ(result["blocks"].size(), 3u);
  std::map<uint64_t, json> by_address;
  for (const json& block : result["blocks"]) by_address[block["address"].get<uint64_t>() - kLoopBase] = block;
  EXPECT_EQ(by_address[0]["executions"], 30);
  EXPECT_EQ(by_address[0]["bytes"], 7);
  EXPECT_EQ(by_address[7]["executions"], 20);
  EXPECT_EQ(by_address[7]["instructions"], 2);
  EXPECT_EQ(by_address[9]["executions"], 30);
  EXPECT_EQ(by_address[9]["end"], "conditional");
  EXPECT_EQ(by_address[7]["end"], nullptr);
  // 40 instructions a sample: 3 samples in 2 instructions, 1 sample in 2.
  EXPECT_DOUBLE_EQ(by_address[7]["executions_by_samples"], 60.0);
  EXPECT_DOUBLE_EQ(by_address[9]["executions_by_samples"], 20.0);
  EXPECT_DOUBLE_EQ(by_address[0]["executions_by_samples"], 0.0);
}

// Whatever tree is trained: report counts by the ranges alone unless samples are by instructions.
TEST(CountSource, IsSamplesOnlyIfTheyAreByInstructions) {
  BlockFeatures features;
  bool is_ever_samples = false;
  for (features.instructions = 1; features.instructions < 1000; features.instructions *= 1.5) {
    for (features.samples = 0; features.samples < 1e6; features.samples = features.samples * 1.5 + 1) {
      for (features.starts = 0; features.starts <= 1; features.starts += 1.0 / 1024) {
        features.is_by_instructions = false;
        ASSERT_EQ(CountSourceOf(features), CountSource::kBranches);
        features.is_by_instructions = true;
        is_ever_samples = is_ever_samples || CountSourceOf(features) == CountSource::kSamples;
      }
    }
  }
  EXPECT_TRUE(is_ever_samples);
}

// The rule of toolchain/code/count_source.cc on both sides of its cutoff.
TEST_F(ExecutedCodeX86, HybridTakesSamplesOnlyIfTheyAreByInstructionsAndEnough) {
  auto read = ReadProfileFile(profile_);
  ASSERT_TRUE(std::holds_alternative<Profile>(read));
  Profile profile = std::get<Profile>(std::move(read));
  profile.samples = {{{0, kLoopBase + 8}, 6}, {{0, kLoopBase + 9}, 2}};
  for (uint8_t event = 0; event < platform::kSampleEventCount; ++event) {
    if (static_cast<platform::SampleEvent>(event) == platform::SampleEvent::kInstructions) continue;
    profile.sessions[0].event = event;
    ASSERT_EQ(WriteProfileFile(profile, profile_), "");
    const json other = Blocks();
    for (const json& block : other["blocks"]) {
      EXPECT_EQ(block["hybrid_from"], "branches") << int{event};
      EXPECT_EQ(block["executions_hybrid"], block["executions"]);
    }
  }
  profile.sessions[0].event = static_cast<uint8_t>(platform::SampleEvent::kInstructions);
  ASSERT_EQ(WriteProfileFile(profile, profile_), "");
  std::map<uint64_t, json> by_address;
  const json result = Blocks();
  for (const json& block : result["blocks"]) by_address[block["address"].get<uint64_t>() - kLoopBase] = block;
  EXPECT_EQ(by_address[7]["hybrid_from"], "samples");  // 6 samples
  EXPECT_DOUBLE_EQ(by_address[7]["executions_hybrid"], 60.0);
  EXPECT_EQ(by_address[9]["hybrid_from"], "branches");  // 2 samples
  EXPECT_DOUBLE_EQ(by_address[9]["executions_hybrid"], 30.0);
}

TEST_F(ExecutedCodeX86, ReportCountsAsManyInstructions) {
  ReportOptions options;
  options.profiles = {profile_};
  options.binaries = {program_};
  options.json = true;
  std::ostringstream out;
  ASSERT_EQ(RunReport(options, out), 0);
  EXPECT_EQ(json::parse(out.str())["executed_instructions"], Blocks()["executed_instructions"]);
}

bool HasCapstone() {
  try {
    const InstructionKinds kinds(EM_X86_64);
    return true;
  } catch (const StatedFailure&) {
    return false;
  }
}

TEST_F(ExecutedCodeX86, MixCountsByOneOrTwoDimensions) {
  if (!HasCapstone()) GTEST_SKIP() << "missing: libcapstone.so.4";
  MixOptions options;
  options.profiles = {profile_};
  options.binaries = {program_};
  options.by = {"mnemonic", "branch"};
  options.csv = true;
  std::ostringstream out;
  ASSERT_EQ(RunMix(options, out), 0);
  EXPECT_EQ(out.str(),
            "mnemonic,branch,instructions,share\r\n\"nop\",\"none\",40,0.25\r\n\"dec\",\"none\",30,0.1875\r\n"
            "\"je\",\"conditional\",30,0.1875\r\n\"jne\",\"conditional\",30,0.1875\r\n\"mov\",\"none\",30,0.1875\r\n");
  options.by = {"memory"};
  options.csv = false;
  options.json = true;
  std::ostringstream memory;
  ASSERT_EQ(RunMix(options, memory), 0);
  const json table = json::parse(memory.str())["tables"][0];
  ASSERT_EQ(table["rows"].size(), 1u);
  EXPECT_EQ(table["rows"][0]["memory"], "none");
  EXPECT_EQ(table["rows"][0]["instructions"], 160);
}

// Threads are told apart by whole traces alone.
TEST_F(ExecutedCodeX86, MixByThreadIsThatOfTheTraces) {
  if (!HasCapstone()) GTEST_SKIP() << "missing: libcapstone.so.4";
  MixOptions options;
  options.profiles = {profile_};
  options.binaries = {program_};
  options.by = {"thread"};
  options.csv = true;
  std::ostringstream out;
  try {
    RunMix(options, out);
    ADD_FAILURE() << "no traces are needed";
  } catch (const StatedFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("record it with --traces"), std::string::npos) << failure.what();
  }
  auto read = ReadProfileFile(profile_);
  Profile profile = std::get<Profile>(std::move(read));
  const Location start{0, kLoopBase}, over{0, kLoopBase + 9}, skip{0, kLoopBase + 5}, back{0, kLoopBase + 11};
  // twice through all 6 instructions
  Trace through{7, start, AbortReason::kNone, {{back, start}, {back, start}, {back, start}}};
  Trace around{8, start, AbortReason::kNone, {{back, start}, {skip, over}, {back, start}}};  // once over the two nops
  profile.traces = {through, around, through};
  ASSERT_EQ(WriteProfileFile(profile, profile_), "");
  std::ostringstream threads;
  ASSERT_EQ(RunMix(options, threads), 0);
  EXPECT_EQ(threads.str(),
            "thread,instructions,share\r\n\"(in no whole trace)\",132,0.825\r\n\"7\",24,0.15\r\n\"8\",4,0.025\r\n");
  // All of the recording is in traces; its weights are not 1.
  profile.traces.clear();
  for (int i = 0; i < 10; ++i) profile.traces.push_back(around);
  for (int i = 0; i < 10; ++i) profile.traces.push_back(through);
  for (RangeCount& range : profile.ranges) range.count /= 2;
  ASSERT_EQ(WriteProfileFile(profile, profile_), "");
  options.by = {"thread", "mnemonic"};
  std::ostringstream weighted;
  ASSERT_EQ(RunMix(options, weighted), 0);
  EXPECT_EQ(weighted.str().find("whole trace"), std::string::npos) << weighted.str();
  EXPECT_NE(weighted.str().find("\"7\",\"nop\",20,"), std::string::npos) << weighted.str();
  EXPECT_EQ(weighted.str().find("\"8\",\"nop\""), std::string::npos) << weighted.str();
  EXPECT_NE(weighted.str().find("\"8\",\"mov\",5,"), std::string::npos) << weighted.str();
  EXPECT_NE(weighted.str().find("\"7\",\"mov\",10,"), std::string::npos) << weighted.str();
}

TEST_F(ExecutedCodeX86, WrongGroupFilesAreStatedWithLineAndRemedy) {
  const std::string file = folder_ / "groups";
  for (const auto& [text, place, cause] : {std::tuple("div\n", ":1: ", "no colon"),
                                           {"\n: div\n", ":2: ", "no name"},
                                           {"# a\na: div,,mul\n", ":2: ", "is missing"},
                                           {"a:\n", ":1: ", "is missing"},
                                           {"a: div\nb: mul, DIV\n", ":2: ", "in the groups a and b"},
                                           {"a: d*v\n", ":1: ", "not at its end"},
                                           {"# nothing\n", "", "defines no group"}}) {
    std::ofstream(file) << text;
    try {
      const MnemonicGroups groups(file);
      ADD_FAILURE() << text;
    } catch (const StatedFailure& failure) {
      const std::string message = failure.what();
      EXPECT_TRUE(message.starts_with(file + place)) << message;
      EXPECT_NE(message.find(cause), std::string::npos) << message;
      EXPECT_NE(message.find("; "), std::string::npos) << "no remedy: " << message;
    }
  }
  EXPECT_THROW(MnemonicGroups(folder_ / "none"), StatedFailure);
  EXPECT_THROW(MnemonicGroups(std::filesystem::path(file).parent_path()), StatedFailure);
}

TEST_F(ExecutedCodeX86, TheLongestPatternOfAGroupDecides) {
  const std::string file = folder_ / "groups";
  std::ofstream(file) << "all: *\nmoves: mov*\r\nscalar moves: movs*\nstring: movsb\nstring: cmpsb, MovSD\n";
  const MnemonicGroups groups(file);
  EXPECT_EQ(groups.Of("add"), "all");
  EXPECT_EQ(groups.Of("mov"), "moves");
  EXPECT_EQ(groups.Of("movss"), "scalar moves");
  EXPECT_EQ(groups.Of("movsd"), "string");
  std::ofstream(file) << "moves: mov\n";
  EXPECT_EQ(MnemonicGroups(file).Of("add"), "(other)");
}

TEST_F(ExecutedCodeX86, WrongUseAndMissingFilesAreStated) {
  MixOptions options;
  options.profiles = {profile_};
  options.by = {"colour"};
  std::ostringstream out;
  EXPECT_THROW(RunMix(options, out), UsageFailure);
  options.by = {"module", "line", "module"};
  EXPECT_THROW(RunMix(options, out), UsageFailure);
  options.by = {"group"};
  EXPECT_THROW(RunMix(options, out), UsageFailure);
  options.groups = program_;
  options.by = {"line"};
  EXPECT_THROW(RunMix(options, out), UsageFailure);
  options.by = {};
  options.csv = true;
  EXPECT_THROW(RunMix(options, out), UsageFailure);
  std::filesystem::remove(program_);
  BlocksOptions blocks;
  blocks.profile = profile_;
  EXPECT_THROW(RunBlocks(blocks, out), StatedFailure);
}

struct KnownKind {
  std::vector<uint8_t> code;
  InstructionKind kind;
};

void ExpectKinds(uint16_t machine, const std::vector<KnownKind>& known) {
  if (!HasCapstone()) GTEST_SKIP() << "missing: libcapstone.so.4";
  const InstructionKinds kinds(machine);
  for (const auto& [code, expected] : known) {
    const InstructionKind kind = kinds.Of(code, kLoopBase);
    SCOPED_TRACE(expected.mnemonic);
    EXPECT_EQ(kind.mnemonic, expected.mnemonic);
    EXPECT_EQ(kind.extension, expected.extension);
    EXPECT_EQ(kind.packing, expected.packing);
    EXPECT_EQ(kind.memory, expected.memory);
  }
}

TEST(InstructionKindsX86, AreThoseOfTheManual) {
  ExpectKinds(EM_X86_64, {
                             {{0x89, 0x08}, {"mov", "base", "none", "write"}},
                             {{0x01, 0x08}, {"add", "base", "none", "read+write"}},
                             {{0x03, 0x08}, {"add", "base", "none", "read"}},
                             {{0x48, 0x8d, 0x04, 0x08}, {"lea", "base", "none", "none"}},
                             {{0x50}, {"push", "base", "none", "write"}},
                             {{0xc3}, {"ret", "base", "none", "read"}},
                             {{0xf2, 0x0f, 0x58, 0xc1}, {"addsd", "sse2", "scalar", "none"}},
                             {{0x66, 0x0f, 0xfe, 0xc1}, {"paddd", "sse2", "packed 128", "none"}},
                             {{0xc5, 0xf5, 0x58, 0x00}, {"vaddpd", "avx", "packed 256", "read"}},
                             {{0xf3, 0x0f, 0x1e, 0xfa}, {"endbr64", "cet", "none", "none"}},
                             {{0x06}, {"(unknown)", "(unknown)", "none", "none"}},
                             {{0x62, 0xf1, 0x64, 0x48, 0x58, 0xe4}, {"vaddps", "avx512", "packed 512", "none"}},
                             {{0x62, 0xf1, 0xed, 0xc9, 0x58, 0xc1}, {"vaddpd", "avx512", "packed 512", "none"}},
                             {{0x62, 0xf1, 0x74, 0x58, 0x58, 0x00}, {"vaddps", "avx512", "packed 512", "read"}},
                             {{0x62, 0xf1, 0x7c, 0x48, 0x28, 0xe3}, {"vmovaps", "avx512", "packed 512", "none"}},
                             {{0x62, 0xf2, 0x65, 0x48, 0x9c, 0xe6}, {"(unknown)", "avx512", "packed 512", "none"}},
                             {{0x62, 0xf2, 0x7d, 0x48, 0x18, 0x0d, 0x03, 0x0d, 0x00, 0x00},
                              {"vbroadcastss", "avx512", "packed 512", "read"}},
                         });
}

TEST(InstructionKindsA64, AreThoseOfTheManual) {
  ExpectKinds(EM_AARCH64, {
                              {{0x20, 0x00, 0x40, 0xf9}, {"ldr", "base", "none", "read"}},
                              {{0x20, 0x00, 0x00, 0xf9}, {"str", "base", "none", "write"}},
                              {{0x20, 0x84, 0xa2, 0x4e}, {"add", "neon", "packed 128", "none"}},
                              {{0x20, 0x28, 0x62, 0x1e}, {"fadd", "fparmv8", "scalar", "none"}},
                          });
}

}  // namespace
}  // namespace softlbr::toolchain
