// Sessions on request: the socket and its folder in this process; requests to another one that works meanwhile.
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>
#include <variant>

#include "runtime/include/softlbr/control.h"
#include "tests/runtime/trigger/triggered_process.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr {
namespace {

using testing::AddressOf;
using testing::ControlConnectionForTest;
using testing::Footprint;
using testing::PrivateFolder;
using testing::TriggeredProcess;

constexpr uint32_t kThreadTimer = 6;  // needs no perf events, so that no machine skips these tests

softlbr_control_options OptionsFor(const std::string& folder) {
  softlbr_control_options options = {};
  options.struct_size = sizeof options;
  options.folder = folder.c_str();
  options.program = "test";
  return options;
}

std::string OwnSocket() { return "softlbr.test." + std::to_string(getpid()) + ".sock"; }

// Holds a Unix socket of that name; listens, or is left behind by the destructor as a dead process leaves it.
class ForeignSocket {
 public:
  explicit ForeignSocket(const std::string& path) : fd_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    const sockaddr_un address = AddressOf(path);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(fd_, 1), 0);
  }
  ForeignSocket(const ForeignSocket&) = delete;
  ForeignSocket& operator=(const ForeignSocket&) = delete;
  ~ForeignSocket() { close(fd_); }

 private:
  int fd_;
};

