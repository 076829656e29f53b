// `softlbr diff`: what it says about functions. cli_test.cc tests the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

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
  testing::WriteFile(folder / "two.c",
                     "void first(void) { for (;;) continue; } void second(void) { for (;;) continue; } void "
                     "_start(void) { first(); }\n");
  const std::string program = folder / "two";
  ASSERT_EQ(testing::RunCommand({"gcc", "-O2", "-fno-ipa-icf", "-nostdlib", "-static", "-Wl,--build-id", "-o", program,
                                 folder / "two.c"})
                .exit_code,
            0);
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
    EXPECT_NE(plain.err.find("warning: the overlap by function is not known: two (build id "), std::string::npos)
        << plain.err;
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

// Two builds of one source whose function got a statement of code in front, with its cold branch in a part of its own
// in the second: what is executed is the same, at other distances from the function's start.
TEST(Diff, MatchesBlocksOfTwoBuilds) {
  if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  const testing::TemporaryFolder folder;
  // work() is written in assembly, so that each build's blocks are known. B begins with other code, and has its rare
  // block in work.cold.
  const auto source = [](const std::string& front, bool is_split) {
    const std::string rare = ".Lrare: imul %rdi, %rax\n sub $5, %rax\n jmp .Lback\n";
    return ".globl _start\n.globl work\n.type work, @function\nwork: " + front + "xor %eax, %eax\n" +
           ".Lloop: add %rdi, %rax\n test $63, %edi\n je .Lrare\n" +
           ".Lback: xor $3, %rax\n dec %rdi\n jne .Lloop\n ret\n" +
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
        testing::RunCommand({"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o", program, folder / name + "/t.s"})
            .exit_code,
        0);
    const ElfImagePtr image = std::get<ElfImagePtr>(ElfImage::Open(program));
    std::map<std::string, uint64_t> at;
    for (const ElfSymbol& symbol : image->Symbols(false)) at[std::string(symbol.name)] = symbol.value;
    Profile profile = testing::SyntheticProfile();
    profile.modules = {{"t", image->build_id(), image->machine(), image->type(), true, image->segments()}};
    profile.samples.clear();
    profile.traces.clear();
    // Both builds have the same path: 60 rounds of the loop, then one through the rare block. Bytes of the
    // instructions: xor 2; add 3, test 6, je 2; xor 4, dec 3, jne 2, ret 1; imul 4, sub 4, jmp.
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
  for (const json& block : all["blocks"])
    has_rare = has_rare || (block["b"]["symbol"] == "work.cold" && !block["a"].is_null());
  EXPECT_TRUE(has_rare) << all["blocks"].dump(1);
  const std::string text = diff({"--by", "block"}).out;
  EXPECT_NE(text.find("by block of executed instructions: 100.00%"), std::string::npos) << text;

  // Nothing is guessed of a file that is not there.
  make("c", "push %rbx\n", 1, false);
  std::filesystem::remove(folder / "c/t");
  const CommandResult unread =
      RunSoftlbr({"diff", folder / "a.slbr", folder / "c.slbr", "-b", a, "--by", "block", "--min", "0.1"});
  EXPECT_EQ(unread.exit_code, 1);
  EXPECT_NE(unread.err.find("the overlap by block is not known"), std::string::npos) << unread.err;
}

