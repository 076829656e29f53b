// `softlbr record --wait-trigger`: programs that know nothing of softlbr, and sessions that are triggered in them.
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>

#include "tests/hazards/hazard_run.h"
#include "tests/runtime/trigger/triggered_process.h"
#include "tests/toolchain/commands/background_command.h"

namespace softlbr::hazards {
namespace {

using testing::BackgroundCommand;
using testing::ControlConnectionForTest;

// Works until it is told to end.
const std::vector<std::string> kBusyShell = {"sh", "-c", "trap 'exit 7' TERM; echo ready >&2; while :; do :; done"};

class TriggerWaitRecord : public HazardRun {
 protected:
  std::vector<std::string> Environment() const { return {"XDG_RUNTIME_DIR=" + runtime_.path()}; }
  std::string Sockets() const { return runtime_.path() + "/softlbr"; }

  void TearDown() override { EndProgram(); }
  // The program would outlive its command.
  void EndProgram() {
    if (command_ != nullptr && command_->is_running() && !process_.empty()) {
      kill(std::stoi(process_), SIGKILL);
      (void)command_->Wait();
    }
    process_.clear();
  }
  // Starts the program and waits until the command says that it can be triggered, and the program that it is "ready"
  // for signals.
  void StartProgram(const std::vector<std::string>& program) {
    EndProgram();
    std::vector<std::string> arguments = {"record", "--wait-trigger", "--"};
    arguments.insert(arguments.end(), program.begin(), program.end());
    command_ = std::make_unique<BackgroundCommand>(arguments, folder_ / "errors", Environment());
    std::string said;
    for (int waited_ms = 0; said.find(kNextCommand) == std::string::npos || said.find("ready\n") == std::string::npos;
         ++waited_ms) {
      ASSERT_LT(waited_ms, testing::kPatienceMs) << said;
      usleep(1000);
      said = command_->errors();
    }
    process_ = said.substr(said.find(kNextCommand) + sizeof kNextCommand - 1);
    process_.resize(process_.find('`'));
  }
  CommandResult Trigger(const std::string& target, const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"trigger", target, "-o", profile_, "-e", "thread-timer", "-F", "1000"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return testing::RunSoftlbr(arguments, Environment());
  }
  void ExpectRecorded(const std::string& target) {
    CommandResult result;
    for (double seconds = 0.3; seconds < 40; seconds *= 3) {  // until the machine has given the program some CPU time
      result = Trigger(target, {"-d", std::to_string(seconds)});
      if (result.err.find("no branch was recorded") == std::string::npos) break;
    }
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const json stats = Stats();
    EXPECT_GT(stats["samples"], 0);
    EXPECT_EQ(stats["is_truncated"], false);
    std::filesystem::remove(profile_);
  }
  json List() {
    const CommandResult list = testing::RunSoftlbr({"list", "--json"}, Environment());
    EXPECT_EQ(list.exit_code, 0) << list.err;
    return json::parse(list.out)["programs"];
  }
  void WaitUntilProgramIs(const std::string& name) {
    for (int waited_ms = 0;; ++waited_ms) {
      const json programs = List();
      if (programs.size() == 1 && programs[0]["program"] == name) return;
      ASSERT_LT(waited_ms, testing::kPatienceMs / 10) << programs;
      usleep(1000);
    }
  }
  std::string Socket() { return List().at(0)["socket"]; }
  size_t CountSockets() const { return testing::CountEntries(Sockets()) - 2; }  // without . and ..
  // A session of up to 49 seconds in the background, once it has samples.
  void StartLongSession() {
    trigger_ = std::make_unique<BackgroundCommand>(
        std::vector<std::string>{"trigger", process_, "-o", profile_, "-e", "thread-timer", "-F", "1000", "-d", "49"},
        folder_ / "trigger_errors", Environment());
    // With -e thread-timer what was recorded is written once in a while, and lost if the program is killed before.
    struct stat profile {};
    for (int waited_ms = 0; stat(profile_.c_str(), &profile) != 0 || profile.st_size < 1000; ++waited_ms) {
      ASSERT_LT(waited_ms, testing::kPatienceMs) << trigger_->errors();
      usleep(1000);
    }
  }