TEST(ControlSocket, IsPrivateAndRemovedByStop) {
  const PrivateFolder folder;
  const Footprint before(getpid());
  const softlbr_control_options options = OptionsFor(folder.path());
  ASSERT_EQ(softlbr_control_start(&options), SOFTLBR_OK);
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_WRONG_STATE);
  struct stat info {};
  ASSERT_EQ(stat((folder.path() + "/" + OwnSocket()).c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  const Footprint idle(getpid());
  EXPECT_EQ(idle.tasks, before.tasks + 1);
  EXPECT_EQ(idle.descriptors, before.descriptors + 2);
  EXPECT_EQ(softlbr_control_poll(), SOFTLBR_WRONG_STATE) << "there is a thread";
  EXPECT_EQ(softlbr_control_stop(), SOFTLBR_OK);
  EXPECT_EQ(softlbr_control_stop(), SOFTLBR_WRONG_STATE);
  EXPECT_EQ(softlbr_control_descriptor(), -1);
  EXPECT_TRUE(folder.Names().empty());
  const Footprint after(getpid());
  EXPECT_EQ(after.tasks, before.tasks);
  EXPECT_EQ(after.descriptors, before.descriptors);
}

// The remedies are tried, too: each refusal's text names what then helps.
TEST(ControlSocket, FolderThatIsNotPrivateIsRefusedWithItsCause) {
  const PrivateFolder folder;
  softlbr_control_options options = OptionsFor(folder.path());
  const auto start = [&options] {
    const int status = softlbr_control_start(&options);
    if (status == SOFTLBR_OK) (void)softlbr_control_stop();
    EXPECT_EQ(std::string(softlbr_status_text(status)).find("perf"), std::string::npos) << status;
    return status;
  };
  for (const mode_t mode : {0770, 0771, 0707, 0702, 0777, 01777}) {
    ASSERT_EQ(chmod(folder.path().c_str(), mode), 0);
    EXPECT_EQ(start(), SOFTLBR_FOLDER_OPEN_TO_OTHERS) << mode;
  }
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(start(), SOFTLBR_OK) << "others may look";
  ASSERT_EQ(chmod(folder.path().c_str(), 0700), 0);
  EXPECT_EQ(start(), SOFTLBR_OK);
  const std::string link = folder.path() + "/link";
  ASSERT_EQ(symlink(folder.path().c_str(), link.c_str()), 0);
  options.folder = link.c_str();
  EXPECT_EQ(start(), SOFTLBR_FOLDER_IS_LINK);
  const std::string file = folder.path() + "/file";
  close(open(file.c_str(), O_CREAT | O_CLOEXEC, 0600));
  options.folder = file.c_str();
  EXPECT_EQ(start(), SOFTLBR_FOLDER_IS_LINK);
  options.folder = "relative";
  EXPECT_EQ(start(), SOFTLBR_INVALID_ARGUMENT);
  options.folder = "/nowhere/at/all";
  EXPECT_EQ(start(), SOFTLBR_FOLDER_MISSING);
  if (geteuid() == 0) {
    options.folder = "/sys/kernel";
    EXPECT_EQ(start(), SOFTLBR_FOLDER_NOT_WRITABLE) << "no file can be made there";
    ASSERT_EQ(chown(folder.path().c_str(), 12345, 12345), 0);
    options.folder = folder.path().c_str();
    EXPECT_EQ(start(), SOFTLBR_FOLDER_OF_ANOTHER);
    ASSERT_EQ(chown(folder.path().c_str(), 0, 0), 0);
  }
}

// As Android has it: the folder's group may write, but nobody else gets there.
TEST(ControlSocket, FolderThatItsGroupMayWriteToIsTakenBehindAPrivateOne) {
  const PrivateFolder above;
  const std::string path = above.path() + "/files";
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  const softlbr_control_options options = OptionsFor(path);
  const auto start = [&](mode_t mode, mode_t mode_above) {
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_EQ(chmod(above.path().c_str(), mode_above), 0);
    const int status = softlbr_control_start(&options);
    if (status == SOFTLBR_OK) (void)softlbr_control_stop();
    return status;
  };
  for (const mode_t mode : {0771, 0770, 02771, 0700}) EXPECT_EQ(start(mode, 0700), SOFTLBR_OK) << mode;
  EXPECT_EQ(start(0771, 0744), SOFTLBR_OK) << "others see the name, but cannot pass";
  for (const mode_t mode : {0702, 0773, 0777, 01777})
    EXPECT_EQ(start(mode, 0700), SOFTLBR_FOLDER_OPEN_TO_OTHERS) << mode;
  for (const mode_t mode : {0710, 0701, 0711, 0755, 0771, 01777}) {
    EXPECT_EQ(start(0771, mode), SOFTLBR_FOLDER_OPEN_TO_OTHERS) << "above: " << mode;
  }
  if (geteuid() == 0) {
    ASSERT_EQ(chown(above.path().c_str(), 12345, 12345), 0);
    EXPECT_EQ(start(0771, 0700), SOFTLBR_FOLDER_OPEN_TO_OTHERS) << "above is another user's, who may pass";
    ASSERT_EQ(chown(above.path().c_str(), 0, 0), 0);
  }
  EXPECT_EQ(rmdir(path.c_str()), 0);
}

TEST(ControlSocket, StaleOneIsReplacedAndLiveOneRefused) {
  const PrivateFolder folder;
  const softlbr_control_options options = OptionsFor(folder.path());
  {
    const ForeignSocket live(folder.path() + "/" + OwnSocket());
    EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_SOCKET_IN_USE);
  }
  ASSERT_EQ(folder.Names(), std::vector<std::string>{OwnSocket()});
  ASSERT_EQ(softlbr_control_start(&options), SOFTLBR_OK) << "nobody listens there any more";
  EXPECT_TRUE(ControlConnectionForTest(folder.path() + "/" + OwnSocket()).is_open());
  EXPECT_EQ(softlbr_control_stop(), SOFTLBR_OK);
}

TEST(ControlSocket, FilesAndLinksInItsPlaceStay) {
  const PrivateFolder folder;
  const softlbr_control_options options = OptionsFor(folder.path());
  const std::string path = folder.path() + "/" + OwnSocket();
  ASSERT_EQ(symlink("/nowhere", path.c_str()), 0);
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_SOCKET_NAME_TAKEN);
  struct stat info {};
  ASSERT_EQ(lstat(path.c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST(ControlSocket, OptionsOutOfRangeAreRefused) {
  const PrivateFolder folder;
  softlbr_control_options options = OptionsFor(folder.path());
  options.struct_size = offsetof(softlbr_control_options, condition) - 1;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT);
  options = OptionsFor(folder.path());
  options.flags = 2;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT);
  options = OptionsFor(folder.path());
  options.largest_overhead_ppm = 1000001;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT);
  EXPECT_EQ(softlbr_control_start(nullptr), SOFTLBR_INVALID_ARGUMENT);
  EXPECT_EQ(softlbr_control_get_counters(nullptr), SOFTLBR_INVALID_ARGUMENT);
  EXPECT_TRUE(folder.Names().empty());
}

