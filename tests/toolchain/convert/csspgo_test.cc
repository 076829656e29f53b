// Tests the call chains of `convert --to csspgo` on a program of a few bytes, with a golden file, and their bounds on
// hostile traces.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "tests/toolchain/binary/tiny_elf.h"
#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/base/failure.h"
#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kTinyBase = 0x401000;
constexpr uint64_t kCaller = kTinyBase;            // call kCallee
constexpr uint64_t kReturnTo = kTinyBase + 5;      // nop
constexpr uint64_t kJumpBack = kTinyBase + 6;      // jmp kCaller
constexpr uint64_t kOuterReturn = kTinyBase + 8;   // ret
constexpr uint64_t kCallee = kTinyBase + 10;       // je kReturn
constexpr uint64_t kReturn = kTinyBase + 14;       // ret
constexpr uint64_t kRecursion = kTinyBase + 16;    // call kRecursion
constexpr uint64_t kOutsideCall = kTinyBase + 22;  // call *rax
const std::vector<uint8_t> kTinyCode = {0xe8, 5,    0,    0,    0,    0x90, 0xeb, 0xf8, 0xc3, 0x90, 0x74, 2,    0x90,
                                        0x90, 0xc3, 0x90, 0xe8, 0xfb, 0xff, 0xff, 0xff, 0x90, 0xff, 0xd0, 0x90, 0xc3};

class ConvertCsspgo : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Decoder::ForMachine(EM_X86_64) == nullptr) GTEST_SKIP() << "missing: an x86_64 decoder plugin";
    path_ = folder_ / "tiny";
    testing::WriteFile(path_, testing::TinyElf(EM_X86_64, kTinyBase, kTinyCode));
    auto opened = ElfImage::Open(path_);
    ASSERT_TRUE(std::holds_alternative<ElfImagePtr>(opened));
    ProfileModule module;
    module.name = "tiny";
    module.machine = EM_X86_64;
    module.elf_type = ET_DYN;
    module.is_main = true;
    module.segments = std::get<ElfImagePtr>(opened)->segments();
    profile_.modules.push_back(module);
  }

  // from, to, from, to, ...; 0 is outside.
  void AddTrace(const std::vector<uint64_t>& places) {
    Trace trace;
    const auto place = [](uint64_t address) { return address == 0 ? Location{} : Location{0, address}; };
    for (size_t i = 0; i + 1 < places.size(); i += 2)
      trace.branches.push_back({place(places[i]), place(places[i + 1])});
    profile_.traces.push_back(trace);
  }

  std::string Text() {
    std::string text;
    counts_ = WriteCsspgo(PrepareConvertInput(profile_, "test.slbr", path_),
                          [&text](std::string_view part) { text += part; });
    if (const size_t at = text.find(path_); at != std::string::npos) text.replace(at, path_.size(), "/tiny");
    return text;
  }

  testing::TemporaryFolder folder_;
  std::string path_;
  Profile profile_;
  ContextCounts counts_;
};

TEST_F(ConvertCsspgo, WritesCallChains) {
  // Begins in the callee: the return shows the caller, and the next call is known.
  AddTrace({kCallee, kReturn, kReturn, kReturnTo, kJumpBack, kCaller, kCaller, kCallee});
  // A call of another module, which calls back and then returns; the trace ends inside the callback.
  AddTrace({kOutsideCall, 0, 0, kOutsideCall + 2, kOutsideCall + 3, 0, 0, kCaller, kCaller, kCallee});
  // A return to another place than the call.
  AddTrace({kCaller, kCallee, kCallee, kReturn, kReturn, kJumpBack, kJumpBack, kCaller, kCaller, kCallee});
  // A range that runs backward, a branch where there is no branch, and one outside the code.
  AddTrace({kCaller, kCallee, kCaller, kCallee, kCallee + 2, kReturn, kReturn, kReturnTo, kTinyBase + 0x5000, kCaller,
            kJumpBack, kCaller});
  const std::string text = Text();
  const std::string golden = std::string(SOFTLBR_GOLDEN_FOLDER) + "/tiny.csspgo";
  if (std::getenv("SOFTLBR_REBASE") != nullptr) testing::WriteFile(golden, text);
  EXPECT_EQ(testing::ReadFile(golden), text);
  EXPECT_EQ(counts_.unmatched_returns, 1u);
  EXPECT_EQ(counts_.broken_ranges, 1u);
  EXPECT_EQ(counts_.unusable_branches, 2u);
  EXPECT_EQ(
      DescribeContextLosses(counts_),
      "1 return to another place than the call, 1 range that the code contradicts, 2 branches where the code has none");
}

TEST_F(ConvertCsspgo, ChainsStayBoundedInDeepRecursion) {
  constexpr size_t kCalls = 20000;
  std::vector<uint64_t> places;
  for (size_t i = 0; i < kCalls; ++i) places.insert(places.end(), {kRecursion, kRecursion});
  AddTrace(places);
  places.clear();
  for (size_t i = 0; i < kCalls; ++i) places.insert(places.end(), {kReturn, kReturn});  // each to an unknown caller
  AddTrace(places);
  std::istringstream lines(Text());
  size_t chain = 0;
  size_t longest = 0;
  size_t written = 0;
  std::string line;
  std::getline(lines, line);  // the mapping
  while (std::getline(lines, line)) {
    if (line[0] == '\t') {
      longest = std::max(longest, ++chain);
      continue;
    }
    chain = 0;
    const auto branches = static_cast<size_t>(std::count(line.begin(), line.end(), 'P'));
    EXPECT_LE(branches, 129u);
    written += branches;
  }
  EXPECT_EQ(written, 2 * kCalls) << "no branch is lost";
  EXPECT_LE(longest, 129u);  // with the innermost address
  EXPECT_GT(longest, 100u);
  EXPECT_GT(counts_.deep_divisions, 2 * kCalls / 130);
}

TEST_F(ConvertCsspgo, FailsWithoutWholeTraces) {
  profile_.branches = {{{0, kCaller}, {0, kCallee}, 1}};
  try {
    Text();
    FAIL() << "no failure";
  } catch (const StatedFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("record with --traces --branches 1024"), std::string::npos);
  }
}

TEST_F(ConvertCsspgo, FailsWithoutModuleFile) {
  const Profile profile = testing::SyntheticProfileWithTraces();
  EXPECT_THROW(WriteCsspgo(PrepareConvertInput(profile, "test.slbr", ""), [](std::string_view) {}), StatedFailure);
}

}  // namespace
}  // namespace softlbr::toolchain
