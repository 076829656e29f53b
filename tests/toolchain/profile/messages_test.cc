// The command's messages on standard error, where the program that it runs writes, too.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "toolchain/base/say.h"

namespace softlbr::toolchain {
namespace {

TEST(Messages, AreWrittenAtOnce) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);  // one message for each write
  const int kept = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  Say("first");
  Warn("second");
  dup2(kept, STDERR_FILENO);
  char text[64];
  for (const std::string expected : {"softlbr: first\n", "softlbr: warning: second\n"}) {
    const ssize_t length = recv(ends[0], text, sizeof text, MSG_DONTWAIT);
    ASSERT_GT(length, 0);
    EXPECT_EQ(std::string(text, static_cast<size_t>(length)), expected);
  }
  for (const int descriptor : {ends[0], ends[1], kept}) close(descriptor);
}

}  // namespace
}  // namespace softlbr::toolchain