  static constexpr char kNextCommand[] = "`softlbr trigger ";
  testing::TemporaryFolder runtime_;
  std::string process_;
  std::unique_ptr<BackgroundCommand> command_;
  std::unique_ptr<BackgroundCommand> trigger_;
};

TEST_F(TriggerWaitRecord, ProgramIsTriggeredAgainAndAgainAndKeepsItsExitCode) {
  StartProgram(kBusyShell);
  const json programs = List();
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0]["program"], "sh");
  EXPECT_EQ(std::to_string(programs[0]["pid"].get<int>()), process_);
  EXPECT_EQ(programs[0]["is_running"], false) << "nothing is recorded unasked";
  for (const std::string& target : {process_, std::string("sh"), Socket()}) {
    ExpectRecorded(target);
  }
  EXPECT_GE(List()[0]["sessions"], 3);
  command_->Signal(SIGTERM);
  EXPECT_EQ(command_->Wait().exit_code, 7);
  EXPECT_EQ(CountSockets(), 0u);
}

TEST_F(TriggerWaitRecord, ControlCOfTheTriggerKeepsWhatCameAndTheProgramRunsOn) {
  StartProgram(kBusyShell);
  StartLongSession();
  trigger_->Interrupt();
  const CommandResult result = trigger_->Wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GT(Stats()["samples"], 0);
  EXPECT_EQ(List()[0]["is_running"], false);
}

TEST_F(TriggerWaitRecord, ProgramThatEndsInASessionCompletesTheProfile) {
  StartProgram(kBusyShell);
  StartLongSession();
  command_->Signal(SIGTERM);
  const CommandResult result = trigger_->Wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("takes no more requests"), std::string::npos) << result.err;
  EXPECT_EQ(Stats()["is_truncated"], false);
  EXPECT_EQ(command_->Wait().exit_code, 7);
  EXPECT_EQ(CountSockets(), 0u);
}

TEST_F(TriggerWaitRecord, ProgramThatIsKilledLeavesNoSocketAndWhatItHadSent) {
  StartProgram(kBusyShell);
  StartLongSession();
  kill(std::stoi(process_), SIGKILL);
  const CommandResult result = trigger_->Wait();
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("the program ended during the session"), std::string::npos) << result.err;
  EXPECT_GT(Stats()["samples"], 0);
  EXPECT_EQ(command_->Wait().signal_number, SIGKILL);
  EXPECT_EQ(CountSockets(), 0u);
}

