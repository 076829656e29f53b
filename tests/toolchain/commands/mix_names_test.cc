// `softlbr mix`: names of functions as `report` has them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::RunSoftlbr;

TEST(Mix, NamesAreEscapedOnce) {
  if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  const testing::TemporaryFolder folder;
  testing::WriteFile(
      folder / "tab.s",
      ".globl _start\n_start: ret\n.type \"tab\there\",@function\n\"tab\there\": nop\n ret\n.size \"tab\there\", 2\n");
  const std::string program = folder / "tab";
  ASSERT_EQ(
      testing::RunCommand({"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o", program, folder / "tab.s"}).exit_code,
      0);
  const ElfImagePtr image = std::get<ElfImagePtr>(ElfImage::Open(program));
  const SymbolTable symbols(*image, nullptr);
  const FunctionSymbol* odd = nullptr;
  for (const FunctionSymbol& function : symbols.functions()) {
    if (function.name == "tab\there") odd = &function;
  }
  ASSERT_NE(odd, nullptr);
  Profile profile = testing::SyntheticProfile();
  profile.modules = {{"tab", image->build_id(), image->machine(), image->type(), true, image->segments()}};
  profile.branches = {{{0, odd->end - 1}, {0, odd->start}, 5}};
  profile.ranges = {{0, odd->start, odd->end - 1, 5}};
  profile.samples.clear();
  profile.traces.clear();
  ASSERT_EQ(WriteProfileFile(profile, folder / "p.slbr"), "");
  const std::string expected = "tab\\x09here";
  const auto run = [&](const std::string& command, const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {command, folder / "p.slbr"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return RunSoftlbr(arguments).out;
  };
  EXPECT_EQ(json::parse(run("report", {"--json"}))["functions"][0]["name"], expected);
  EXPECT_EQ(json::parse(run("mix", {"--by", "function", "--json"}))["tables"][0]["rows"][0]["function"], expected);
  for (const char* option : {"--csv", "--top=20"}) {
    const std::string text = run("mix", {"--by", "function", option});
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    EXPECT_EQ(text.find("x5c"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace softlbr::toolchain
