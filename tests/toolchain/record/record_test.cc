// `softlbr record`: what it refuses, and that a recorded program behaves as without recording.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/toolchain/binary/tiny_elf.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::RunCommand;
using testing::RunSoftlbr;

class Record : public ::testing::Test {
 protected:
  std::vector<std::string> RecordArguments(const std::vector<std::string>& program,
                                           const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"record", "-o", profile_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back("--");
    arguments.insert(arguments.end(), program.begin(), program.end());
    return arguments;
  }
  CommandResult RecordProgram(const std::vector<std::string>& program, const std::vector<std::string>& options = {},
                              const std::vector<std::string>& environment = {}) {
    return RunSoftlbr(RecordArguments(program, options), environment);
  }
  void ExpectRefused(const CommandResult& result, const std::string& text, int exit_code = 1) {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_NE(access(profile_.c_str(), F_OK), 0) << "nothing may be left behind";
  }
  json Stats() { return json::parse(RunSoftlbr({"stats", profile_, "--json"}).out); }

  testing::TemporaryFolder folder_;
  std::string profile_ = folder_ / "p.slbr";
};

TEST_F(Record, KeepsExitCodeAndOutput) {
  const CommandResult result = RecordProgram({"sh", "-c", "echo out; echo err >&2; exit 7"}, {"-q"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
}

TEST_F(Record, EndsWithTheProgramsSignal) {
  for (const int signal_number : {SIGTERM, SIGSEGV, SIGKILL, SIGINT}) {
    const CommandResult result = RecordProgram({"sh", "-c", "kill -" + std::to_string(signal_number) + " $$"});
    EXPECT_EQ(result.exit_code, -1);
    EXPECT_EQ(result.signal_number, signal_number);
    EXPECT_NE(result.err.find("was killed by SIG"), std::string::npos) << result.err;
  }
}

TEST_F(Record, WritesAProfileOfEveryThread) {
  const CommandResult result =
      RecordProgram({SOFTLBR_BUSY_LOOP}, {"-c", "500000", "-e", "task-clock", "--branches", "8"});
  if (result.err.find("refuses perf events") != std::string::npos) GTEST_SKIP() << "missing: perf events";
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find(" taken branches from "), std::string::npos) << result.err;
  const json stats = Stats();
  EXPECT_EQ(stats["event"], "task-clock");
  EXPECT_EQ(stats["period"], 500000);
  EXPECT_EQ(stats["branches_per_trace"], 8);
  EXPECT_EQ(stats["resolve"], "lookahead");
  EXPECT_GE(stats["threads_traced"].get<int>(), 2);
  EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 500u);
  EXPECT_EQ(stats["whole_traces"], 0);
  const CommandResult report = RunSoftlbr({"report", profile_, "-b", SOFTLBR_BUSY_LOOP});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_NE(report.out.find(" step_whose_name_is_longer_than_the_columns_that_a_table_on_a_terminal_has "),
            std::string::npos)
      << report.out;
  EXPECT_EQ(RunSoftlbr({"convert", "--to", "bolt", profile_, "-b", SOFTLBR_BUSY_LOOP, "-o", "-"}).exit_code, 0);
}

TEST_F(Record, TellsTheOverheadOfAShortProgramAsTime) {
  const CommandResult result = RecordProgram({"true"});
  EXPECT_NE(result.err.find(" taken branches from "), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("% of CPU time"), std::string::npos) << result.err;
}

TEST_F(Record, SaysThatTheDiskIsFull) {
  const std::string full = folder_ / "full";
  std::filesystem::create_directory(full);
  // A file system of one page, in a name space of its own.
  const std::string script =
      "mount -t tmpfs -o size=4k none \"$1\" && head -c 4096 /dev/zero > \"$1/fill\" || exit 99\n"
      "exec \"$0\" record -o \"$1/p.slbr\" -e thread-timer -- \"$2\"";
  const CommandResult result =
      RunCommand({"unshare", "-rm", "sh", "-c", script, testing::SoftlbrPath(), full, SOFTLBR_BUSY_LOOP});
  if (result.exit_code == 99 || result.err.starts_with("unshare"))
    GTEST_SKIP() << "missing: mounts of one's own: " << result.err;
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("No space left on device; free space there"), std::string::npos) << result.err;
}