TEST_F(TriggerWaitRecord, AnotherUserGetsNothing) {
  const passwd* nobody = getpwnam("nobody");
  if (geteuid() != 0 || nobody == nullptr) GTEST_SKIP() << "missing: root, to become another user";
  StartProgram(kBusyShell);
  const std::string socket = Socket();
  struct stat info {};
  ASSERT_EQ(stat(socket.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(Sockets().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  // Behind what the file system forbids stands the check of who connects.
  for (const std::string& path : {runtime_.path(), Sockets()}) ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  ASSERT_EQ(chmod(socket.c_str(), 0666), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(nobody->pw_gid) != 0 || setuid(nobody->pw_uid) != 0) _exit(2);
    ControlConnectionForTest connection(socket);
    connection.Start({.event = 6});
    const bool is_refused = connection.ReceiveUntil(MessageKind::kRefused);
    _exit(is_refused && connection.As<RefusedReply>().code == static_cast<uint32_t>(Refusal::kOtherUser) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(List()[0]["sessions"], 0);
}

TEST_F(TriggerWaitRecord, ProgramThatReplacesItselfWaitsAgain) {
  // By two more shells, as wrappers do. The shell tries the folders of PATH by exec, each of which ends the wait and,
  // where it fails, begins it again.
  StartProgram(
      {"sh", "-c", R"(trap 'exec sh -c "exec perl -e \"1 while 1\""' TERM; echo ready >&2; while :; do :; done)"});
  command_->Signal(SIGTERM);
  WaitUntilProgramIs("perl");
  EXPECT_EQ(std::to_string(List()[0]["pid"].get<int>()), process_);
  EXPECT_EQ(CountSockets(), 1u);
  ExpectRecorded(process_);
  ExpectRecorded("perl");
  command_->Signal(SIGTERM);
  const CommandResult result = command_->Wait();
  EXPECT_EQ(result.signal_number, SIGTERM);
  EXPECT_EQ(result.err.find("replaced itself"), std::string::npos) << result.err;
  EXPECT_EQ(CountSockets(), 0u);
}

TEST_F(TriggerWaitRecord, ExecInASessionCompletesItsProfileAndTheNewProgramHasSessionsOfItsOwn) {
  StartProgram({"sh", "-c", R"(trap 'exec perl -e "1 while 1"' TERM; echo ready >&2; while :; do :; done)"});
  StartLongSession();
  command_->Signal(SIGTERM);
  const CommandResult first = trigger_->Wait();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(Stats()["is_truncated"], false);
  WaitUntilProgramIs("perl");
  EXPECT_EQ(List()[0]["sessions"], 0);
  std::filesystem::remove(profile_);
  ExpectRecorded(process_);
  EXPECT_GE(List()[0]["sessions"], 1);
}

TEST_F(TriggerWaitRecord, ExecOfAProgramThatCannotBeRecordedEndsTheWaitAndAFailedExecDoesNot) {
  StartProgram(
      {"sh", "-c", "trap 'exec " + Program("static_child") + " 1 5' TERM; echo ready >&2; while :; do :; done"});
  command_->Signal(SIGTERM);
  const CommandResult result = command_->Wait();
  EXPECT_NE(result.err.find("replaced itself by a program that cannot be recorded"), std::string::npos) << result.err;
  EXPECT_EQ(CountSockets(), 0u);
  if (!testing::HasProgram("bash")) return;
  StartProgram(
      {"bash", "-c",
       "shopt -s execfail; trap 'exec /nowhere/at/all; echo back >&2' TERM; echo ready >&2; while :; do :; done"});
  command_->Signal(SIGTERM);
  for (int waited_ms = 0; command_->errors().find("back\n") == std::string::npos; ++waited_ms) {
    ASSERT_LT(waited_ms, testing::kPatienceMs);
    usleep(1000);
  }
  ASSERT_EQ(List().size(), 1u);
  ExpectRecorded(process_);
}

TEST_F(TriggerWaitRecord, ProgramsThatAChildExecutesDoNotWait) {
  // By fork and exec, and by posix_spawn or system, as perl has it.
  StartProgram({"sh", "-c", R"(perl -e "1 while 1" & echo $! >&2; perl -e 'system "sleep 600 & echo \$! >&2"'
                               trap 'exit 7' TERM; echo ready >&2; while :; do :; done)"});
  EXPECT_EQ(List().size(), 1u);
  EXPECT_EQ(CountSockets(), 1u);
  command_->Signal(SIGTERM);
  const CommandResult result = command_->Wait();
  EXPECT_EQ(result.exit_code, 7);
  std::istringstream lines(result.err);
  int children = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of("0123456789") == std::string::npos) children += kill(std::stoi(line), SIGKILL) == 0;
  }
  EXPECT_EQ(children, 2) << result.err;
}

TEST_F(TriggerWaitRecord, ForkedChildrenAreNeitherTriggeredNorDisturbed) {
  // The child is a copy of the shell, and has a copy of the listening socket.
  StartProgram({"sh", "-c",
                "(exit 3); echo $? >&2; (while :; do sleep 0.1; done) & echo $! >&2; trap 'exit 7' TERM; echo ready "
                ">&2; while :; "
                "do :; done"});
  EXPECT_EQ(List().size(), 1u);
  command_->Signal(SIGTERM);
  const CommandResult result = command_->Wait();
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(CountSockets(), 0u);
  std::istringstream lines(result.err);
  std::vector<int> numbers;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of("0123456789") == std::string::npos) numbers.push_back(std::stoi(line));
  }
  ASSERT_EQ(numbers.size(), 2u) << result.err;
  EXPECT_EQ(numbers[0], 3);
  EXPECT_EQ(kill(numbers[1], SIGKILL), 0) << "the child lives on";
}

TEST_F(TriggerWaitRecord, QuietCommandSaysNothing) {
  const CommandResult result =
      testing::RunSoftlbr({"record", "--wait-trigger", "-q", "--", "sh", "-c", "exit 5"}, Environment());
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_EQ(result.err, "");
}

TEST_F(TriggerWaitRecord, FolderThatIsNotPrivateOrNotThereIsAFailure) {
  ASSERT_EQ(mkdir(Sockets().c_str(), 0700), 0);
  ASSERT_EQ(chmod(Sockets().c_str(), 0777), 0);
  const CommandResult result = testing::RunSoftlbr({"record", "--wait-trigger", "--", "true"}, Environment());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("is not private to its user, as others may create"), std::string::npos) << result.err;
  const CommandResult nowhere = testing::RunSoftlbr({"record", "--wait-trigger", "--", "true"},
                                                    {"XDG_RUNTIME_DIR=" + runtime_.path() + "/nowhere"});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_NE(nowhere.err.find("its socket cannot be made in"), std::string::npos) << nowhere.err;
}

TEST_F(TriggerWaitRecord, OptionsOfARecordingAreRefused) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-o", "p"}, {"-F", "100"}, {"--traces"}, {"--no-children"}, {"-e", "best"}}) {
    std::vector<std::string> arguments = {"record", "--wait-trigger"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"--", "true"});
    EXPECT_EQ(testing::RunSoftlbr(arguments).exit_code, 2) << options[0];
  }
}

