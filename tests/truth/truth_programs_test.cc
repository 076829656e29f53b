// Tests that every recorded trace of these programs is contiguous in their true path, under both resolution policies.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/truth/truth_case.h"

namespace softlbr::truth {
namespace {

constexpr uint64_t kSmallTraces = 100;

TruthCase Own(const std::string& program, const std::vector<std::string>& arguments) {
  TruthCase test_case;
  test_case.program.arguments = {SOFTLBR_TRUTH_PROGRAMS "/truth_" + program};
  test_case.program.arguments.insert(test_case.program.arguments.end(), arguments.begin(), arguments.end());
  test_case.program.environment = PlainEnvironment();
  if (IsSmall()) test_case.wanted_traces = kSmallTraces;
  return test_case;
}

// Writes words from a fixed generator: the same text on every machine.
std::string WriteText(size_t lines) {
  const std::string path = TemporaryFile("text");
  std::ofstream file(path);
  uint32_t seed = 5;
  const auto next = [&seed](uint32_t below) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % below;
  };
  for (size_t line = 0; line < lines; ++line) {
    for (int word = 0; word < 10; ++word) {
      uint32_t letters = next(300) * 7919u;
      for (uint32_t length = 2 + letters % 8; length > 0; --length, letters = letters * 31 + 7) {
        file << static_cast<char>('a' + (letters >> 4) % 16);
      }
      file << (word == 9 ? '\n' : ' ');
    }
  }
  return path;
}

TEST(Truth, Recursion) { ExpectTruth(Own("recursion", {IsSmall() ? "1" : "8"})); }

TEST(Truth, RecursionAtAFixedAddress) { ExpectTruth(Own("recursion_fixed", {IsSmall() ? "1" : "8"})); }

TEST(Truth, InterpreterWithIndirectJumps) { ExpectTruth(Own("interpreter", {IsSmall() ? "1" : "3"})); }

TEST(Truth, InterpreterAtAFixedAddress) { ExpectTruth(Own("interpreter_fixed", {IsSmall() ? "1" : "3"})); }

TEST(Truth, LongJumps) { ExpectTruth(Own("long_jumps", {IsSmall() ? "100" : "1500"})); }

TEST(Truth, Exceptions) { ExpectTruth(Own("exceptions", {"30"})); }

TEST(Truth, RepeatedStringInstructions) {
  if (access(SOFTLBR_TRUTH_PROGRAMS "/truth_string_moves", X_OK) != 0)
    GTEST_SKIP() << "needs string instructions (x86)";
  ExpectTruth(Own("string_moves", {"2000"}));
}

TEST(Truth, SignalHandlers) { ExpectTruth(Own("signal_handlers", {IsSmall() ? "100" : "1500"})); }

TEST(Truth, LibraryLoadedWhileRunning) {
  TruthCase test_case = Own("loaded_program", {SOFTLBR_TRUTH_PROGRAMS "/truth_loaded_library.so",
                                               SOFTLBR_TRUTH_PROGRAMS "/truth_loaded_library.so", "2", "10"});
  test_case.expected_module = "truth_loaded_library.so";
  // Traces of the library from before the control thread has read the mappings again are unmapped. It does so when one
  // has met the library in the first round, while the program sleeps before the second one.
  test_case.max_unmapped_share = 0.9;
  ExpectTruth(test_case);
}

// The second library takes the place of the first: same addresses, other code.
TEST(Truth, LibrariesThatReplaceEachOther) {
  TruthCase test_case = Own("loaded_program", {SOFTLBR_TRUTH_PROGRAMS "/truth_loaded_library.so",
                                               SOFTLBR_TRUTH_PROGRAMS "/truth_other_library.so", "8", "70"});
  test_case.wanted_traces = 300;
  // Each library is mapped for less than the time between two readings of the mappings, so many of its branches are
  // unmapped. Those that are attributed must be right.
  test_case.max_unmapped_share = 0.9;
  // Under `record` a dlclose leads through the runtime's own function (unload_function.cc): the trace around each of
  // the eight calls is excluded too.
  test_case.max_excluded_between_per_run += 8;
  ExpectTruth(test_case);
}

TEST(Truth, Containers) { ExpectTruth(Own("containers", {"2"})); }

TEST(Truth, FloatingPoint) { ExpectTruth(Own("floating_point", {"500"})); }

// Debian's own binaries: built by others, without our flags.
TruthCase Installed(const std::vector<std::string>& command) {
  TruthCase test_case;
  test_case.program.arguments = command;
  test_case.program.environment = PlainEnvironment();
  test_case.max_steps = 8000000;
  return test_case;
}

TEST(Truth, DebianGzip) {
  const std::string text = WriteText(80);
  if (access("/usr/bin/gzip", X_OK) != 0) GTEST_SKIP() << "needs /usr/bin/gzip";
  ExpectTruth(Installed({"/usr/bin/gzip", "-c", text}));
  unlink(text.c_str());
}

TEST(Truth, DebianXz) {
  if (access("/usr/bin/xz", X_OK) != 0) GTEST_SKIP() << "needs /usr/bin/xz";
  const std::string text = WriteText(30);
  ExpectTruth(Installed({"/usr/bin/xz", "-0", "-T1", "-c", text}));
  unlink(text.c_str());
}

TEST(Truth, DebianSqlite) {
  if (access("/usr/bin/sqlite3", X_OK) != 0) GTEST_SKIP() << "needs /usr/bin/sqlite3";
  TruthCase test_case = Installed({"/usr/bin/sqlite3", "-batch", ":memory:"});
  test_case.program.standard_input = SOFTLBR_TRUTH_SOURCE "/programs/queries.sql";
  ExpectTruth(test_case);
}

}  // namespace
}  // namespace softlbr::truth