toolchain::Profile ReadBack(const std::vector<uint8_t>& bytes) {
  auto read = toolchain::ReadProfile(bytes, "session");
  if (std::holds_alternative<toolchain::Profile>(read)) return std::get<toolchain::Profile>(std::move(read));
  ADD_FAILURE() << std::get<toolchain::ReadError>(read).message;
  return {};
}

TEST(ControlSocket, OptionsOfAnotherVersionAreTaken) {
  const PrivateFolder folder;
  softlbr_control_options options = OptionsFor(folder.path());
  options.struct_size = offsetof(softlbr_control_options, condition);
  options.condition = [](void*) -> int { abort(); };  // behind what the structure has
  ASSERT_EQ(softlbr_control_start(&options), SOFTLBR_OK);
  ControlConnectionForTest connection(folder.path() + "/" + OwnSocket());
  connection.Start({});
  EXPECT_TRUE(connection.ReceiveUntil(MessageKind::kRefused)) << "there is no decoder";
  EXPECT_EQ(softlbr_control_stop(), SOFTLBR_OK);
  struct {
    softlbr_control_options known;
    uint64_t later;
  } newer = {OptionsFor(folder.path()), 1};
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(softlbr_control_start(&newer.known), SOFTLBR_INVALID_ARGUMENT) << "it sets what this version does not know";
  newer.later = 0;
  EXPECT_EQ(softlbr_control_start(&newer.known), SOFTLBR_OK);
  EXPECT_EQ(softlbr_control_stop(), SOFTLBR_OK);
}

TEST(ControlSocket, ConditionDecidesAboutSessionsWithinTheLimits) {
  const PrivateFolder folder;
  softlbr_control_options options = OptionsFor(folder.path());
  std::atomic<int> answer{0};
  options.condition = [](void* cookie) { return static_cast<std::atomic<int>*>(cookie)->load(); };
  options.condition_cookie = &answer;
  ASSERT_EQ(softlbr_control_start(&options), SOFTLBR_OK);
  ControlConnectionForTest connection(folder.path() + "/" + OwnSocket());
  const auto code_of = [&connection](const StartRequest& start) {
    connection.Start(start);
    EXPECT_TRUE(connection.ReceiveUntil(MessageKind::kRefused));
    return static_cast<Refusal>(connection.As<RefusedReply>().code);
  };
  EXPECT_EQ(code_of({}), Refusal::kNotNow);
  EXPECT_EQ(code_of({.duration_ms = 86400000}), Refusal::kTooLong) << "a limit comes first";
  answer = 1;
  EXPECT_EQ(code_of({}), Refusal::kNotStarted) << "permitted, but this process has registered no decoder";
  EXPECT_EQ(softlbr_control_stop(), SOFTLBR_OK);
}

