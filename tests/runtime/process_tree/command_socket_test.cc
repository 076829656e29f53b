// What a recorded process does with the messages of a command: it takes two files, and keeps no descriptor of any other
// message.
#include "runtime/process_tree/command_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <thread>

#include "tests/runtime/trigger/triggered_process.h"

namespace softlbr {
namespace {

using testing::CountEntries;

class CommandSocket : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "missing: root, whom alone a recorded process asks";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name_.copy(address.sun_path + 1, name_.size());
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
    ASSERT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), bytes), 0);
    ASSERT_EQ(listen(listener_, 1), 0);
  }
  void TearDown() override { close(listener_); }

  // A process asks, and the command answers with this message. What stays open: negative if the files were not given.
  long OpenedBy(const std::string& bytes, const std::vector<size_t>& rights) {
    std::thread command([&] {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      testing::ControlConnectionForTest(testing::AdoptedSocket{connection}).SendWithDescriptors(bytes, rights);
    });
    const auto before = static_cast<long>(CountEntries("/proc/self/fd"));
    CommandFiles files{-1, -1};
    const bool is_given = AskCommand(name_.c_str(), &files);
    command.join();
    const long opened = static_cast<long>(CountEntries("/proc/self/fd")) - before;
    if (!is_given) return opened == 0 ? -1 : -1 - opened;
    EXPECT_NE(fcntl(files.profile_fd, F_GETFD) & FD_CLOEXEC, 0);
    close(files.profile_fd);
    close(files.tree_fd);
    return opened;
  }

  int listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  std::string name_ = "softlbr-test-" + std::to_string(getpid());
};

TEST_F(CommandSocket, TakesTwoFiles) { EXPECT_EQ(OpenedBy("x", {2}), 2); }

TEST_F(CommandSocket, KeepsNoDescriptorOfAnotherMessage) {
  EXPECT_EQ(OpenedBy("", {2}), -1);
  EXPECT_EQ(OpenedBy("", {1}), -1);
  EXPECT_EQ(OpenedBy("", {253}), -1);
  EXPECT_EQ(OpenedBy("x", {1}), -1);
  EXPECT_EQ(OpenedBy("x", {3}), -1);
  EXPECT_EQ(OpenedBy("x", {2, 1}), -1);
  EXPECT_EQ(OpenedBy("x", {}), -1);
  EXPECT_EQ(OpenedBy("more than a byte", {2}), -1);
}

}  // namespace
}  // namespace softlbr
