// What `softlbr trigger` advises where a target is none, or more than one: done in its words, after which the program
// is recorded.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/runtime/trigger/triggered_process.h"
#include "tests/toolchain/commands/printed_remedy.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

using nlohmann::json;
using testing::CommandResult;
using testing::RunSoftlbr;

class TriggerRemedies : public ::testing::Test {
 protected:
  CommandResult Trigger(const std::string& target, double seconds = 0.3) {
    return RunSoftlbr({"trigger", target, "--folder", sockets_.path(), "-o", profile_, "-e", "thread-timer", "-F",
                       "1000", "-d", std::to_string(seconds)});
  }
  json Programs() {
    const CommandResult list = RunSoftlbr({"list", "--json", "--folder", sockets_.path()});
    EXPECT_EQ(list.exit_code, 0) << list.err;
    return json::parse(list.out)["programs"];
  }
  int SessionsOf(pid_t process) {
    const json programs = Programs();
    for (const json& program : programs) {
      if (program["pid"] == process) return program["sessions"];
    }
    return -1;
  }
  // The profile has samples, and the session was in this process.
  void ExpectRecorded(const std::string& target, pid_t process) {
    const int before = SessionsOf(process);
    CommandResult result;
    // A session without a sample, of a program that got no CPU, is a failure that says so.
    for (double seconds = 0.3; seconds < 40; seconds *= 3) {
      result = Trigger(target, seconds);
      if (result.err.find("no branch was recorded") == std::string::npos) break;
    }
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json stats = json::parse(RunSoftlbr({"stats", profile_, "--json"}).out);
    EXPECT_GT(stats["samples"], 0) << stats;
    EXPECT_GT(SessionsOf(process), before);
  }

  testing::PrivateFolder sockets_;
  testing::TemporaryFolder folder_;
  std::string profile_ = folder_ / "p.slbr";
  testing::TriggeredProcess first_{SOFTLBR_TRIGGERABLE_PROGRAM, sockets_.path(), "thread"};
};

TEST_F(TriggerRemedies, AProgramOfTheListCanBeTriggered) {
  ASSERT_TRUE(first_.is_ready());
  const CommandResult refused = Trigger("another");
  EXPECT_EQ(refused.exit_code, 1);
  // "`softlbr list` shows those that can"
  const std::string command = testing::WordBehind(refused.err, "`softlbr ");
  const CommandResult list = RunSoftlbr({command.substr(0, command.find('`')), "--json", "--folder", sockets_.path()});
  ASSERT_EQ(list.exit_code, 0) << list.err;
  const json programs = json::parse(list.out)["programs"];
  ASSERT_EQ(programs.size(), 1u) << list.out;
  ExpectRecorded(programs[0]["program"], first_.pid());
}

TEST_F(TriggerRemedies, OneOfTwoOfANameIsNamedByItsId) {
  testing::TriggeredProcess second{SOFTLBR_TRIGGERABLE_PROGRAM, sockets_.path(), "thread"};
  ASSERT_TRUE(first_.is_ready() && second.is_ready());
  const CommandResult refused = Trigger("triggerable");
  EXPECT_EQ(refused.exit_code, 1);
  std::vector<std::string> ids = testing::WordsBehind(refused.err, "by its process id: ");
  EXPECT_EQ(ids.size(), 2u) << refused.err;
  for (const std::string& id : ids) {
    const pid_t process = std::stoi("0" + id);
    EXPECT_TRUE(process == first_.pid() || process == second.pid()) << refused.err;
    ExpectRecorded(id, process);
  }
}

}  // namespace
}  // namespace softlbr::toolchain
