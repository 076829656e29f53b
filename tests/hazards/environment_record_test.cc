// Sandboxes, limits and other users: the best remaining capability is used and named, or one line says what is missing,
// and the program ends as it does alone. `softlbr doctor` reports the same beforehand.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tests/hazards/hazard_run.h"
#include "tests/platform/breakpoint_hits.h"

namespace softlbr::hazards {
namespace {

class Environment : public HazardRun {
 protected:
  // Runs softlbr with these arguments, confined by `rules`.
  CommandResult Confined(std::vector<std::string> rules, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {Program("confine")};
    command.insert(command.end(), rules.begin(), rules.end());
    command.push_back("--");
    command.push_back(testing::SoftlbrPath());
    command.insert(command.end(), arguments.begin(), arguments.end());
    // In sanitized builds of the command, the leak check at exit does not work under a debugger.
    return testing::RunCommand(command, {"ASAN_OPTIONS=detect_leaks=0"});
  }
  CommandResult Record(std::vector<std::string> rules, std::vector<std::string> options = {},
                       std::vector<std::string> program = {}) {
    std::vector<std::string> arguments = {"record", "-o", profile_, "-c", "200003"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.push_back("--");
    if (program.empty()) program = {Program("busy_threads"), "2", "150"};
    arguments.insert(arguments.end(), program.begin(), program.end());
    return Confined(std::move(rules), arguments);
  }
  json Doctor(std::vector<std::string> rules, int expected_exit = 0) {
    const CommandResult doctor = Confined(std::move(rules), {"doctor", "--json"});
    EXPECT_EQ(doctor.exit_code, expected_exit) << doctor.err << doctor.signal_number;
    return json::parse(doctor.out, nullptr, false);
  }
  static json CheckOf(const json& doctor, const std::string& name) {
    for (const json& check : doctor["checks"]) {
      if (check["name"] == name) return check;
    }
    return {};
  }
  void ExpectThreadTimerAlone(const CommandResult& recorded) {
    EXPECT_EQ(recorded.exit_code, 5) << recorded.signal_number << recorded.err;
    const json stats = Stats();
    EXPECT_EQ(stats["event"], "thread-timer");
    EXPECT_EQ(stats["has_breakpoints"], false);
    EXPECT_GT(stats["samples"].get<uint64_t>(), 5u);
    EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 50u);
  }
};

#define SKIP_IF_CANNOT(result) \
  if ((result).exit_code == 77) GTEST_SKIP() << (result).err

TEST_F(Environment, SeccompThatRefusesPerfLeavesTheThreadTimer) {
  for (const char* rule : {"perf_event_open=EPERM", "perf_event_open=EACCES", "perf_event_open=ENOSYS"}) {
    SCOPED_TRACE(rule);
    const CommandResult recorded = Record({rule});
    SKIP_IF_CANNOT(recorded);
    ExpectThreadTimerAlone(recorded);
    EXPECT_NE(recorded.err.find("thread-timer"), std::string::npos) << recorded.err;
    const json doctor = Doctor({rule});
    EXPECT_EQ(doctor["can_record"], true);
    EXPECT_EQ(doctor["sampler"], "thread-timer");
    EXPECT_EQ(doctor["resolver"], "lookahead");
    EXPECT_EQ(CheckOf(doctor, "seccomp")["state"], "weaker");
  }
}

TEST_F(Environment, SeccompThatRefusesIoctlLeavesTheThreadTimer) {
  const CommandResult recorded = Record({"perf_ioctl=EPERM"});
  SKIP_IF_CANNOT(recorded);
  ExpectThreadTimerAlone(recorded);
  const json doctor = Doctor({"perf_ioctl=EPERM"});
  EXPECT_EQ(doctor["sampler"], "thread-timer");
  EXPECT_EQ(doctor["resolver"], "lookahead");
}

TEST_F(Environment, NoPerfEventIsOpenedUnderSeccompThatKills) {
  const CommandResult recorded =
      Record({"perf_event_open=kill", "perf_ioctl=kill"}, {"-e", "thread-timer", "--no-breakpoints"});
  SKIP_IF_CANNOT(recorded);
  ExpectThreadTimerAlone(recorded);
}

TEST_F(Environment, SeccompThatKillsIsFoundBeforeTheProgramRuns) {
  for (const char* rule : {"perf_event_open=kill", "perf_ioctl=kill"}) {
    const CommandResult recorded = Record({rule});
    SKIP_IF_CANNOT(recorded);
    ExpectThreadTimerAlone(recorded);
    EXPECT_NE(recorded.err.find("kills"), std::string::npos) << recorded.err;
    const json doctor = Doctor({rule});
    EXPECT_EQ(doctor["sampler"], "thread-timer");
    EXPECT_EQ(doctor["resolver"], "lookahead");
    EXPECT_NE(CheckOf(doctor, "seccomp").dump().find("--no-breakpoints"), std::string::npos);
  }
}

// Handlers ask by prctl whether the tick counter may be read.
TEST_F(Environment, SeccompThatRefusesPrctlIsHarmless) {
  const CommandResult recorded = Record({"prctl=EPERM"}, {"-e", "task-clock"});
  SKIP_IF_CANNOT(recorded);
  EXPECT_EQ(recorded.exit_code, 5) << recorded.signal_number << recorded.err;
  EXPECT_GT(Stats()["taken_branches"].get<uint64_t>(), 1000u);
}

TEST_F(Environment, SeccompThatKillsForPrctlIsFoundBeforeTheProgramRuns) {
  const CommandResult recorded = Record({"prctl=kill"});
  SKIP_IF_CANNOT(recorded);
  EXPECT_EQ(recorded.exit_code, 1) << recorded.signal_number;
  EXPECT_NE(recorded.err.find("prctl"), std::string::npos) << recorded.err;
  EXPECT_EQ(recorded.out, "") << "the program has not run";
  EXPECT_EQ(Doctor({"prctl=kill"}, 1)["can_record"], false);
}

TEST_F(Environment, WithoutAnySamplerOneLineSaysWhy) {
  const CommandResult recorded = Record({"perf_event_open=EPERM", "timer_create=EPERM"});
  SKIP_IF_CANNOT(recorded);
  EXPECT_EQ(recorded.exit_code, 5) << "the program runs all the same";
  EXPECT_EQ(std::count(recorded.err.begin(), recorded.err.end(), '\n'), 1) << recorded.err;
  EXPECT_NE(recorded.err.find("not recorded: "), std::string::npos) << recorded.err;
  EXPECT_NE(access(profile_.c_str(), F_OK), 0) << "no empty file is left";
  EXPECT_EQ(Doctor({"perf_event_open=EPERM", "timer_create=EPERM"}, 1)["can_record"], false);
}

// The preload library is built against glibc, but musl's loader accepts it.
TEST_F(Environment, ProgramOfMuslIsRecordedUndisturbed) {
  const std::string program = Program("busy_threads_musl");
  if (access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "needs musl-gcc (Debian package musl-tools)";
  ExpectUndisturbed({program, "4", "150"});
  const json stats = Stats();
  EXPECT_EQ(stats["threads_traced"], 5);
  EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 1000u);
  EXPECT_EQ(stats["has_breakpoints"], platform::testing::HasBreakpointHits());
}

TEST_F(Environment, RecordsWithoutProcessVmReadv) {
  const CommandResult recorded = Record({"process_vm_readv=EPERM"}, {"-e", "task-clock"});
  SKIP_IF_CANNOT(recorded);
  EXPECT_EQ(recorded.exit_code, 5) << recorded.err;
  EXPECT_GT(Stats()["taken_branches"].get<uint64_t>(), 1000u);
}

// The helper then shares the program's descriptors.
TEST_F(Environment, RecordsWithoutFetchingDescriptors) {
  for (const char* rule : {"pidfd_getfd=EPERM", "pidfd_getfd=kill"}) {
    const CommandResult recorded = Record({rule}, {"-e", "task-clock"});
    SKIP_IF_CANNOT(recorded);
    EXPECT_EQ(recorded.exit_code, 5) << rule << recorded.signal_number << recorded.err;
    EXPECT_GT(Stats()["taken_branches"].get<uint64_t>(), 1000u) << rule;
  }
}

TEST_F(Environment, NoFreeBreakpointSlotLeavesLookaheadAlone) {
  const CommandResult recorded = Record({"slots=all"}, {"-e", "task-clock"});
  SKIP_IF_CANNOT(recorded);
  EXPECT_EQ(recorded.exit_code, 5) << recorded.err;
  const json stats = Stats();
  EXPECT_EQ(stats["event"], "task-clock");
  EXPECT_EQ(stats["has_breakpoints"], false);
  EXPECT_EQ(stats["breakpoint_hits"], 0);
  EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 1000u);
  const json doctor = Doctor({"slots=all"});
  EXPECT_EQ(doctor["resolver"], "lookahead");
  EXPECT_NE(CheckOf(doctor, "breakpoints")["finding"].dump().find("debug register"), std::string::npos);
}

TEST_F(Environment, SomebodyElsesBreakpointLeavesTheRest) {
  const CommandResult recorded = Record({"slots=3"}, {"-e", "task-clock"});
  SKIP_IF_CANNOT(recorded);
  EXPECT_EQ(recorded.exit_code, 5) << recorded.err;
  EXPECT_EQ(Stats()["has_breakpoints"], platform::testing::HasBreakpointHits());
}

TEST_F(Environment, FewDescriptorsLeaveThreadsUntracedAndCounted) {
  int recordings = 0;
  uint64_t most_untraced = 0;
  for (const char* limit : {"nofile=40", "nofile=24", "nofile=12"}) {
    SCOPED_TRACE(limit);
    const CommandResult recorded = Record({limit}, {"-e", "task-clock"}, {Program("busy_threads"), "30", "10"});
    SKIP_IF_CANNOT(recorded);
    EXPECT_EQ(recorded.exit_code, 5) << recorded.err;
    EXPECT_NE(recorded.out.find("30 threads: "), std::string::npos);
    struct stat file {};
    if (stat(profile_.c_str(), &file) != 0) {
      EXPECT_EQ(std::count(recorded.err.begin(), recorded.err.end(), '\n'), 1) << recorded.err;
      continue;
    }
    ++recordings;
    const json stats = Stats();
    most_untraced = std::max(most_untraced, stats["threads_untraced"].get<uint64_t>());
    // Without breakpoints a thread needs one descriptor, and forty suffice for all.
    if (stats["has_breakpoints"] == true) {
      EXPECT_GT(stats["threads_untraced"].get<uint64_t>(), 5u);
    }
    EXPECT_GT(stats["threads_traced"].get<uint64_t>(), 0u);
    ASSERT_EQ(unlink(profile_.c_str()), 0);
  }
  EXPECT_GT(most_untraced, 5u);
  EXPECT_GE(recordings, 1) << "forty descriptors suffice for some threads";
  const json doctor = Doctor({"nofile=40"});
  EXPECT_EQ(CheckOf(doctor, "file descriptors")["state"], "weaker");
}

TEST_F(Environment, DoctorNamesTheDebugger) {
  const json doctor = Doctor({"traced"});
  if (doctor.is_discarded()) GTEST_SKIP() << "missing: ptrace";
  EXPECT_EQ(CheckOf(doctor, "debugger")["state"], "weaker");
}

// Another user, at each level of kernel.perf_event_paranoid. No other test is affected by the level: they run with more
// rights, or not at the same time (RUN_SERIAL).
class Paranoid : public Environment, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr char kSetting[] = "/proc/sys/kernel/perf_event_paranoid";
  void SetUp() override {
    std::ifstream(kSetting) >> before_;
    if (before_ == GetParam()) return;
    std::ofstream setting(kSetting);
    setting << GetParam() << std::flush;
    int now = 0;
    std::ifstream(kSetting) >> now;
    if (now != GetParam()) GTEST_SKIP() << "missing: the right to set kernel.perf_event_paranoid to " << GetParam();
    is_changed_ = true;
  }
  void TearDown() override {
    if (is_changed_) std::ofstream(kSetting) << before_;
  }
  int before_ = 0;
  bool is_changed_ = false;
};

