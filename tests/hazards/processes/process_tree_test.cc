// Records a program with everything that it starts. Output and exit codes stay the same, every process image that works
// has a session with its name, and the sessions account for the CPU time that the operating system counted. Counted,
// not timed.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "tests/hazards/hazard_run.h"

namespace softlbr::hazards {
namespace {

class ProcessTree : public HazardRun {
 protected:
  // CPU time of the sessions of each program.
  std::multimap<std::string, uint64_t> Sessions() {
    std::multimap<std::string, uint64_t> sessions;
    std::set<std::string> ids;
    const json stats = Stats();
    for (const json& session : stats["sessions"]) {
      EXPECT_TRUE(session["program"].is_string() && session["pid"].is_number()) << session;
      if (session["program"].is_string())
        sessions.emplace(session["program"].get<std::string>(), session["app_cpu_ns"]);
      EXPECT_TRUE(ids.insert(session["session_id"]).second) << session;
    }
    EXPECT_EQ(stats["damaged_frames"], 0u);
    EXPECT_EQ(stats["missing_frames"], 0u);
    return sessions;
  }
  void ExpectSession(const std::string& program, size_t count, uint64_t least_cpu_ms) {
    const auto sessions = Sessions();
    EXPECT_EQ(sessions.count(program), count) << program;
    const auto [begin, end] = sessions.equal_range(program);
    for (auto at = begin; at != end; ++at) EXPECT_GE(at->second, least_cpu_ms * 1000000) << program;
  }
  // The same where a child makes system calls before it executes a program, or forks: on some virtual machines that
  // takes it more than the millisecond from which on a child is recorded. Such a session is short.
  void ExpectLongSession(const std::string& program, size_t count, uint64_t least_cpu_ms) {
    constexpr uint64_t kMostCallsMs = 10;
    size_t found = 0;
    const auto sessions = Sessions();
    const auto [begin, end] = sessions.equal_range(program);
    for (auto at = begin; at != end; ++at) {
      const bool is_long = at->second >= least_cpu_ms * 1000000;
      if (is_long) ++found;
      EXPECT_TRUE(is_long || at->second < kMostCallsMs * 1000000) << program << ": " << at->second << " ns";
    }
    EXPECT_EQ(found, count) << program;
  }
  static std::string Burns() { return Program("burns"); }
};

TEST_F(ProcessTree, FollowsPosixSpawnVforkAndFork) {
  for (const char* how : {"spawn", "vfork", "closed"}) {
    ExpectUndisturbed({Program("starts_children"), how, Burns()});
    ExpectLongSession("hazard_starts_children", 1, 20);
    ExpectSession("hazard_burns", 1, 50);
  }
}

TEST_F(ProcessTree, FollowsAChildWithAnEmptyEnvironmentThatItLeavesEmpty) {
  ExpectUndisturbed({Program("starts_children"), "empty", Burns()});
  ExpectSession("hazard_burns", 1, 50);
}

TEST_F(ProcessTree, FollowsSystem) {
  ExpectUndisturbed({Program("starts_children"), "system", Burns()});
  ExpectSession("hazard_burns", 2, 40);
}

TEST_F(ProcessTree, FollowsAShellAndItsPipeline) {
  const std::string work =
      "'" + Burns() + "' 60 | '" + Burns() + "' 60; env | grep -c -e SOFTLBR -e LD_PRELOAD; exit 5";
  ExpectUndisturbed({"sh", "-c", work});
  ExpectSession("hazard_burns", 2, 50);
}

TEST_F(ProcessTree, FollowsExecByAShellAndByEnv) {
  for (const char* how : {"exec '", "exec env -i A=b '", "exec env '"}) {
    ExpectUndisturbed({"sh", "-c", how + Burns() + "' 60 9"});
    ExpectSession("hazard_burns", 1, 50);
  }
}

TEST_F(ProcessTree, FollowsPythonsSubprocesses) {
  if (!testing::HasProgram("python3")) GTEST_SKIP() << "missing: python3";
  const std::string script =
      "import subprocess, sys\nfor code in (3, 4):\n print(subprocess.call([sys.argv[1], '60', str(code)]))";
  ExpectUndisturbed({"python3", "-c", script, Burns()});
  ExpectSession("hazard_burns", 2, 50);
}

// The helper would take two of the ids.
TEST_F(ProcessTree, LeavesTheIdsOfANewNamespaceToTheProgram) {
  if (testing::RunCommand({Program("own_process_ids")}).out == "refused\n")
    GTEST_SKIP() << "missing: namespaces of process ids";
  ExpectUndisturbed({Program("own_process_ids")});
}

// The workers work until a timer like that of thread-timer has expired: on a busy machine that may take over 100 ms of
// CPU time.
TEST_F(ProcessTree, FollowsForkedWorkers) {
  for (const char* event : {"task-clock", "thread-timer"}) {
    event_ = event;
    ExpectUndisturbed({Program("starts_children"), "preforks", Burns()});
    ExpectSession("hazard_starts_children", 4, 20);
  }
}

TEST_F(ProcessTree, FollowsForkedChildrenOfAProcessOfSeveralThreads) {
  ExpectUndisturbed({Program("starts_children"), "forks_threads", Burns()});
  ExpectSession("hazard_starts_children", 6, 20);
}

TEST_F(ProcessTree, FollowsAChildThatIsForkedByAForkedChild) {
  ExpectUndisturbed({Program("starts_children"), "forks_twice", Burns()});
  ExpectLongSession("hazard_starts_children", 2, 20);  // the one between the two only waits
}

TEST_F(ProcessTree, StartsNoSessionInForkedChildrenThatExecuteAProgramAtOnce) {
  ExpectUndisturbed({Program("starts_children"), "forks_execs", Burns()});
  ExpectSession("hazard_starts_children", 1, 20);
  ExpectSession("hazard_burns", 20, 1);
}

// A start waits for the control thread, and meanwhile others of the same priority would run.
TEST_F(ProcessTree, LeavesARealTimeChildAloneUntilItIsNoneAnyMore) {
  const auto run = testing::RunCommand({Program("starts_children"), "forks_real_time", Burns()});
  if (run.out == "77\n77\n") GTEST_SKIP() << "missing: the right to set a real-time policy";
  ExpectUndisturbed({Program("starts_children"), "forks_real_time", Burns()});
  ExpectSession("hazard_starts_children", 2, 20);
}

// Actions of SIGTRAP, a small alternate stack, all descriptors closed, waits, blocked signals, vfork, a sandbox, and a
// child that looks which descriptors it has while its recording begins.
TEST_F(ProcessTree, LeavesForkedChildrenUndisturbed) {
  for (const char* how : {"forks_oddly", "forks_confined", "forks_listing"})
    ExpectUndisturbed({Program("starts_children"), how, Burns()});
  (void)Recorded({Program("starts_children"), "forks_oddly", Burns()}, {"-q"});
  EXPECT_GE(Sessions().count("hazard_starts_children"), 6u);  // of eight: one closes the alarm with its descriptors
}

TEST_F(ProcessTree, LeavesPointersThatExecRefusesToTheKernel) { ExpectUndisturbed({Program("exec_of_unreadable")}); }

TEST_F(ProcessTree, FollowsPythonsMultiprocessing) {
  if (!testing::HasProgram("python3")) GTEST_SKIP() << "missing: python3";
  const std::string script =
      "import multiprocessing as m\nm.set_start_method('fork')\nall_have_work = m.Barrier(3)\n"
      "def work(numbers):\n all_have_work.wait()\n return sum(numbers)\n"
      "with m.Pool(3) as p: print(p.map(work, [range(3000000)] * 6, 1))";
  ExpectUndisturbed({"python3", "-c", script});
  // "python3" may be a script that looks for the interpreter, and starts more programs.
  const std::string name = "import os\nprint(os.path.basename(os.readlink('/proc/self/exe')), end='')";
  ExpectSession(testing::RunCommand({"python3", "-c", name}).out, 4, 1);
}

TEST_F(ProcessTree, NamesAStaticChildAndLeavesItsEnvironmentAlone) {
  ExpectUndisturbed({Program("starts_children"), "empty", Program("static_child")});
  ExpectSession("hazard_static_child", 0, 0);
  const CommandResult recorded = Recorded({Program("starts_children"), "spawn", Program("static_child")});
  EXPECT_NE(recorded.err.find("hazard_static_child (statically linked)"), std::string::npos) << recorded.err;
}

// Root's tests only: another user reads the build folder.
class ProcessTreeOfUsers : public ProcessTree {
 protected:
  void SetUp() override {
    if (geteuid() != 0 || !testing::HasProgram("setpriv")) GTEST_SKIP() << "missing: root's rights, or setpriv";
    if (testing::RunCommand({"sh", "-c", kAsNobody + "test -r '" + Burns() + "'"}).exit_code != 0) {
      GTEST_SKIP() << "missing: a build folder that others may read";
    }
  }
  const std::string kAsNobody = "setpriv --reuid 65534 --clear-groups ";
};

TEST_F(ProcessTreeOfUsers, FollowsChildrenOfOtherUsers) {
  const std::string burns = "'" + Burns() + "' 60 4";
  ExpectUndisturbed({"sh", "-c",
                     kAsNobody + burns + "; setpriv --reuid 65533 --clear-groups sh -c \"" + burns + "; " + burns +
                         "\"; env; " + burns});
  ExpectSession("hazard_burns", 4, 50);
}

TEST_F(ProcessTreeOfUsers, FollowsTheFirstProgramIfItBecomesOneOfAnotherUser) {
  ExpectUndisturbed({"setpriv", "--reuid", "65534", "--clear-groups", Burns(), "60", "6", "env"});
  ExpectSession("hazard_burns", 1, 50);
}

TEST_F(ProcessTreeOfUsers, GivesOtherUsersNoDescriptorOfTheProfile) {
  const std::string lists = kAsNobody + "sh -c 'stat -L -c \"%i %u\" /proc/$$/fd/*'; stat -c %i " + profile_;
  const CommandResult recorded = Recorded({"sh", "-c", lists}, {"-q"});
  const std::string list = recorded.out.substr(0, recorded.out.rfind('\n', recorded.out.size() - 2) + 1);
  const std::string inode = recorded.out.substr(list.size(), recorded.out.size() - list.size() - 1);
  ASSERT_NE(inode, "") << recorded.out;
  EXPECT_EQ(("\n" + list).find("\n" + inode + " "), std::string::npos) << recorded.out;
  EXPECT_NE(list.find(" 65534\n"), std::string::npos) << "one of its own: " << recorded.out;
}

TEST_F(ProcessTreeOfUsers, NamesAChildOfAnotherUserInAnotherProcessNamespaceAndLeavesItAlone) {
  if (testing::RunCommand({"unshare", "--pid", "--fork", "true"}).exit_code != 0)
    GTEST_SKIP() << "missing: process namespaces";
  const std::vector<std::string> command = {"sh", "-c", "unshare --pid --fork " + kAsNobody + "env; echo $?"};
  ExpectUndisturbed(command);
  const CommandResult recorded = Recorded(command);
  EXPECT_NE(recorded.err.find("env (runs as another user"), std::string::npos) << recorded.err;
}

TEST_F(ProcessTree, FollowsManyShortChildren) {
  if (IsSmall()) GTEST_SKIP() << "missing: a CPU that is not emulated";
  ExpectUndisturbed({Program("starts_children"), "many", Burns()});
  EXPECT_EQ(Sessions().count("hazard_burns"), 200u);
}

// Measuring what a trap costs takes most of the control thread's time in a short process.
TEST_F(ProcessTree, OnlyTheFirstProcessMeasuresWhatATrapCosts) {
  if (IsSmall()) GTEST_SKIP() << "missing: a CPU that is not emulated";
  const auto control_ns = [this](const std::string& times) {
    (void)Recorded({"sh", "-c", "for i in " + times + "; do '" + Burns() + "' 1; done"}, {"-q"});
    return Stats()["overhead_ns"]["control"].get<double>();
  };
  // Medians of alternating recordings: on a busy machine one of them may take three times as long as another.
  std::vector<double> of_one, of_many;
  for (int round = 0; round < 5; ++round) {
    of_one.push_back(control_ns("1"));
    of_many.push_back(control_ns("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21"));
  }
  const auto median = [](std::vector<double>* values) {
    std::sort(values->begin(), values->end());
    return (*values)[values->size() / 2];
  };
  const double first_ns = median(&of_one);
  const double many_ns = median(&of_many);
  if (Stats()["has_breakpoints"] != true) GTEST_SKIP() << "needs breakpoints";
  EXPECT_EQ(Sessions().count("hazard_burns"), 21u);
  EXPECT_LT((many_ns - first_ns) / 20, first_ns / 2)
      << "of a later process, and of the shell and the first one together";
}

// CPU time, not time on a clock: what a child takes in addition, by the kernel's count, and what its helper takes, by
// its own. This is more than the way to the first sample: end of the session and writing of the profile, too. A child
// that does nothing takes 0.6 ms here, and 1.6 to 1.9 ms more if it is recorded, 2.7 to 3.1 times as much; on a slow
// and busy machine 0.9 and 3.2 ms, 3.5 times. So the bound is 4.5 times what it takes alone, or 2.7 ms if that is more.
// It is measured before and after, as machines change their speed meanwhile.
TEST_F(ProcessTree, AShortChildCostsAtMostThreeMilliseconds) {
  if (IsSmall()) GTEST_SKIP() << "missing: a CPU that is not emulated";
  const auto median_us = [](const std::string& lines) {
    std::istringstream in(lines);
    std::vector<double> times{std::istream_iterator<double>(in), {}};
    EXPECT_EQ(times.size(), 500u);
    std::sort(times.begin(), times.end());
    return times.empty() ? 0 : times[times.size() / 2];
  };
  const std::vector<std::string> program = {Program("starts_children"), "costs", Burns()};
  const double before_us = median_us(testing::RunCommand(program).out);
  const CommandResult recorded = Recorded(program, {"-q"});
  EXPECT_EQ(recorded.exit_code, 8) << recorded.err;
  const double recorded_us = median_us(recorded.out);
  const double alone_us = (before_us + median_us(testing::RunCommand(program).out)) / 2;
  const json stats = Stats();
  if (stats["has_breakpoints"] != true) GTEST_SKIP() << "needs breakpoints";
  EXPECT_EQ(Sessions().count("hazard_burns"), 500u);
  const double control_us = stats["overhead_ns"]["control"].get<double>() / 501 / 1000;
  EXPECT_GT(alone_us, 0);
  EXPECT_GT(control_us, 0);
  const double cost_us = recorded_us - alone_us + control_us;
  EXPECT_LT(cost_us, 4.5 * std::max(600.0, alone_us))
      << alone_us << " us alone, " << recorded_us << " recorded, " << control_us << " of its helper";
}

TEST_F(ProcessTree, KeepsTheOthersFramesWhenChildrenAreKilled) {
  ExpectUndisturbed({Program("starts_children"), "killed", Burns()});
  ExpectSession("hazard_burns", 3, 10);
}

TEST_F(ProcessTree, EndsWithTheFirstProgramAndCountsThoseThatLiveOn) {
  const CommandResult recorded = Recorded({Program("starts_children"), "lives_on", Burns()});
  EXPECT_EQ(recorded.exit_code, 8);
  EXPECT_NE(recorded.err.find("1 process goes on unrecorded"), std::string::npos) << recorded.err;
  ExpectSession("hazard_starts_children", 1, 50);
}

TEST_F(ProcessTree, AccountsForTheCpuTimeOfTheTree) {
  if (IsSmall()) GTEST_SKIP() << "missing: a CPU that is not emulated";
  const std::string work = "for i in 1 2 3; do '" + Burns() + "' 1500 & done; wait";
  // The shell's `times` prints the CPU time of its children, in its second line.
  const CommandResult recorded = Recorded({"sh", "-c", work + "; times"}, {"-q"});
  double user_min = 0;
  double user_s = 0;
  double system_min = 0;
  double system_s = 0;
  const std::string line = recorded.out.substr(recorded.out.find('\n') + 1);
  ASSERT_EQ(std::sscanf(line.c_str(), "%lfm%lfs %lfm%lfs", &user_min, &user_s, &system_min, &system_s), 4)
      << recorded.out;
  const double children_ns = ((user_min + system_min) * 60 + user_s + system_s) * 1e9;
  double sessions_ns = 0;
  for (const auto& [program, cpu_ns] : Sessions())
    sessions_ns += program == "hazard_burns" ? static_cast<double>(cpu_ns) : 0;
  EXPECT_GE(children_ns, 4e9);
  EXPECT_GE(sessions_ns, children_ns * 0.985);  // the clock of `times` counts in steps of 10 ms
}

TEST_F(ProcessTree, RecordsOneProcessWithNoChildren) {
  ExpectUndisturbed({Program("starts_children"), "spawn", Burns()}, {"--no-children"});
  ExpectSession("hazard_starts_children", 1, 20);
  EXPECT_EQ(Sessions().size(), 1u);
}

TEST_F(ProcessTree, NamesTheProcessesInReportAndStats) {
  (void)Recorded({Program("starts_children"), "spawn", Burns()});
  for (const char* command : {"stats", "report"}) {
    const CommandResult shown = testing::RunSoftlbr({command, profile_});
    EXPECT_NE(shown.out.find("hazard_burns["), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("hazard_starts_children["), std::string::npos) << shown.out;
  }
  // A merged profile keeps the names.
  const std::string merged = folder_ / "merged.slbr";
  EXPECT_EQ(testing::RunSoftlbr({"merge", "-o", merged, profile_}).exit_code, 0);
  EXPECT_NE(testing::RunSoftlbr({"stats", merged}).out.find("hazard_burns["), std::string::npos);
}

TEST_F(ProcessTree, WritesOneFileForEachProcessImageIntoAFolder) {
  for (const std::string name : {"new/", "new"}) {
    profile_ = folder_ / name;
    ExpectUndisturbed(
        {"sh", "-c",
         "'" + Burns() + "' 60; '" + Program("starts_children") + "' preforks x; exec '" + Burns() + "' 60"});
    const json all = Stats();
    std::map<std::string, size_t> files;
    for (const auto& entry : std::filesystem::directory_iterator(profile_)) {
      const std::string file = entry.path().filename();
      ++files[file.substr(0, file.find('.'))];
      const json one = json::parse(testing::RunSoftlbr({"stats", entry.path(), "--json"}).out);
      ASSERT_EQ(one["sessions"].size(), 1u) << file;
      const std::string process =
          one["sessions"][0]["program"].get<std::string>() + "." + one["sessions"][0]["pid"].dump();
      EXPECT_EQ(file.rfind(process, 0), 0u) << file << " holds " << process;
      EXPECT_EQ(one["damaged_frames"].get<uint64_t>() + one["missing_frames"].get<uint64_t>(), 0u) << file;
    }
    EXPECT_EQ(files["hazard_burns"], name == "new" ? 4u : 2u);  // those of the first run stay
    EXPECT_EQ(files["hazard_starts_children"], name == "new" ? 8u : 4u);
    EXPECT_EQ(all["missing_frames"], 0u);
    size_t sum = 0;
    for (const auto& [program, count] : files) sum += count;
    EXPECT_EQ(all["sessions"].size(), sum);
    const std::string merged = folder_ / "merged.slbr";
    EXPECT_EQ(testing::RunSoftlbr({"merge", "-o", merged, profile_}).exit_code, 0);
    const json added = json::parse(testing::RunSoftlbr({"stats", merged, "--json"}).out);
    EXPECT_EQ(added["taken_branches"], all["taken_branches"]);
    EXPECT_EQ(testing::RunSoftlbr({"report", profile_}).exit_code, 0);
  }
}

TEST_F(ProcessTree, RefusesAFolderInWhichItCannotWrite) {
  const CommandResult refused = testing::RunSoftlbr({"record", "-o", folder_ / "absent/folder/", "--", "true"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("no file can be created in this folder"), std::string::npos) << refused.err;
  std::filesystem::create_directory(folder_ / "empty");
  const CommandResult empty = testing::RunSoftlbr({"stats", folder_ / "empty"});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_NE(empty.err.find("holds no file that ends in .slbr"), std::string::npos) << empty.err;
}

}  // namespace
}  // namespace softlbr::hazards