// The mode is how the program serves: by the archive's thread, or by its own.
class Trigger : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_TRUE(process_.is_ready()); }

  // One session: started, sampled, cancelled. What came of its profile over the connection.
  std::vector<uint8_t> RunSession(int passed = -1) {
    ControlConnectionForTest connection(process_.socket());
    connection.Start({.event = kThreadTimer, .frequency_hz = 2000}, passed);
    EXPECT_TRUE(connection.ReceiveUntil(MessageKind::kStarted));
    const StartedReply started = connection.As<StartedReply>();
    EXPECT_EQ(started.event, kThreadTimer);
    EXPECT_EQ(started.duration_ms, 10000u);
    EXPECT_EQ(started.max_overhead_ppm, 10000u);
    bool is_sampled = false;
    while (!is_sampled && connection.ReceiveUntil(MessageKind::kProgress)) {
      is_sampled = connection.As<SessionProgress>().samples > 0;
    }
    EXPECT_TRUE(is_sampled) << "within the session's duration";
    connection.SendRequest(MessageKind::kCancel);
    EXPECT_TRUE(connection.ReceiveUntil(MessageKind::kEnd));
    const EndReply end = connection.As<EndReply>();
    EXPECT_EQ(end.why, static_cast<uint32_t>(SessionEnd::kCancelled));
    EXPECT_EQ(end.status, static_cast<uint32_t>(SOFTLBR_OK));
    EXPECT_GT(end.totals.samples, 0u);
    return connection.profile();
  }
  Refusal RefusalOf(ControlConnectionForTest* connection) {
    if (!connection->ReceiveUntil(MessageKind::kRefused)) return Refusal::kNone;
    return static_cast<Refusal>(connection->As<RefusedReply>().code);
  }
  // Waits until no session runs, and what belongs to one has gone.
  void WaitUntilIdle() {
    for (bool is_running = true; is_running;) {
      ControlConnectionForTest connection(process_.socket());
      connection.SendRequest(MessageKind::kAsk);
      ASSERT_TRUE(connection.ReceiveUntil(MessageKind::kInfo));
      is_running = connection.As<InfoReply>().is_running != 0;
    }
  }

  PrivateFolder folder_;
  TriggeredProcess process_{SOFTLBR_TRIGGERABLE_PROGRAM, folder_.path(), GetParam()};
};
INSTANTIATE_TEST_SUITE_P(ServedBy, Trigger, ::testing::Values("thread", "poll"),
                         [](const auto& mode) { return std::string(mode.param); });

TEST_P(Trigger, SessionsFollowEachOtherAndLeaveNothingBehind) {
  const Footprint before(process_.pid());
  for (int i = 0; i < 3; ++i) {
    const toolchain::Profile profile = ReadBack(RunSession());
    EXPECT_GT(profile.counters.samples, 0u);
    EXPECT_GT(profile.counters.taken_branches, 0u);
    EXPECT_FALSE(profile.is_truncated);
  }
  // Descriptors of the test's connections go when the server has seen that they are closed.
  Footprint after(process_.pid());
  for (int i = 0; i < 1000 && after.descriptors != before.descriptors; ++i) {
    usleep(10000);
    after = Footprint(process_.pid());
  }
  EXPECT_EQ(after.tasks, before.tasks);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(process_.End(), "sessions=3 cancelled=3 malformed=0 range=0 user=0 busy=0 policy=0\n");
}

TEST_P(Trigger, WritesToTheDescriptorThatCameWithTheRequest) {
  const std::string path = folder_.path() + "/profile";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT_TRUE(RunSession(file).empty()) << "nothing over the connection";
  std::vector<uint8_t> bytes(1 << 20);
  const ssize_t got = pread(file, bytes.data(), bytes.size(), 0);
  close(file);
  ASSERT_GT(got, 0);
  bytes.resize(static_cast<size_t>(got));
  EXPECT_GT(ReadBack(bytes).counters.samples, 0u);
}

TEST_P(Trigger, EndsWhenItsTimeIsOver) {
  ControlConnectionForTest connection(process_.socket());
  connection.Start({.event = kThreadTimer, .duration_ms = 300});
  ASSERT_TRUE(connection.ReceiveUntil(MessageKind::kEnd));
  EXPECT_EQ(connection.As<EndReply>().why, static_cast<uint32_t>(SessionEnd::kDurationOver));
  EXPECT_GE(connection.As<EndReply>().totals.elapsed_ms, 300u);
}

TEST_P(Trigger, ClosedConnectionEndsTheSession) {
  {
    ControlConnectionForTest connection(process_.socket());
    connection.Start({.event = kThreadTimer, .duration_ms = 50000});
    ASSERT_TRUE(connection.ReceiveUntil(MessageKind::kStarted));
  }
  WaitUntilIdle();
  (void)RunSession();
}

