// `softlbr trigger` has an event of the kernel's open when its request arrives, and none any more once the session has
// begun. The program that it asks is this test.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <filesystem>

#include "tests/runtime/trigger/triggered_process.h"
#include "tests/toolchain/commands/background_command.h"
#include "toolchain/base/machine_probe.h"
#include "toolchain/trigger/kernel_preparation.h"

namespace softlbr::toolchain {
namespace {

using testing::BackgroundCommand;

size_t CountEvents(pid_t process) {
  size_t count = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", error)) {
    count += std::filesystem::read_symlink(entry.path(), error) == "anon_inode:[perf_event]";
  }
  return count;
}

class TriggerPreparation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ProbeSampleEvent(platform::SampleEvent::kTaskClock) != 0) GTEST_SKIP() << "needs perf_event_open";
    const sockaddr_un address = testing::AddressOf(path_);
    ASSERT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(listener_, 8), 0);
  }
  void TearDown() override {
    close(connection_);
    close(listener_);
  }
  // Waits for the command's request for a session. How many events the command has then.
  size_t EventsAtRequest() {
    pollfd waits{listener_, POLLIN, 0};
    EXPECT_EQ(poll(&waits, 1, testing::kPatienceMs), 1);
    connection_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    socklen_t size = sizeof peer_;
    EXPECT_EQ(getsockopt(connection_, SOL_SOCKET, SO_PEERCRED, &peer_, &size), 0);
    struct {
      MessageHead head;
      StartRequest start;
    } request = {};
    EXPECT_EQ(recv(connection_, &request, sizeof request, 0), static_cast<ssize_t>(sizeof request));
    EXPECT_EQ(request.head.kind, static_cast<uint16_t>(MessageKind::kStart));
    return CountEvents(peer_.pid);
  }
  template <typename Reply>
  void Answer(MessageKind kind, const Reply& reply) {
    struct {
      MessageHead head;
      Reply body;
    } message = {MakeHead(kind, sizeof reply), reply};
    EXPECT_EQ(send(connection_, &message, sizeof message, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof message));
  }
  std::vector<std::string> Command(const std::string& event) {
    return {"trigger", path_, "-d", "1", "-e", event, "-o", folder_ / "p.slbr"};
  }

  testing::PrivateFolder sockets_;
  testing::TemporaryFolder folder_;
  std::string path_ = sockets_.path() + "/softlbr.fake.1.sock";
  int listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  int connection_ = -1;
  ucred peer_ = {};
};

TEST_F(TriggerPreparation, KeepsAnEventOpenUntilTheSessionHasBegun) {
  BackgroundCommand command(Command("best"), folder_ / "errors");
  EXPECT_EQ(EventsAtRequest(), 1u);
  Answer(MessageKind::kStarted, StartedReply{5, 512, 8600026, 1000, 10000});
  for (int waited_ms = 0; CountEvents(peer_.pid) != 0; ++waited_ms) {
    ASSERT_LT(waited_ms, testing::kPatienceMs) << "it stays open";
    usleep(1000);
  }
  Answer(MessageKind::kEnd, EndReply{});
  EXPECT_EQ(command.Wait().exit_code, 1) << "the program sent nothing";
}

TEST_F(TriggerPreparation, OpensNoneForASessionWithoutEvents) {
  BackgroundCommand command(Command("thread-timer"), folder_ / "errors");
  EXPECT_EQ(EventsAtRequest(), 0u);
  Answer(MessageKind::kRefused, RefusedReply{static_cast<uint32_t>(Refusal::kNotNow), 0, 0});
  EXPECT_EQ(command.Wait().exit_code, 1);
}

// Kills the process for perf_event_open, as containers do.
void Confine() {
  sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter = {4, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(1);
}

// In a new process of this program: whether events kill is found out once for each.
TEST(TriggerPreparationDeathTest, OpensNoneWhereASandboxKillsForIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Confine();
        const KernelPreparation preparation;
        _exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace softlbr::toolchain