TEST_F(Record, EndsWithWhatStatsSaysOfTheFile) {
  const CommandResult result =
      RecordProgram({SOFTLBR_BUSY_LOOP}, {"-c", "500000", "-e", "thread-timer", "--branches", "8"});
  const size_t found = result.err.find("a second recording would");  // a line on the time in the kernel may follow
  ASSERT_NE(found, std::string::npos) << result.err;
  const std::string verdict = result.err.substr(found, result.err.find('\n', found) + 1 - found);
  EXPECT_NE(RunSoftlbr({"stats", profile_}).out.find("\nExpected: " + verdict), std::string::npos) << result.err;
}

TEST_F(Record, CombinesItsFrames) {
  const std::string binary = folder_ / "loop";
  ASSERT_EQ(RunCommand({"cp", SOFTLBR_BUSY_LOOP, binary}).exit_code, 0);
  ASSERT_EQ(RecordProgram({binary}, {"-e", "thread-timer", "--traces", "-q"}).exit_code, 3);
  EXPECT_EQ(Stats()["format_version"], 2);
  // All but the version and the state of the file.
  const auto rows_of = [](const CommandResult& dump) { return dump.out.substr(dump.out.find('\n')); };
  // A merge has another order of modules and traces than a recording.
  const std::string combined = folder_ / "combined.slbr";
  ASSERT_EQ(RunSoftlbr({"merge", "-o", combined, profile_}).exit_code, 0);
  const std::string rows = rows_of(RunSoftlbr({"dump", "--traces", combined}));
  const auto counts_of = [](const std::string& dump) {
    std::multiset<std::string> counts;
    std::istringstream lines(dump);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("branch ") || line.starts_with("range ") || line.starts_with("sample ")) counts.insert(line);
    }
    return counts;
  };
  EXPECT_EQ(counts_of(rows), counts_of(RunSoftlbr({"dump", profile_}).out));
  EXPECT_NE(rows.find("\nbranch "), std::string::npos);
  EXPECT_NE(rows.find("\ntrace "), std::string::npos);
  EXPECT_NE(rows.find(" program=loop\n"), std::string::npos);
}

