// An app that stops a session of a requester and starts one of its own before the control has noticed: that one is the app's.
#include <gtest/gtest.h>

#include "runtime/include/softlbr/control.h"
#include "runtime/include/softlbr/decoders.h"
#include "tests/runtime/control/triggered_process.h"

namespace softlbr {
namespace {

using testing::ControlConnectionForTest;
using testing::PrivateFolder;

class AppSession : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(softlbr_register_decoder(SOFTLBR_HOST_DECODER()), SOFTLBR_OK);
    softlbr_control_options options = {};
    options.struct_size = sizeof options;
    options.folder = folder_.path().c_str();
    options.program = "app";
    options.flags = SOFTLBR_CONTROL_NO_THREAD;
    ASSERT_EQ(softlbr_control_start(&options), SOFTLBR_OK);
  }
  void TearDown() override { EXPECT_EQ(softlbr_control_stop(), SOFTLBR_OK); }

  std::string Socket() const { return folder_.path() + "/softlbr.app." + std::to_string(getpid()) + ".sock"; }
  static void Poll() {
    for (int i = 0; i < 4; ++i) ASSERT_EQ(softlbr_control_poll(), SOFTLBR_OK);
  }
  // The requester's session runs; the app replaces it by one of its own.
  void ReplaceSessionOf(ControlConnectionForTest* connection, uint32_t duration_ms) {
    connection->Start({.event = 6, .duration_ms = duration_ms});
    Poll();
    ASSERT_EQ(softlbr_is_running(), 1);
    ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
    softlbr_options options = {};
    options.struct_size = sizeof options;
    options.event = SOFTLBR_EVENT_THREAD_TIMER;
    options.sink_fd = null_;
    ASSERT_EQ(softlbr_start(&options), SOFTLBR_OK);
  }
  void ExpectAppSessionRuns() {
    EXPECT_EQ(softlbr_is_running(), 1);
    EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  }

  PrivateFolder folder_;
  int null_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
};

TEST_F(AppSession, OutlivesTheTimeOfTheRequest) {
  ControlConnectionForTest connection(Socket());
  ReplaceSessionOf(&connection, 20);
  usleep(40000);
  Poll();
  ASSERT_TRUE(connection.ReceiveUntil(MessageKind::kEnd));
  EXPECT_EQ(connection.As<EndReply>().why, static_cast<uint32_t>(SessionEnd::kStoppedByApp));
  ExpectAppSessionRuns();
}

TEST_F(AppSession, OutlivesTheConnectionOfTheRequest) {
  {
    ControlConnectionForTest connection(Socket());
    ReplaceSessionOf(&connection, 50000);
  }
  Poll();
  ExpectAppSessionRuns();
}

TEST_F(AppSession, OutlivesACancelOfTheRequest) {
  ControlConnectionForTest connection(Socket());
  ReplaceSessionOf(&connection, 50000);
  connection.SendRequest(MessageKind::kCancel);
  Poll();
  ExpectAppSessionRuns();
}

}  // namespace
}  // namespace softlbr
