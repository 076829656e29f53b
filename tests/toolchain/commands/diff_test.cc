// `softlbr diff`: what it says about functions. cli_test.cc tests the rest.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
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

// Two builds of one source whose function got a statement of code in front, with its cold branch in a part of its own in the second: what
// is executed is the same, at other distances from the function's start.
TEST(Diff, MatchesBlocksOfTwoBuilds) {
  if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  const testing::TemporaryFolder folder;
  // work() is written in assembly, so that each build's blocks are known. B begins with other code, and has its rare block in work.cold.
  const auto source = [](const std::string& front, bool is_split) {
    const std::string rare = ".Lrare: imul %rdi, %rax\n sub $5, %rax\n jmp .Lback\n";
    return ".globl _start\n.globl work\n.type work, @function\nwork: " + front + "xor %eax, %eax\n" +
           ".Lloop: add %rdi, %rax\n test $63, %edi\n je .Lrare\n" + ".Lback: xor $3, %rax\n dec %rdi\n jne .Lloop\n ret\n" +
           (is_split ? ".size work, .-work\n.type other, @function\nother: nop\n ret\n.size other, .-other\n"
                       ".type work.cold, @function\nwork.cold: " +
                           rare + ".size work.cold, .-work.cold\n"
                     : rare + ".size work, .-work\n") +
           ".type _start, @function\n_start: call work\n jmp _start\n.size _start, .-_start\n.section "
           ".note.GNU-stack,\"\",@progbits\n";
  };
  const auto make = [&](const std::string& name, const std::string& front, uint64_t front_bytes, bool is_split) {
    std::filesystem::create_directory(folder / name);
    testing::WriteFile(folder / name + "/t.s", source(front, is_split));
    const std::string program = folder / name + "/t";
    EXPECT_EQ(
        testing::RunCommand({"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o", program, folder / name + "/t.s"}).exit_code, 0);
    const ElfImagePtr image = std::get<ElfImagePtr>(ElfImage::Open(program));
    std::map<std::string, uint64_t> at;
    for (const ElfSymbol& symbol : image->Symbols(false)) at[std::string(symbol.name)] = symbol.value;
    Profile profile = testing::SyntheticProfile();
    profile.modules = {{"t", image->build_id(), image->machine(), image->type(), true, image->segments()}};
    profile.samples.clear();
    profile.traces.clear();
    // Both builds have the same path: 60 rounds of the loop, then one through the rare block. Bytes of the instructions: xor 2; add 3,
    // test 6, je 2; xor 4, dec 3, jne 2, ret 1; imul 4, sub 4, jmp.
    const uint64_t loop = at["work"] + front_bytes + 2;
    const uint64_t je = loop + 3 + 6;
    const uint64_t back = je + 2;
    const uint64_t jne = back + 4 + 3;
    const uint64_t rare = is_split ? at["work.cold"] : jne + 2 + 1;
    const uint64_t jmp = rare + 4 + 4;
    profile.branches = {{{0, jne}, {0, loop}, 60}, {{0, je}, {0, rare}, 1}, {{0, jmp}, {0, back}, 1}};
    profile.ranges = {{0, loop, jne, 60}, {0, loop, je, 1}, {0, rare, jmp, 1}, {0, back, jne, 1}};
    EXPECT_EQ(WriteProfileFile(profile, folder / name + ".slbr"), "");
    return program;
  };
  const std::string a = make("a", "", 0, false);
  const std::string b = make("b", "push %rbx\n pop %rbx\n bswap %rdi\n bswap %rdi\n", 1 + 1 + 3 + 3, true);
  const auto diff = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"diff", folder / "a.slbr", folder / "b.slbr", "-b", a, "-b", b});
    return RunSoftlbr(options);
  };
  const CommandResult result = diff({"--json", "--by", "block", "--min", "0.999"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const json all = json::parse(result.out);
  EXPECT_NEAR(all["overlap"].get<double>(), 1, 1e-9) << all.dump(1);
  EXPECT_NEAR(all["overlap_of_ranges"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(all["overlap_of_blocks"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(all["overlap_of_functions"].get<double>(), 1, 1e-9) << "the cold part is the function's";
  EXPECT_EQ(all["branches_in_both"], 3);
  bool has_rare = false;
  for (const json& block : all["blocks"]) has_rare = has_rare || (block["b"]["symbol"] == "work.cold" && !block["a"].is_null());
  EXPECT_TRUE(has_rare) << all["blocks"].dump(1);
  const std::string text = diff({"--by", "block"}).out;
  EXPECT_NE(text.find("by block of executed instructions: 100.00%"), std::string::npos) << text;

  // Nothing is guessed of a file that is not there.
  make("c", "push %rbx\n", 1, false);
  std::filesystem::remove(folder / "c/t");
  const CommandResult unread = RunSoftlbr({"diff", folder / "a.slbr", folder / "c.slbr", "-b", a, "--by", "block", "--min", "0.1"});
  EXPECT_EQ(unread.exit_code, 1);
  EXPECT_NE(unread.err.find("the overlap by block is not known"), std::string::npos) << unread.err;
}

}  // namespace
}  // namespace softlbr::toolchain