// The program is recorded without symbols; each time they are in another place.
TEST_F(Record, ReportTakesSymbolsFromSeparateDebugFiles) {
  for (const bool has_build_id : {true, false}) {
    SCOPED_TRACE(has_build_id);
    const std::string folder = folder_ / (has_build_id ? "with" : "without");
    const std::string stripped = folder + "/bin/loop";
    const std::string debug = folder + "/loop.debug";
    const std::string made = folder + "/made";
    const auto run = [](const std::vector<std::string>& command) {
      const CommandResult result = RunCommand(command);
      ASSERT_EQ(result.exit_code, 0) << result.err;
    };
    std::filesystem::create_directories(folder + "/bin/.debug");
    run({"cp", SOFTLBR_BUSY_LOOP, made});
    if (!has_build_id) run({"objcopy", "--remove-section=.note.gnu.build-id", made});
    run({"objcopy", "--only-keep-debug", made, debug});
    run({"objcopy", "--strip-all", "--add-gnu-debuglink=" + debug, made, stripped});
    ASSERT_EQ(RecordProgram({stripped}, {"-e", "thread-timer", "-q"}).exit_code, 3);
    const auto has_symbols = [&](const std::vector<std::string>& options,
                                 const std::vector<std::string>& environment = {}) {
      std::vector<std::string> arguments = {"report", profile_, "--json"};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const CommandResult result = RunSoftlbr(arguments, environment);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      const json report = json::parse(result.out);
      EXPECT_FALSE(report["executed_instructions"].is_null()) << "the code comes from the program";
      return result.out.find("\"step_whose_name") != std::string::npos;
    };
    EXPECT_FALSE(has_symbols({"-b", stripped}));
    EXPECT_TRUE(has_symbols({"-b", stripped, "-b", debug}));
    EXPECT_TRUE(has_symbols({"-b", debug, "-b", stripped}));
    const std::string root = folder + "/root";
    std::filesystem::create_directories(root + folder + "/bin");
    std::filesystem::copy_file(debug, root + folder + "/bin/loop.debug");
    EXPECT_TRUE(has_symbols({"-b", stripped}, {"SOFTLBR_DEBUG_DIR=" + root})) << ".gnu_debuglink below a debug folder";
    std::filesystem::copy_file(debug, folder + "/bin/.debug/loop.debug");
    EXPECT_TRUE(has_symbols({"-b", stripped})) << ".gnu_debuglink in .debug";
    std::filesystem::rename(folder + "/bin/.debug/loop.debug", folder + "/bin/loop.debug");
    EXPECT_TRUE(has_symbols({"-b", stripped})) << ".gnu_debuglink beside the program";
    run({"objcopy", "--remove-section=.note.gnu.build-id", "--add-section=.note.other=/dev/null", "--set-start=0x1",
         debug, folder + "/bin/loop.debug"});
    EXPECT_FALSE(has_symbols({"-b", stripped})) << "another file of that name";
    std::filesystem::remove(folder + "/bin/loop.debug");
    if (!has_build_id) continue;
    std::string id;
    const json stats = Stats();
    for (const json& module : stats["modules"]) {
      if (module["name"].get<std::string>().ends_with("/loop")) id = module["build_id"];
    }
    ASSERT_GT(id.size(), 4u) << "the linker makes build ids";
    const std::string by_id = root + "/.build-id/" + id.substr(0, 2);
    std::filesystem::create_directories(by_id);
    std::filesystem::rename(debug, by_id + "/" + id.substr(2) + ".debug");
    std::filesystem::remove_all(root + folder);
    EXPECT_TRUE(has_symbols({"-b", stripped}, {"SOFTLBR_DEBUG_DIR=" + root})) << "by build id";
    EXPECT_FALSE(has_symbols({"-b", stripped}));
  }
}

TEST_F(Record, KeepsTracesOnRequestAndPathsUnlessRefused) {
  RecordProgram({SOFTLBR_BUSY_LOOP}, {"-e", "thread-timer", "--resolve", "static", "--traces"});
  json stats = Stats();
  EXPECT_EQ(stats["event"], "thread-timer");
  EXPECT_EQ(stats["resolve"], "static");
  EXPECT_GT(stats["whole_traces"].get<int>(), 0);
  EXPECT_EQ(stats["modules"][0]["name"].get<std::string>().substr(0, 1), "/");
  RecordProgram({SOFTLBR_BUSY_LOOP}, {"-e", "thread-timer", "--no-paths"});
  stats = Stats();
  EXPECT_EQ(stats["whole_traces"], 0);
  for (const json& module : stats["modules"]) {
    EXPECT_EQ(module["name"].get<std::string>().find('/'), std::string::npos) << module["name"];
  }
}