TEST_P(Trigger, SecondRequestIsRefusedWhileASessionRuns) {
  ControlConnectionForTest first(process_.socket());
  first.Start({.event = kThreadTimer, .duration_ms = 50000});
  ASSERT_TRUE(first.ReceiveUntil(MessageKind::kStarted));
  ControlConnectionForTest second(process_.socket());
  second.Start({.event = kThreadTimer});
  EXPECT_EQ(RefusalOf(&second), Refusal::kSessionRuns);
  second.SendRequest(MessageKind::kCancel);  // not its session
  second.SendRequest(MessageKind::kAsk);
  ASSERT_TRUE(second.ReceiveUntil(MessageKind::kInfo));
  EXPECT_EQ(second.As<InfoReply>().is_running, 1u);
  first.SendRequest(MessageKind::kCancel);
  ASSERT_TRUE(first.ReceiveUntil(MessageKind::kEnd));
  EXPECT_EQ(process_.End(), "sessions=1 cancelled=1 malformed=0 range=0 user=0 busy=1 policy=0\n");
}

TEST_P(Trigger, LimitsOfTheProgramHold) {
  ControlConnectionForTest connection(process_.socket());
  connection.Start({.duration_ms = 50001});
  EXPECT_EQ(RefusalOf(&connection), Refusal::kTooLong);
  EXPECT_EQ(connection.As<RefusedReply>().limit, 50000u);
  connection.Start({.period = 99999});
  EXPECT_EQ(RefusalOf(&connection), Refusal::kTooDense);
  connection.Start({.frequency_hz = 10001});
  EXPECT_EQ(RefusalOf(&connection), Refusal::kTooFrequent);
  connection.Start({.max_overhead_ppm = 50001});
  EXPECT_EQ(RefusalOf(&connection), Refusal::kTooCostly);
  connection.Start({.event = 7});
  EXPECT_EQ(RefusalOf(&connection), Refusal::kOutOfRange);
  const int not_writable = open("/dev/null", O_RDONLY | O_CLOEXEC);
  connection.Start({}, not_writable);
  close(not_writable);
  EXPECT_EQ(RefusalOf(&connection), Refusal::kNotStarted);
  EXPECT_EQ(connection.As<RefusedReply>().status, static_cast<uint32_t>(SOFTLBR_INVALID_ARGUMENT));
  EXPECT_EQ(process_.End(), "sessions=0 cancelled=0 malformed=0 range=1 user=0 busy=0 policy=4\n");
}

