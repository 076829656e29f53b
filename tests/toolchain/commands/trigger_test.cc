// `softlbr trigger` and `softlbr list` with a program that works and waits to be triggered.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/runtime/trigger/triggered_process.h"
#include "tests/toolchain/commands/background_command.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::BackgroundCommand;
using testing::CommandResult;
using testing::ControlConnectionForTest;
using testing::RunSoftlbr;

class TriggerCommand : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(process_.is_ready()); }

  std::vector<std::string> Arguments(const std::string& target, const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"trigger", target, "--folder", sockets_.path(), "-o", profile_};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return arguments;
  }
  CommandResult Run(const std::vector<std::string>& options) { return RunSoftlbr(Arguments("triggerable", options)); }
  // Waits until a session runs in the program and it has worked enough for samples, however busy the machine is.
  void WaitUntilSampled() {
    bool is_running = false;
    for (int waited_ms = 0; !is_running; ++waited_ms) {
      ASSERT_LT(waited_ms, testing::kPatienceMs) << "no session has begun";
      usleep(1000);
      ControlConnectionForTest connection(process_.socket());
      connection.SendRequest(MessageKind::kAsk);
      ASSERT_TRUE(connection.ReceiveUntil(MessageKind::kInfo));
      is_running = connection.As<InfoReply>().is_running != 0;
    }
    const auto worked_ms = [this] {
      clockid_t clock;
      timespec time{};
      EXPECT_EQ(clock_getcpuclockid(process_.pid(), &clock), 0);
      clock_gettime(clock, &time);
      return time.tv_sec * 1000 + time.tv_nsec / 1000000;
    };
    for (const long begin = worked_ms(); worked_ms() < begin + 200;) usleep(1000);
  }
  uint64_t SamplesOf(const std::string& profile) {
    const CommandResult stats = RunSoftlbr({"stats", profile, "--json"});
    EXPECT_EQ(stats.exit_code, 0) << stats.err;
    return stats.exit_code == 0 ? json::parse(stats.out)["samples"].get<uint64_t>() : 0;
  }
  json List() {
    const CommandResult list = RunSoftlbr({"list", "--json", "--folder", sockets_.path()});
    EXPECT_EQ(list.exit_code, 0) << list.err;
    return json::parse(list.out);
  }
  std::vector<std::string> LongSession(const std::string& event = "thread-timer") {
    return Arguments("triggerable", {"-d", "49", "-e", event});
  }

  testing::PrivateFolder sockets_;
  testing::TemporaryFolder folder_;
  std::string profile_ = folder_ / "p.slbr";
  testing::TriggeredProcess process_{SOFTLBR_TRIGGERABLE_PROGRAM, sockets_.path(), "thread"};
};

TEST_F(TriggerCommand, FiveSessionsGiveFiveReadableProfiles) {
  const std::string targets[] = {"triggerable", std::to_string(process_.pid()), process_.socket(), "triggerable",
                                 "triggerable"};
  for (const std::string& target : targets) {
    CommandResult result;
    // A session without a sample, of a program that got no CPU, is a failure that says so.
    for (double seconds = 0.3; seconds < 40; seconds *= 3) {
      result = RunSoftlbr(Arguments(target, {"-d", std::to_string(seconds), "-e", "thread-timer", "-F", "1000"}));
      if (result.err.find("no branch was recorded") == std::string::npos) break;
    }
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(" taken branches from "), std::string::npos) << result.err;
    EXPECT_GT(SamplesOf(profile_), 0u);
    std::filesystem::remove(profile_);
  }
  EXPECT_GE(List()["programs"][0]["sessions"], 5);
}

TEST_F(TriggerCommand, ControlCEndsTheSessionAndKeepsWhatCame) {
  BackgroundCommand command(LongSession(), folder_ / "errors");
  WaitUntilSampled();
  command.Interrupt();
  const CommandResult result = command.Wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(SamplesOf(profile_), 0u);
  EXPECT_EQ(List()["programs"][0]["is_running"], false);
  // A frame for each flush came. Combined they are as large as a merge of them.
  const json stats = json::parse(RunSoftlbr({"stats", "--json", profile_}).out);
  EXPECT_EQ(stats["format_version"], 2);
  ASSERT_EQ(RunSoftlbr({"merge", "-o", folder_ / "merged", profile_}).exit_code, 0);
  EXPECT_LE(std::filesystem::file_size(profile_), std::filesystem::file_size(folder_ / "merged") * 11 / 10 + 100);
}

TEST_F(TriggerCommand, SecondRequestIsRefused) {
  BackgroundCommand command(LongSession(), folder_ / "errors");
  WaitUntilSampled();
  EXPECT_EQ(List()["programs"][0]["is_running"], true);
  const std::string second = folder_ / "second.slbr";
  const CommandResult refused = RunSoftlbr({"trigger", process_.socket(), "-o", second});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("a session runs in the program already"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(second));
  command.Interrupt();
  EXPECT_EQ(command.Wait().exit_code, 0);
}

