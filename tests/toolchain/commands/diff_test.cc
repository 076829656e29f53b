// `softlbr diff`: what it says about functions. cli_test.cc tests the rest.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::RunSoftlbr;

// Without their files all functions of a module would look like one, which is in both profiles.
TEST(Diff, ByFunctionDoesNotGuessFunctions) {
  if (!testing::HasProgram("gcc") || !testing::HasProgram("strip")) GTEST_SKIP() << "missing: gcc, strip";
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "two.c", "void first(void) {} void second(void) {} void _start(void) { for (;;) continue; }\n");
  const std::string program = folder / "two";
  ASSERT_EQ(testing::RunCommand({"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o", program, folder / "two.c"}).exit_code, 0);
  const ElfImagePtr image = std::get<ElfImagePtr>(ElfImage::Open(program));
  const SymbolTable symbols(*image, nullptr);
  uint64_t start_of[2] = {};
  for (const FunctionSymbol& function : symbols.functions()) {
    if (function.name == "first") start_of[0] = function.start;
    if (function.name == "second") start_of[1] = function.start;
  }
  Profile profile = testing::SyntheticProfile();
  profile.modules = {{"two", image->build_id(), image->machine(), image->type(), true, image->segments()}};
  profile.ranges.clear();
  profile.samples.clear();
  profile.traces.clear();
  const auto write = [&](const std::string& name, uint64_t in_first) {
    profile.branches = {{{0, start_of[0]}, {0, start_of[0]}, in_first}};
    if (in_first < 100) profile.branches.push_back({{0, start_of[1]}, {0, start_of[1]}, 100 - in_first});
    ASSERT_EQ(WriteProfileFile(profile, folder / name), "");
  };
  write("a.slbr", 100);
  write("b.slbr", 50);
  const auto diff = [&](std::vector<std::string> options, const std::string& other = "b.slbr") {
    options.insert(options.begin(), {"diff", folder / "a.slbr", folder / other, "--json", "--by", "function"});
    return RunSoftlbr(options);
  };
  EXPECT_NEAR(json::parse(diff({}).out)["overlap_of_functions"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(diff({"--min", "0.5"}).exit_code, 0);
  EXPECT_EQ(diff({"--min", "0.51"}).exit_code, 1);

  ASSERT_EQ(testing::RunCommand({"strip", "-o", folder / "stripped", program}).exit_code, 0);
  for (const char* file : {"stripped", ""}) {
    std::filesystem::remove(program);
    if (*file != '\0') std::filesystem::copy(folder / file, program);
    SCOPED_TRACE(*file != '\0' ? "without symbols" : "without the file");
    const CommandResult plain = diff({});
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_TRUE(json::parse(plain.out)["overlap_of_functions"].is_null()) << plain.out;
    EXPECT_NE(plain.err.find("warning: the overlap by function is not known: two (build id "), std::string::npos) << plain.err;
    EXPECT_NE(plain.err.find(*file != '\0' ? "has no symbols" : "was not found"), std::string::npos) << plain.err;
    const CommandResult gate = diff({"--min", "0.51"});
    EXPECT_EQ(gate.exit_code, 1);
    EXPECT_NE(gate.err.find("somewhere between 0.5000 and 1.0000"), std::string::npos) << gate.err;
    EXPECT_EQ(diff({"--min", "0.5"}).exit_code, 0) << "whatever the functions are";
    const CommandResult same = diff({"--min", "1"}, "a.slbr");
    EXPECT_EQ(same.exit_code, 0) << "equal branches are in equal functions";
    EXPECT_EQ(same.err, "");
    std::filesystem::remove(folder / (*file != '\0' ? file : "two"));
  }
}

}  // namespace
}  // namespace softlbr::toolchain