TEST_P(Trigger, RandomMessagesDoNoHarm) {
  std::mt19937_64 random(20240501);
  constexpr uint64_t kMessages = 2000;
  uint64_t valid = 0;
  for (uint64_t i = 0; i < kMessages; ++i) {
    std::string bytes(1 + random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (i % 2 == 0) {  // a good head before them
      const MessageHead head = MakeHead(static_cast<MessageKind>(random() % 24), static_cast<uint32_t>(bytes.size()));
      bytes.insert(0, reinterpret_cast<const char*>(&head), sizeof head);
    }
    ParsedRequest request;
    if (ParseRequest(bytes.data(), bytes.size(), &request) == Refusal::kNone) ++valid;
    ControlConnectionForTest connection(process_.socket());
    ASSERT_TRUE(connection.is_open()) << i;
    connection.SendBytes(bytes.data(), bytes.size());
    ASSERT_NE(RefusalOf(&connection), Refusal::kNone) << i;
  }
  ASSERT_EQ(valid, 0u) << "random bytes that are a request: choose another seed";
  EXPECT_GT(ReadBack(RunSession()).counters.samples, 0u);
  const std::string counters = process_.End();
  EXPECT_EQ(counters.substr(0, 23), "sessions=1 cancelled=1 ") << counters;
}

TEST_P(Trigger, DescriptorsThatNobodyAskedForAreClosed) {
  const Footprint before(process_.pid());
  for (int i = 0; i < 100; ++i) {
    ControlConnectionForTest connection(process_.socket());
    connection.SendRequest(MessageKind::kAsk, nullptr, 0, 0);
    ASSERT_EQ(RefusalOf(&connection), Refusal::kMalformed);
    ASSERT_EQ(connection.Receive(), 0) << "closed";
  }
  EXPECT_LE(Footprint(process_.pid()).descriptors, before.descriptors + 1);
}

// What a peer may send with descriptors, whether it follows the protocol or not, and however it goes away.
TEST_P(Trigger, NoMessageLeavesADescriptorBehind) {
  const auto head = [](MessageKind kind, uint32_t body) {
    const MessageHead made = MakeHead(kind, body);
    return std::string(reinterpret_cast<const char*>(&made), sizeof made);
  };
  const auto start = [&](const StartRequest& request) {
    return head(MessageKind::kStart, sizeof request) +
           std::string(reinterpret_cast<const char*>(&request), sizeof request);
  };
  const std::string short_session = start({.event = kThreadTimer, .duration_ms = 20});
  std::string bad_magic = head(MessageKind::kAsk, 0);
  bad_magic[0] ^= 1;
  std::string other_version = head(MessageKind::kAsk, 0);
  other_version[4] ^= 1;
  const std::pair<std::string, std::vector<size_t>> kMessages[] = {
      // a message, and how many descriptors each of its control messages has
      {"", {1}},
      {"", {2}},
      {"", {253}},
      {"", {1, 1}},
      {"x", {1}},
      {bad_magic, {1}},
      {other_version, {1}},
      {head(MessageKind::kAsk, 0), {1}},
      {head(MessageKind::kAsk, 5), {1}},
      {head(MessageKind::kCancel, 0), {1}},
      {std::string(kMostRequestBytes, 'x'), {1}},
      {std::string(kMostRequestBytes + 1, 'x'), {1}},
      {std::string(kMostRequestBytes + 1, 'x'), {3}},
      {short_session.substr(0, 20), {1}},
      {short_session, {2}},
      {short_session, {253}},
      {short_session, {1, 1}},
      {short_session, {0, 1}},
      {start({.branches = 9999}), {1}},
      {start({.duration_ms = 50001}), {1}},
      {short_session, {1}},
  };
  const Footprint before(process_.pid());
  for (const bool is_answer_awaited : {true, false}) {
    for (const auto& [bytes, rights] : kMessages) {
      for (int i = 0; i < 3; ++i) {
        ControlConnectionForTest connection(process_.socket());
        ASSERT_TRUE(connection.is_open());
        connection.SendWithDescriptors(bytes, rights);
        if (is_answer_awaited) (void)connection.Receive();
      }
    }
  }
  Footprint after(process_.pid());
  for (int i = 0; i < 500 && after.descriptors != before.descriptors; ++i) {
    usleep(10000);
    after = Footprint(process_.pid());
  }
  EXPECT_EQ(after.descriptors, before.descriptors);
  WaitUntilIdle();
}

TEST_P(Trigger, SilentConnectionsKeepNobodyOut) {
  std::vector<std::unique_ptr<ControlConnectionForTest>> silent;
  for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<ControlConnectionForTest>(process_.socket()));
  (void)RunSession();
}

TEST_P(Trigger, AnotherUserIsRefused) {
  const passwd* nobody = getpwnam("nobody");
  if (geteuid() != 0 || nobody == nullptr) GTEST_SKIP() << "missing: root, to become another user";
  // What the program made is private; here the check behind that is wanted.
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(process_.socket().c_str(), 0666), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(nobody->pw_gid) != 0 || setuid(nobody->pw_uid) != 0) _exit(2);
    ControlConnectionForTest connection(process_.socket());
    connection.SendRequest(MessageKind::kAsk);
    _exit(RefusalOf(&connection) == Refusal::kOtherUser ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(process_.End(), "sessions=0 cancelled=0 malformed=0 range=0 user=1 busy=0 policy=0\n");
}

TEST_P(Trigger, StopOfTheControlEndsTheSession) {
  ControlConnectionForTest connection(process_.socket());
  connection.Start({.event = kThreadTimer, .duration_ms = 50000});
  ASSERT_TRUE(connection.ReceiveUntil(MessageKind::kStarted));
  (void)process_.End();
  ASSERT_TRUE(connection.ReceiveUntil(MessageKind::kEnd));
  EXPECT_EQ(connection.As<EndReply>().why, static_cast<uint32_t>(SessionEnd::kControlStopped));
  EXPECT_FALSE(ReadBack(connection.profile()).is_truncated);
  EXPECT_TRUE(folder_.Names().empty());
}

}  // namespace
}  // namespace softlbr