// A program of three files, in two builds whose files are linked in another order. Two files have a local function
// work(), the third a global one that is only called in a part of its own, work.cold. Build A spends its time in
// one.c's, build B in two.c's.
TEST(Diff, KeepsLocalFunctionsOfOneNameApart) {
  if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  const testing::TemporaryFolder folder;
  // In assembly, so that the loop of each is known: it begins with the function and ends with a branch of two bytes
  // before the return.
  const auto local = [](const std::string& name, const std::string& steps) {
    return ".file \"" + name + "\"\n.text\n.type work, @function\nwork: " + steps +
           "dec %rdi\n jne work\n ret\n.size work, .-work\n" + ".section .note.GNU-stack,\"\",@progbits\n";
  };
  const auto make = [&](const std::string& name, const std::vector<std::string>& order, const std::string& front,
                        const std::map<std::string, uint64_t>& counts, bool have_one_name = false) {
    const std::string path = folder / name;
    std::filesystem::create_directory(path);
    testing::WriteFile(path + "/one.s",
                       local(have_one_name ? "both.c" : "one.c", front + "add $7, %rax\n xor %rdi, %rax\n "));
    testing::WriteFile(path + "/two.s",
                       local(have_one_name ? "both.c" : "two.c", front + "imul %rdi, %rax\n sub $5, %rax\n "));
    testing::WriteFile(
        path + "/three.s",
        ".file \"three.c\"\n.globl _start, work\n_start: jmp _start\n.size _start, .-_start\n.type work, @function\n"
        "work: test %edi, %edi\n je work.cold\n ret\n.size work, .-work\n.type work.cold, @function\n"
        "work.cold: inc %rax\n jmp work.cold\n.size work.cold, .-work.cold\n.section .note.GNU-stack,\"\",@progbits\n");
    std::vector<std::string> link = {"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o", path + "/t"};
    for (const std::string& file : order) link.push_back(path + "/" + file + ".s");
    const CommandResult linked = testing::RunCommand(link);
    EXPECT_EQ(linked.exit_code, 0) << linked.err;
    const ElfImagePtr image = std::get<ElfImagePtr>(ElfImage::Open(path + "/t"));
    const SymbolTable symbols(*image, nullptr);
    Profile profile = testing::SyntheticProfile();
    profile.modules = {{"t", image->build_id(), image->machine(), image->type(), true, image->segments()}};
    profile.branches.clear();
    profile.ranges.clear();
    profile.samples.clear();
    profile.traces.clear();
    std::string files;
    for (const FunctionSymbol& function : symbols.functions()) {
      std::string file = symbols.FileName(function.file);
      if (file == "both.c") {  // in the order of the link
        const bool is_first = std::exchange(files, file).empty();
        file = (std::find(order.begin(), order.end(), "one") < std::find(order.begin(), order.end(), "two")) == is_first
                   ? "one.c"
                   : "two.c";
      }
      const auto count = counts.find(function.name + " " + file);
      if (count == counts.end() || count->second == 0) continue;
      const uint64_t last = function.end - (function.name == "work.cold" ? 2 : 3);
      profile.branches.push_back({{0, last}, {0, function.start}, count->second});
      profile.ranges.push_back({0, function.start, last, count->second});
    }
    EXPECT_EQ(WriteProfileFile(profile, path + ".slbr"), "");
  };
  const std::string cold = "work.cold three.c";
  make("a", {"three", "one", "two"}, "", {{"work one.c", 90}, {"work two.c", 0}, {cold, 10}});
  make("b", {"two", "three", "one"}, "bswap %rdx\n ", {{"work one.c", 0}, {"work two.c", 90}, {cold, 10}});
  make("same", {"two", "one", "three"}, "", {{"work one.c", 60}, {"work two.c", 30}, {cold, 10}});
  make("again", {"three", "one", "two"}, "", {{"work one.c", 60}, {"work two.c", 30}, {cold, 10}});
  const auto diff = [&](const std::string& before, const std::string& after, std::vector<std::string> options) {
    options.insert(options.begin(), {"diff", folder / before + ".slbr", folder / after + ".slbr", "-b",
                                     folder / before + "/t", "-b", folder / after + "/t"});
    const CommandResult result = RunSoftlbr(options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const json moved = json::parse(diff("a", "b", {"--json", "--by", "block"}));
  EXPECT_NEAR(moved["overlap"].get<double>(), 0.1, 1e-9) << moved.dump(1);
  EXPECT_NEAR(moved["overlap_of_functions"].get<double>(), 0.1, 1e-9) << "the part is the global function's in both";
  EXPECT_EQ(moved["branches_in_both"], 1);
  std::map<std::string, double> change;
  for (const json& row : moved["changes"]) {
    const json& file = row["from"]["file"];
    EXPECT_EQ(file, row["to"]["file"]);
    change[file.is_null() ? "" : file.get<std::string>()] += row["share_change"].get<double>();
  }
  EXPECT_NEAR(change["one.c"], -0.9, 1e-9) << moved["changes"].dump(1);
  EXPECT_NEAR(change["two.c"], 0.9, 1e-9);
  EXPECT_NEAR(change["three.c"], 0, 1e-9);
  for (const char* by : {"branch", "block"}) {
    const std::string text = diff("a", "b", {"--by", by});
    for (const char* place : {"work (one.c)", "work (two.c)"})
      EXPECT_NE(text.find(place), std::string::npos) << place << '\n' << text;
  }
  const json same = json::parse(diff("same", "again", {"--json"}));
  for (const char* overlap : {"overlap", "overlap_of_ranges", "overlap_of_blocks", "overlap_of_functions"}) {
    EXPECT_NEAR(same[overlap].get<double>(), 1, 1e-9) << overlap << '\n' << same.dump(1);
  }
  // Files of one name, from two folders: the code tells.
  make("x", {"three", "one", "two"}, "", {{"work one.c", 80}, {"work two.c", 10}, {cold, 10}}, true);
  make("y", {"two", "one", "three"}, "", {{"work one.c", 80}, {"work two.c", 10}, {cold, 10}}, true);
  make("z", {"two", "one", "three"}, "", {{"work one.c", 10}, {"work two.c", 80}, {cold, 10}}, true);
  EXPECT_NEAR(json::parse(diff("x", "y", {"--json"}))["overlap"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(json::parse(diff("x", "z", {"--json"}))["overlap"].get<double>(), 0.3, 1e-9);
}

// A loop with two ways through it. Build B has inverted the branch between them, and their order: the same blocks are
// executed as often, but what is a taken branch in one build is none in the other.
TEST(Diff, MatchesBlocksBehindAnInvertedBranch) {
  if (!testing::HasProgram("gcc")) GTEST_SKIP() << "missing: gcc";
  const testing::TemporaryFolder folder;
  const auto make = [&](const std::string& name, bool is_inverted) {
    const std::string often = ".Loften: xor $3, %rax\n dec %rdi\n jne work\n ret\n";
    const std::string rare = ".Lrare: sub $5, %rax\n dec %rdi\n jne work\n ret\n";
    const std::string path = folder / name;
    std::filesystem::create_directory(path);
    testing::WriteFile(path + "/t.s",
                       ".globl _start, work\n.type work, @function\nwork: add %rdi, %rax\n test $63, %edi\n " +
                           (is_inverted ? "jne .Loften\n" + rare + often : "je .Lrare\n" + often + rare) +
                           ".size work, .-work\n_start: call work\n jmp _start\n.size _start, .-_start\n"
                           ".section .note.GNU-stack,\"\",@progbits\n");
    const CommandResult linked =
        testing::RunCommand({"gcc", "-nostdlib", "-static", "-Wl,--build-id", "-o", path + "/t", path + "/t.s"});
    EXPECT_EQ(linked.exit_code, 0) << linked.err;
    const ElfImagePtr image = std::get<ElfImagePtr>(ElfImage::Open(path + "/t"));
    uint64_t work = 0;
    for (const ElfSymbol& symbol : image->Symbols(false)) work = symbol.name == "work" ? symbol.value : work;
    Profile profile = testing::SyntheticProfile();
    profile.modules = {{"t", image->build_id(), image->machine(), image->type(), true, image->segments()}};
    profile.samples.clear();
    profile.traces.clear();
    // Bytes: add 3, test 6, the branch 2; on either way 4, dec 3, jne 2, ret 1.
    const uint64_t branch = work + 9, near = branch + 2, far = near + 10, near_end = near + 7, far_end = far + 7;
    const uint64_t to_near = is_inverted ? 2 : 60, to_far = is_inverted ? 60 : 2;
    profile.branches = {
        {{0, near_end}, {0, work}, to_near}, {{0, branch}, {0, far}, to_far}, {{0, far_end}, {0, work}, to_far}};
    profile.ranges = {{0, work, near_end, to_near}, {0, work, branch, to_far}, {0, far, far_end, to_far}};
    EXPECT_EQ(WriteProfileFile(profile, path + ".slbr"), "");
  };
  make("a", false);
  make("b", true);
  const CommandResult result = RunSoftlbr({"diff", folder / "a.slbr", folder / "b.slbr", "-b", folder / "a/t", "-b",
                                           folder / "b/t", "--json", "--by", "block", "--min", "0.999"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json all = json::parse(result.out);
  EXPECT_NEAR(all["overlap_of_blocks"].get<double>(), 1, 1e-9) << all["blocks"].dump(1);
  // 60 of 122 and of 64 branches are those back from the frequent way: the branch itself is one in each build, but to
  // other blocks.
  EXPECT_NEAR(all["overlap"].get<double>(), 60.0 / 122 + 2.0 / 122, 1e-9) << all["changes"].dump(1);
}

}  // namespace
}  // namespace softlbr::toolchain