TEST_F(TriggerCommand, ProgramThatIsKilledLeavesWhatItRecorded) {
  // With the CPU timers the control thread dies with the program, and what it had not written yet is lost.
  const CommandResult attempt = Run({"-d", "0.001", "-e", "task-clock"});
  if (attempt.err.find("the session could not be started") != std::string::npos) GTEST_SKIP() << "missing: perf events";
  BackgroundCommand command(LongSession("task-clock"), folder_ / "errors");
  WaitUntilSampled();
  process_.Kill();
  const CommandResult result = command.Wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("the program ended during the session"), std::string::npos) << result.err;
  EXPECT_GT(SamplesOf(profile_), 0u);
  EXPECT_TRUE(List()["programs"].empty()) << "its socket is left behind, but nobody listens";
  const CommandResult again = RunSoftlbr({"trigger", process_.socket()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("the program has ended"), std::string::npos) << again.err;
}

TEST_F(TriggerCommand, RefusalsNameTheProgramsLimitAndKeepTheEarlierProfile) {
  testing::WriteFile(profile_, "earlier");
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"-d", "51"}, "no session longer than 50.00 s"},
      {{"-c", "5"}, "no period below 100,000"},
      {{"-F", "20000"}, "at most 10,000 samples a second"},
      {{"--max-overhead", "6%"}, "an overhead of at most 5%"},
  };
  for (const auto& [options, text] : cases) {
    const CommandResult result = Run(options);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_EQ(testing::ReadFile(profile_), "earlier");
}

TEST_F(TriggerCommand, WrongUsageIsExplained) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"-d", "0"},
                                                  {"-e", "nothing"},
                                                  {"-c", "1", "-F", "1"},
                                                  {"--branches", "1025"},
                                                  {"--max-overhead", "x"}}) {
    EXPECT_EQ(Run(options).exit_code, 2) << options[0];
  }
  EXPECT_EQ(RunSoftlbr({"trigger"}).exit_code, 2);
  CommandResult result = RunSoftlbr(Arguments("another", {}));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("no program another can be triggered in"), std::string::npos) << result.err;
  result = RunSoftlbr({"trigger", folder_ / "nothing.sock"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("no such socket"), std::string::npos) << result.err;
  testing::WriteFile(folder_ / "file.sock", "");
  EXPECT_EQ(RunSoftlbr({"trigger", folder_ / "file.sock"}).exit_code, 1);
}

TEST_F(TriggerCommand, TwoProgramsOfOneNameAreToldApart) {
  testing::TriggeredProcess second(SOFTLBR_TRIGGERABLE_PROGRAM, sockets_.path(), "poll");
  ASSERT_TRUE(second.is_ready());
  EXPECT_EQ(List()["programs"].size(), 2u);
  const CommandResult result = Run({});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("2 programs are named triggerable"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(" " + std::to_string(second.pid())), std::string::npos) << result.err;
}

TEST_F(TriggerCommand, ListCountsRequestsByTheirRefusal) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Run({"-d", "51"}).exit_code, 1);
  EXPECT_EQ(Run({"-F", "20000"}).exit_code, 1);
  {
    ControlConnectionForTest connection(process_.socket());
    connection.SendBytes("nothing", 7);
    EXPECT_TRUE(connection.ReceiveUntil(MessageKind::kRefused));
  }
  const json requests = List()["programs"][0]["requests"];
  EXPECT_EQ(requests["accepted"], 0);
  EXPECT_EQ(requests["refused_total"], 5);
  EXPECT_EQ(requests["refused"], (json{{"1", 1}, {"7", 3}, {"9", 1}})) << requests;
  const CommandResult list = RunSoftlbr({"list", "--folder", sockets_.path()});
  EXPECT_NE(list.out.find(") refused 3: the program permits no session of that duration\n"), std::string::npos)
      << list.out;
}

TEST_F(TriggerCommand, ListShowsTheProgramAndNothingElse) {
  testing::WriteFile(sockets_.path() + "/softlbr.other.1.sock", "");
  testing::WriteFile(sockets_.path() + "/other", "");
  const CommandResult list = RunSoftlbr({"list", "--folder", sockets_.path()});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_NE(list.out.find(std::to_string(process_.pid()) + "  triggerable  none "), std::string::npos) << list.out;
  EXPECT_EQ(List()["programs"].size(), 1u);
  const CommandResult empty = RunSoftlbr({"list", "--folder", folder_ / "nowhere"});
  EXPECT_EQ(empty.exit_code, 0);
  EXPECT_EQ(empty.out, "");
}

}  // namespace
}  // namespace softlbr::toolchain