// Every way into a sandbox ends the wait, and the thread that waits with it.
class ConfinedWait : public TriggerWaitRecord, public ::testing::WithParamInterface<const char*> {};

TEST_P(ConfinedWait, ProgramIsUndisturbed) {
  std::vector<std::string> program = {Program("enters_sandbox"), GetParam()};
  if (std::string(GetParam()).rfind("child", 0) == 0) program.push_back("prctl");  // then the parent
  const CommandResult plain = testing::RunCommand(program);
  if (plain.exit_code == 99) GTEST_SKIP() << "missing: seccomp filters: " << plain.err;
  std::vector<std::string> arguments = {"record", "--wait-trigger", "--"};
  arguments.insert(arguments.end(), program.begin(), program.end());
  const CommandResult waiting = testing::RunSoftlbr(arguments, Environment());
  EXPECT_EQ(waiting.exit_code, plain.exit_code) << waiting.err;
  EXPECT_EQ(waiting.out, plain.out);
  EXPECT_NE(waiting.err.find("entered a sandbox"), std::string::npos) << waiting.err;
  EXPECT_EQ(CountSockets(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ways, ConfinedWait,
                         ::testing::Values("strict", "strict_seccomp", "prctl", "seccomp", "tsync", "thread", "eperm",
                                           "log", "trap", "harmless", "harmless_tsync", "child", "child_strict"),
                         [](const auto& way) { return std::string(way.param); });

// The ends of a program, with a thread that waits in it.
class EndedWait : public TriggerWaitRecord, public ::testing::WithParamInterface<const char*> {};

TEST_P(EndedWait, IsTheProgramsOwn) {
  const CommandResult plain = testing::RunCommand({Program("ends"), GetParam()});
  const CommandResult waiting =
      testing::RunSoftlbr({"record", "--wait-trigger", "-q", "--", Program("ends"), GetParam()}, Environment());
  EXPECT_EQ(waiting.exit_code, plain.exit_code);
  EXPECT_EQ(waiting.signal_number, plain.signal_number);
  EXPECT_EQ(waiting.out, plain.out);
  EXPECT_EQ(waiting.err, plain.err);
  EXPECT_EQ(CountSockets(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ways, EndedWait,
                         ::testing::Values("return", "exit_in_thread", "_exit", "quick_exit", "abort", "segv", "kill",
                                           "trap", "main_ends_first"),
                         [](const auto& way) { return std::string(way.param); });

}  // namespace
}  // namespace softlbr::hazards
