// What `softlbr stats` says as text.
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

class Stats : public ::testing::Test {
 protected:
  std::string TextOf(const Profile& profile) {
    const std::string path = folder_ / "p.slbr";
    EXPECT_EQ(WriteProfileFile(profile, path), "");
    return testing::RunSoftlbr({"stats", path}).out;
  }
  // The line of a table that begins with `title`, with single spaces; empty if there is none.
  static std::string Line(const std::string& text, const std::string& title) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string joined;
      for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
      if (joined.starts_with(title)) return joined;
    }
    return "";
  }
  // Of one session: 1 s of CPU time, 12 samples.
  static Profile WithCounters(const std::function<void(SessionCounters*)>& change) {
    Profile profile = testing::SyntheticProfile();
    change(&profile.sessions[0].counters);
    profile.counters = profile.sessions[0].counters;
    return profile;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Stats, ShowsThePauseForContextSwitches) {
  const std::string text = TextOf(WithCounters([](SessionCounters* counters) { counters->paused_cpu_ns = 250000000; }));
  EXPECT_EQ(Line(text, "paused"), "paused because of context switches 250.0 ms 25.0%") << text;
  EXPECT_EQ(Line(TextOf(testing::SyntheticProfile()), "paused"), "");
}

TEST_F(Stats, AndReportTellTheTimeInTheKernel) {
  const std::string text = TextOf(WithCounters([](SessionCounters* counters) { counters->kernel_cpu_ns = 620000000; }));
  EXPECT_EQ(Line(text, "in the kernel"), "in the kernel, where nothing is recorded 620.0 ms 62.0%") << text;
  const std::string report = testing::RunSoftlbr({"report", folder_ / "p.slbr"}).out;
  EXPECT_NE(report.find("\n  62.0% of its CPU time was in the kernel, where nothing is recorded\n"), std::string::npos)
      << report;
  TextOf(WithCounters([](SessionCounters* counters) { counters->kernel_cpu_ns = 50000000; }));
  EXPECT_EQ(testing::RunSoftlbr({"report", folder_ / "p.slbr"}).out.find("kernel"), std::string::npos)
      << "a twentieth puzzles nobody";
}

TEST_F(Stats, ShowsTheLabels) {
  Profile profile = testing::SyntheticProfile();
  EXPECT_EQ(Line(TextOf(profile), "labels"), "");
  profile.sessions[0].labels = {{"arm", "B"}, {"app_version", "1.2 (beta)"}};
  EXPECT_EQ(Line(TextOf(profile), "labels"), "labels: app_version=1.2 (beta), arm=B");
  const std::string dump = testing::RunSoftlbr({"dump", folder_ / "p.slbr"}).out;
  EXPECT_NE(dump.find("\nlabel 0 app_version=1.2\\x20(beta)\nlabel 0 arm=B\n"), std::string::npos) << dump;
}

TEST_F(Stats, ShowsHitsWithoutTheirMark) {
  const std::string text = TextOf(WithCounters([](SessionCounters* counters) { counters->unmarked_hits = 3; }));
  EXPECT_EQ(Line(text, "without their"), "without their mark 3 not in the number above: each hit again, marked")
      << text;
  EXPECT_EQ(Line(TextOf(testing::SyntheticProfile()), "without their"), "");
}

TEST_F(Stats, SaysHowManyFramesAreCopies) {
  EXPECT_EQ(Line(TextOf(testing::SyntheticProfile()), "Repeated"), "");
  const std::string once = testing::ReadFile(folder_ / "p.slbr");
  testing::WriteFile(folder_ / "p.slbr", once + once);
  const testing::CommandResult stats = testing::RunSoftlbr({"stats", folder_ / "p.slbr"});
  EXPECT_EQ(stats.exit_code, 0);
  EXPECT_EQ(Line(stats.out, "Repeated"), "Repeated: 1 frame, each counted once");
  EXPECT_NE(stats.err.find("warning: " + (folder_ / "p.slbr") + ": 1 frame is in the file a second time"),
            std::string::npos)
      << stats.err;
  testing::WriteFile(folder_ / "once.slbr", once);
  const auto dump = [this](const std::string& name) { return testing::RunSoftlbr({"dump", folder_ / name}).out; };
  const std::string of_two = dump("p.slbr");
  EXPECT_NE(of_two.find(" repeated_frames=1\n"), std::string::npos) << of_two;
  EXPECT_EQ(of_two.substr(of_two.find('\n')), dump("once.slbr").substr(dump("once.slbr").find('\n')));
}