TEST_F(Record, KeepsLabelsOfEveryProcess) {
  const CommandResult result = RecordProgram({"sh", "-c", "ls / >/dev/null; sh -c 'true & wait'; exec ls / >/dev/null"},
                                             {"-c", "500000", "--label", "arm=B", "--label", "app_version=1.2 (x=y)"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json stats = Stats();
  EXPECT_GE(stats["sessions"].size(), 3u);
  const json labels = {{"app_version", "1.2 (x=y)"}, {"arm", "B"}};
  for (const json& session : stats["sessions"]) EXPECT_EQ(session["labels"], labels);
  EXPECT_EQ(stats["labels"], labels);
}

TEST_F(Record, RefusesLabelsBeyondTheLimits) {
  for (const auto& [label, text] : std::initializer_list<std::pair<std::string, std::string>>{
           {"arm", "KEY=VALUE"},
           {"=x", "the key has 1 to 32 characters"},
           {"a b=x", "the key has 1 to 32 characters"},
           {std::string(33, 'k') + "=x", "the key has 1 to 32 characters"},
           {"k=" + std::string(65, 'v'), "the value has at most 64 characters"},
           {"k=a;decoder=/x", "the value has at most 64 characters"},
           {"k=\x1b[2J", "the value has at most 64 characters"}}) {
    ExpectRefused(RecordProgram({"true"}, {"--label", label}), text, 2);
  }
  ExpectRefused(RecordProgram({"true"}, {"--label", "k=1", "--label", "k=2"}), "given twice", 2);
  std::vector<std::string> many;
  for (int i = 0; i < 9; ++i)
    many.insert(many.end(), {"--label", "k" + std::to_string(i) + "=" + std::string(64, 'v')});
  ExpectRefused(RecordProgram({"true"}, many), "at most 8", 2);
  many.resize(many.size() - 2);
  many.insert(many.end(), {"-c", "500000"});  // a session at once
  EXPECT_EQ(RecordProgram({"sh", "-c", "ls / >/dev/null; ls / >/dev/null"}, many).exit_code, 0);
  const json stats = Stats();
  for (const json& session : stats["sessions"]) EXPECT_EQ(session["labels"].size(), 8u);
}

TEST_F(Record, StaysBelowMaxOverhead) {
  const std::vector<std::string> program = {"perl", "-e", "my $x = 0; for (1 .. 30000000) { $x += $_ & 7 } print $x"};
  double trace_ns = 0;  // of the last recording
  const auto share = [&](const std::vector<std::string>& options) {
    const CommandResult result = RecordProgram(program, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json stats = Stats();
    // The control thread's part goes by the clock: on a busy machine it is a larger share of the program's CPU time.
    const auto control_ns = stats["overhead_ns"]["control"].get<double>();
    const double traces_ns = stats["overhead_ns"]["total"].get<double>() - control_ns;
    const auto samples = stats["samples"].get<double>();
    const auto cpu_ns = stats["app_cpu_ns"].get<double>();
    // Twenty, or half of what the limit pays for beside the control thread: a sample takes 200 us on some virtual
    // machines.
    EXPECT_GT(samples, trace_ns == 0 ? 20 : std::min(20.0, (cpu_ns * 0.01 - control_ns) / trace_ns / 2));
    trace_ns = traces_ns / samples;
    return traces_ns / cpu_ns;
  };
  const double free = share({"-c", "50000"});
  const double held = share({"-c", "50000", "--max-overhead", "1%"});
  EXPECT_GT(free, 0.1) << "the machine is so fast that the limit is not tested";
  EXPECT_LE(held, 0.015);
}

// A period that is shorter than a sample takes: the program gets on, and what it costs is told.
TEST_F(Record, PeriodOfAMicrosecondLeavesTheProgramItsTime) {
  const std::vector<std::string> program = {"perl", "-e", "my $x = 0; for (1 .. 3000000) { $x += $_ & 7 } print $x"};
  ASSERT_EQ(RecordProgram(program, {"-e", "task-clock"}).exit_code, 0);
  const auto alone_ns = Stats()["app_cpu_ns"].get<double>();
  const CommandResult result = RecordProgram(program, {"-e", "task-clock", "-c", "1000"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json stats = Stats();
  const auto cpu_ns = stats["app_cpu_ns"].get<double>();
  const auto told_ns = stats["overhead_ns"]["total"].get<double>() - stats["overhead_ns"]["control"].get<double>();
  // A sample after a sample: a third of the program's time at least is theirs, however long one takes.
  EXPECT_GT(told_ns, cpu_ns / 3);
  EXPECT_GT(stats["samples"].get<uint64_t>(), 100u);
  EXPECT_LT(cpu_ns, alone_ns * 30);
  EXPECT_GT(told_ns, (cpu_ns - alone_ns) * 0.5) << cpu_ns << " ns, alone " << alone_ns;
}

TEST_F(Record, ClosesEventsWhereContextSwitchesExceedTheBudget) {
  // Two processes hand a byte to each other: each is switched out and in for it. The work of a turn takes some 20 us,
  // of which the switches are more than 2 % and less than all.
  const std::string turns =
      "sub work { $y += $_ & 3 for 1 .. 400 } pipe($a, $b); pipe($c, $d); $n = 20000;"
      "if (fork) { for (1 .. $n) { work(); syswrite($b, 'x', 1); sysread($c, $x, 1) } }"
      "else { for (1 .. $n) { sysread($a, $x, 1); work(); syswrite($d, 'x', 1) } }";
  CommandResult result = RecordProgram({"perl", "-e", turns}, {"-e", "task-clock"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  json stats = Stats();
  if (stats["overhead_ns"]["switching"] == 0) GTEST_SKIP() << "needs CONFIG_SCHED_INFO";
  const uint64_t without_events_ns = stats["timer_cpu_ns"].get<uint64_t>() + stats["paused_cpu_ns"].get<uint64_t>();
  EXPECT_GT(without_events_ns, 0u);
  EXPECT_LT(without_events_ns, stats["app_cpu_ns"].get<uint64_t>());
  const bool is_paused = stats["paused_cpu_ns"] != 0;  // by kernels whose timers may end a call
  EXPECT_EQ(result.err.find("because of context switches") != std::string::npos, is_paused) << result.err;
  result = RecordProgram({"perl", "-e", turns}, {"-e", "task-clock", "--max-overhead", "100%"});
  stats = Stats();
  EXPECT_EQ(stats["paused_cpu_ns"], 0u);
  EXPECT_EQ(stats["timer_cpu_ns"], 0u);
  EXPECT_EQ(result.err.find("because of context switches"), std::string::npos) << result.err;
}

// Without options a second gives a profile at a few percent. The rate then falls.
TEST_F(Record, IsDenseAtFirst) {
  const auto samples_per_s = [&](const std::string& seconds, const std::vector<std::string>& options) {
    const std::string work =
        "while (1) { $x += $_ & 7 for 1 .. 10000; my ($u, $s) = times; last if $u + $s > " + seconds + " }";
    const CommandResult result = RecordProgram({"perl", "-e", work}, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json stats = Stats();
    return stats["samples"].get<double>() * 1e9 / stats["app_cpu_ns"].get<double>();
  };
  const double dense = samples_per_s("0.6", {});
  EXPECT_GT(dense, 2.5 * samples_per_s("0.6", {"--production"}));
  if (Stats()["event"] != "task-clock") return;
  EXPECT_LT(samples_per_s("4", {}), dense / 1.4);
}

// The first second, which is sampled four times as densely, counts no more than any other: shares are those of the CPU
// time.
TEST_F(Record, GivesEachSecondItsShare) {
  const std::string phases =
      "sub cpu { my ($u, $s) = times; $u + $s } while (cpu() < 1.2) { $x += $_ & 7 for 1 .. 10000 } $a = cpu();"
      "$text = 'a' x 1000000; while (cpu() < 4.4) { $x += index($text, 'b') for 1 .. 20 } print 'index ', (cpu() - $a) "
      "/ cpu()";
  const CommandResult result = RecordProgram({"perl", "-e", phases}, {"-e", "task-clock"});
  if (result.err.find("refuses perf events") != std::string::npos) GTEST_SKIP() << "missing: perf events";
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::string word;
  double share = 0;
  ASSERT_TRUE(std::istringstream(result.out) >> word >> share) << result.out;
  const json report = json::parse(RunSoftlbr({"report", "--json", profile_}).out);
  double of_libc = 0, all = 0;  // index is memchr, of a text so long that perl's own part is small
  for (const json& module : report["modules"]) {
    all += module["samples"].get<double>();
    if (module["name"].get<std::string>().find("libc.so") != std::string::npos)
      of_libc += module["samples"].get<double>();
  }
  EXPECT_NEAR(of_libc / all, share, 0.1);
  EXPECT_GT(all, Stats()["samples"].get<double>() * 1.2) << "the rate did not fall, and nothing was tested";
}

// By the clocks of the session and by those of getrusage, with which the shell's `times` answers.
TEST_F(Record, TellsTheTimeInTheKernel) {
  const auto share = [this] {
    const json stats = Stats();
    return stats["kernel_cpu_ns"].get<double>() / stats["app_cpu_ns"].get<double>();
  };
  const std::string reads = "open(F, '<', '/dev/zero'); sysread(F, $x, 1 << 20) for 1 .. 40000; print join(' ', times)";
  CommandResult result = RecordProgram({"perl", "-e", reads});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  double user = 0, system = 0;
  ASSERT_TRUE(std::istringstream(result.out) >> user >> system) << result.out;
  EXPECT_NEAR(share(), system / (user + system), 0.15) << result.out;
  EXPECT_GT(share(), 0.5);
  EXPECT_NE(result.err.find("of its CPU time was in the kernel, where nothing is recorded"), std::string::npos)
      << result.err;
  result = RecordProgram({"perl", "-e", "$x += $_ & 7 for 1 .. 3000000"});
  EXPECT_LT(share(), 0.4) << result.err;
}

TEST_F(Record, ReportsThatTheProgramWasKilled) {
  const CommandResult result = RecordProgram({SOFTLBR_BUSY_LOOP, std::to_string(SIGABRT)});
  EXPECT_EQ(result.signal_number, SIGABRT);
  EXPECT_NE(result.err.find("killed by SIGABRT"), std::string::npos) << result.err;
}

TEST_F(Record, LeavesEnvironmentUnchanged) {
  // A nonexistent library in LD_PRELOAD only causes a warning.
  for (const std::string& preload : {std::string("LD_PRELOAD"), std::string("LD_PRELOAD=/nonexistent/libx.so")}) {
    const CommandResult plain = RunCommand({"env"}, {preload});
    const CommandResult recorded = RecordProgram({"env"}, {"-q"}, {preload});
    EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
    EXPECT_EQ(recorded.out, plain.out);
  }
}

TEST_F(Record, LeavesLowDescriptorsFree) {
  const std::string script = "for i in 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$i ] && echo $i; done; true";
  // Descriptors that this process inherited are open in both runs.
  EXPECT_EQ(RecordProgram({"sh", "-c", script}, {"-q"}).out, RunCommand({"sh", "-c", script}).out);
}

TEST_F(Record, ChildrenDoNotInheritThePreloadLibrary) {
  const CommandResult result =
      RecordProgram({"sh", "-c", "env | grep -c -e SOFTLBR_OPTIONS -e softlbr_preload; true"}, {"-q"});
  EXPECT_EQ(result.out, "0\n");
}

TEST_F(Record, RunsScripts) {
  const std::string script = folder_ / "script";
  testing::WriteFile(script, "#!/bin/sh\necho \"$0 $1\"\nexit 5\n");
  chmod(script.c_str(), 0755);
  const CommandResult result = RecordProgram({script, "x"}, {"-q"});
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_EQ(result.out, script + " x\n");
  const std::string bare = folder_ / "bare";  // without #!: executed by the shell, as execvp does
  testing::WriteFile(bare, "exit 6\n");
  chmod(bare.c_str(), 0755);
  EXPECT_EQ(RecordProgram({bare}, {"-q"}).exit_code, 6);
}

TEST_F(Record, ForwardsSigterm) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> arguments = {"timeout", "--foreground", "1", testing::SoftlbrPath()};
  for (const std::string& argument : RecordArguments({"sleep", "60"})) arguments.push_back(argument);
  EXPECT_EQ(RunCommand(arguments).exit_code, 124);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(Record, RefusesMissingPrograms) {
  ExpectRefused(RecordProgram({"no-such-program-at-all"}), "no such program in PATH", 127);
  ExpectRefused(RecordProgram({folder_ / "missing"}), "No such file", 127);
  ExpectRefused(RecordProgram({folder_.path()}), "not a program", 126);
  ExpectRefused(RecordProgram({""}), "name is empty", 127);
  const std::string plain = folder_ / "plain";
  testing::WriteFile(plain, "x");
  ExpectRefused(RecordProgram({plain}), "not executable", 126);
}

TEST_F(Record, RefusesStaticAndForeignPrograms) {
  const auto program = [&](uint16_t machine, bool has_interpreter) {
    const std::string path = folder_ / "program";
    testing::WriteFile(path, testing::TinyElf(machine, 0x1000, {0xc3}, has_interpreter));
    chmod(path.c_str(), 0755);
    return path;
  };
#if defined(__x86_64__)
  const uint16_t ours = EM_X86_64;
  const uint16_t other = EM_AARCH64;
#else
  const uint16_t ours = EM_AARCH64;
  const uint16_t other = EM_X86_64;
#endif
  ExpectRefused(RecordProgram({program(ours, false)}), "statically linked");
  ExpectRefused(RecordProgram({program(ours, false)}), "libsoftlbr_all.a");
  ExpectRefused(RecordProgram({program(other, true)}), "built for ");
}

TEST_F(Record, RefusesGoProgramsThatInstallHandlersPastTheLibc) {
  auto with_note = [&](const std::string& name) {
    const std::string path = folder_ / name;
    const CommandResult made =
        RunCommand({"objcopy", "--add-section", ".note.go.buildid=/dev/null", "/bin/" + name, path});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    return path;
  };
  ExpectRefused(RecordProgram({with_note("true")}), "CGO_ENABLED=1");
  EXPECT_EQ(RecordProgram({with_note("bash"), "-c", "exit 4"}).exit_code, 4) << "imports sigaction";
}

TEST_F(Record, RefusesProgramsWithASharedSanitizer) {
  const std::string source = folder_ / "program.c", program = folder_ / "program";
  std::ofstream(source) << "int main(void) { return 3; }\n";
  const CommandResult made = RunCommand({"gcc", "-fsanitize=address", source, "-o", program});
  if (made.exit_code != 0) GTEST_SKIP() << "needs gcc with a shared libasan: " << made.err;
  ExpectRefused(RecordProgram({program}), "-static-libasan");
  ASSERT_EQ(RunCommand({"gcc", "-fsanitize=address", "-static-libasan", source, "-o", program}).exit_code, 0);
  EXPECT_EQ(RecordProgram({program}).exit_code, 3) << "linked into the program";
}

TEST_F(Record, RefusesUnwritableOutput) {
  const CommandResult result = RunSoftlbr({"record", "-o", "/nonexistent/folder/p.slbr", "--", "true"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("cannot be created"), std::string::npos) << result.err;
}

TEST_F(Record, KeepsAnEarlierProfileIfNothingWasRecorded) {
  ASSERT_EQ(RecordProgram({SOFTLBR_BUSY_LOOP}, {"-e", "thread-timer", "-q"}).exit_code, 3);
  const std::string earlier = testing::ReadFile(profile_);
  const CommandResult brief = RecordProgram({"true"}, {"-e", "thread-timer", "-c", "10000000000"});
  EXPECT_EQ(brief.exit_code, 0) << brief.err;
  EXPECT_NE(brief.err.find("the earlier profile in " + profile_ + " is kept"), std::string::npos) << brief.err;
  EXPECT_EQ(RecordProgram({folder_ / "missing"}).exit_code, 127);
  EXPECT_EQ(testing::ReadFile(profile_), earlier);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1)
      << "a temporary file is left behind";
}

TEST_F(Record, ReplacesAnEarlierProfileThroughALink) {
  testing::WriteFile(folder_ / "real.slbr", "old");
  ASSERT_EQ(symlink("real.slbr", profile_.c_str()), 0);
  ASSERT_EQ(RecordProgram({SOFTLBR_BUSY_LOOP}, {"-e", "thread-timer", "-q"}).exit_code, 3);
  EXPECT_TRUE(std::filesystem::is_symlink(profile_));
  EXPECT_GT(Stats()["taken_branches"].get<uint64_t>(), 0u);
}

// A library that cannot be loaded: the program runs, and nothing records it.
TEST_F(Record, FailsIfTheSessionDidNotStart) {
  std::filesystem::create_directory(folder_ / "lib");
  for (const std::string name :
       {"libsoftlbr_preload.so", "libsoftlbr_decoder_x86_64.so", "libsoftlbr_decoder_aarch64.so"}) {
    testing::WriteFile(folder_ / "lib/" + name, "not a library");
  }
  testing::WriteFile(profile_, "earlier");
  const std::vector<std::string> environment = {"SOFTLBR_LIBDIR=" + folder_ / "lib"};
  const CommandResult result = RecordProgram({"sh", "-c", "echo ran"}, {}, environment);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.out, "ran\n");
  EXPECT_NE(result.err.find("is kept"), std::string::npos) << result.err;
  EXPECT_EQ(testing::ReadFile(profile_), "earlier");
  EXPECT_EQ(RecordProgram({"sh", "-c", "exit 4"}, {}, environment).exit_code, 4)
      << "the program's own code comes first";
}

TEST_F(Record, RefusesAnEventThatThisMachineLacksBeforeTheProgramRuns) {
  const CommandResult doctor = RunSoftlbr({"doctor", "--json"});
  std::string missing;
  const json checks = json::parse(doctor.out)["checks"];
  for (const json& check : checks) {
    const std::string name = check["name"];
    if (name.starts_with("sampler ") && check["state"] != "ok") missing = name.substr(8);
  }
  if (missing.empty()) GTEST_SKIP() << "missing: an event that cannot be opened";
  const CommandResult result = RecordProgram({"sh", "-c", "echo ran"}, {"-e", missing});
  ExpectRefused(result, "the event " + missing + " cannot be opened");
  EXPECT_NE(result.err.find("-e best"), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST_F(Record, SaysThatOnlyChildrenRan) {
  const std::string loop = "perl -e 'for (1 .. 3000000) { $x += $_ }'; true";
  const CommandResult result = RecordProgram({"sh", "-c", loop}, {"-e", "thread-timer", "--no-children"});
  EXPECT_NE(result.err.find("children of the program used"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("too short"), std::string::npos) << result.err;
}

TEST_F(Record, SaysThatTheHandlerWasReplacedOrBlocked) {
  CommandResult result = RecordProgram({SOFTLBR_TRAP_TAKER, "block"});
  EXPECT_NE(result.err.find("ran with SIGTRAP blocked"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("too short"), std::string::npos) << result.err;
#if defined(__x86_64__)
  result = RecordProgram({SOFTLBR_TRAP_TAKER, "replace"});
  EXPECT_NE(result.err.find("replaced the sampler's SIGTRAP handler"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("too short"), std::string::npos) << result.err;
#endif
}

TEST_F(Record, WritesTheProfileToStandardOutput) {
  const CommandResult result = RunSoftlbr({"record", "-e", "thread-timer", "-o", "-", "--", "sh", "-c",
                                           "echo of the program; i=0; "
                                           "while [ $i -lt 100000 ]; do i=$((i+1)); done"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("of the program"), std::string::npos) << "as perf record -o - has it";
  EXPECT_NE(result.err.find("in standard output"), std::string::npos) << result.err;
  testing::WriteFile(profile_, result.out);
  EXPECT_GT(Stats()["taken_branches"].get<uint64_t>(), 0u);
}

TEST_F(Record, NamesSearchedFoldersIfLibrariesAreMissing) {
  ExpectRefused(RecordProgram({"true"}, {}, {"SOFTLBR_LIBDIR=" + folder_.path()}), folder_.path());
}

TEST_F(Record, AcceptsProgramWithoutSeparator) {
  const CommandResult result = RunSoftlbr({"record", "-q", "-o", profile_, "sh", "-c", "exit 9"});
  EXPECT_EQ(result.exit_code, 9) << result.err;
}

}  // namespace
}  // namespace softlbr::toolchain