TEST_P(Paranoid, AnotherUserRecordsAtTheLevelGranted) {
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  const CommandResult doctor = Confined({"user=65534"}, {"doctor", "--json"});
  SKIP_IF_CANNOT(doctor);  // also if other users cannot read the build folder
  const json answers = json::parse(doctor.out);
  const CommandResult recorded = Record({"user=65534"}, {"-e", "best"});
  EXPECT_EQ(recorded.exit_code, 5) << recorded.err;
  const json stats = Stats();
  EXPECT_EQ(stats["event"], answers["sampler"]);
  const bool is_strict = stats["event"] == "thread-timer";
  if (GetParam() <= 2) {
    EXPECT_FALSE(is_strict);  // Debian's kernels refuse everything at 3; others have no such level
  }
  if (is_strict) {
    EXPECT_EQ(stats["has_breakpoints"], false);
  }
  EXPECT_EQ(stats["has_breakpoints"] == true, answers["resolver"] != "lookahead");
  EXPECT_GT(stats["taken_branches"].get<uint64_t>(), 50u);
  EXPECT_EQ(CheckOf(answers, "perf_event_paranoid")["state"], is_strict ? "weaker" : "ok");
  if (is_strict) {
    EXPECT_NE(CheckOf(answers, "perf_event_paranoid")["remedy"].dump().find("sysctl"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Paranoid, ::testing::Values(2, 3));

}  // namespace
}  // namespace softlbr::hazards