TEST_F(Stats, ShowsEveryPartOfTheOverhead) {
  const std::string text = TextOf(WithCounters([](SessionCounters* counters) {
    counters->overhead_sampling_ns = 1000000;
    counters->overhead_evaluating_ns = 2000000;
    counters->overhead_lifting_ns = 3000000;
    counters->overhead_breakpoints_ns = 4000000;
    counters->overhead_control_ns = 5000000;
    counters->overhead_switching_ns = 6000000;
    counters->overhead_total_ns = 21000000;
  }));
  int sum_ms = 0;
  for (const char* part : {"sampling", "evaluating", "lifting", "breakpoints", "control thread", "context switches"}) {
    const std::string line = Line(text, part);
    if (line.empty()) ADD_FAILURE() << part << " is not in " << text;
    if (!line.empty()) sum_ms += std::stoi(line.substr(std::string(part).size()));
  }
  EXPECT_EQ(sum_ms, 21) << text;
}

TEST_F(Stats, TellsTheMeanPeriodIfItIsAnother) {
  const auto session_line = [this](uint64_t samples, uint64_t paused_ns) {
    return Line(TextOf(WithCounters([&](SessionCounters* counters) {  // 1 s of CPU time, and a period of 1 ms
                  counters->samples = samples;
                  counters->paused_cpu_ns = paused_ns;
                })),
                "session: ");
  };
  EXPECT_NE(session_line(100, 0).find("task-clock every 1.0 ms, on average every 10.0 ms of CPU time, 16 branches"),
            std::string::npos)
      << session_line(100, 0);
  EXPECT_EQ(session_line(900, 0).find("on average"), std::string::npos);
  EXPECT_EQ(session_line(100, 900000000).find("on average"), std::string::npos) << "a pause is told apart";
  EXPECT_EQ(session_line(12, 0).find("on average"), std::string::npos) << "too few to tell";
}

TEST_F(Stats, AndReportCountOneInTheSingular) {
  const Profile profile = WithCounters([](SessionCounters* counters) {
    counters->traces_complete = 1;
    counters->traces_aborted[static_cast<int>(AbortReason::kNoBreakpoint)] = 0;
    counters->threads_traced = 1;
  });
  ASSERT_EQ(WriteProfileFile(profile, folder_ / "one.slbr"), "");
  const std::string report = testing::RunSoftlbr({"report", folder_ / "one.slbr"}).out;
  EXPECT_NE(report.find(" in 1 trace\n"), std::string::npos) << report;
  EXPECT_NE(report.find(" 1 thread, overhead"), std::string::npos) << report;
}

TEST_F(Stats, TellsTheOverheadOfAShortProgramAsTime) {
  const Profile brief = WithCounters([](SessionCounters* counters) {
    counters->app_cpu_ns = 1000000;
    counters->overhead_total_ns = 11857000;
  });
  EXPECT_EQ(Line(TextOf(brief), "overhead"), "overhead 11.9 ms") << "not 1185.7%";
  const std::string report = testing::RunSoftlbr({"report", folder_ / "p.slbr"}).out;
  EXPECT_NE(report.find("overhead 11.9 ms beside 1.0 ms CPU time"), std::string::npos) << report;
  const Profile without_samples = WithCounters([](SessionCounters* counters) { counters->samples = 0; });
  EXPECT_EQ(Line(TextOf(without_samples), "overhead"), "overhead 10.0 ms");
  EXPECT_EQ(Line(TextOf(testing::SyntheticProfile()), "overhead"), "overhead 10.0 ms 1.0%");
}

}  // namespace
}  // namespace softlbr::toolchain
