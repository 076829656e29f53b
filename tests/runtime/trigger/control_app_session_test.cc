// An app that stops a session of a requester and starts one of its own before the control has noticed: that one is the
// app's.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/include/softlbr/control.h"
#include "runtime/include/softlbr/decoders.h"
#include "tests/runtime/trigger/triggered_process.h"

namespace softlbr {
namespace {

using testing::ControlConnectionForTest;
using testing::PrivateFolder;

class AppSession : public ::testing::Test {
 protected:
  void SetUp() override { StartControl(SOFTLBR_CONTROL_NO_THREAD); }
  void StartControl(uint32_t flags) {
    ASSERT_EQ(softlbr_register_decoder(SOFTLBR_HOST_DECODER()), SOFTLBR_OK);
    softlbr_control_options options = {};
    options.struct_size = sizeof options;
    options.folder = folder_.path().c_str();
    options.program = "app";
    options.flags = flags;
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

// The app stops every session that it finds and starts its own, while requests begin and end at any moment.
class AppSessionRace : public AppSession {
 protected:
  void SetUp() override { StartControl(0); }

  static softlbr_control_counters Counters() {
    softlbr_control_counters counters = {};
    counters.struct_size = sizeof counters;
    EXPECT_EQ(softlbr_control_get_counters(&counters), SOFTLBR_OK);
    return counters;
  }
  void StartAndStopUntilOver() {
    softlbr_options options = {};
    options.struct_size = sizeof options;
    options.event = SOFTLBR_EVENT_THREAD_TIMER;
    options.sink_fd = null_;
    options.sink_cookie = this;
    for (unsigned round = 0; !is_over_; ++round) {
      usleep(round * 97 % 2500);  // a request may begin meanwhile
      stopped_of_requests_ += softlbr_stop() == SOFTLBR_OK;
      if (softlbr_start(&options) != SOFTLBR_OK) continue;  // a request was faster
      ++started_;
      usleep(round * 61 % 700);
      stopped_ += softlbr_stop_session(this) == SOFTLBR_OK;
    }
  }

  std::atomic<bool> is_over_{false};
  int started_ = 0;
  int stopped_ = 0;
  int stopped_of_requests_ = 0;
};

TEST_F(AppSessionRace, EachSessionIsStoppedByItsOwnerAndEachRequestAnswered) {
  constexpr uint64_t kSessions = 100;
  const softlbr_control_counters before = Counters();
  std::thread app([this] { StartAndStopUntilOver(); });
  ControlConnectionForTest connection(Socket());
  uint64_t began = 0;
  uint64_t refused = 0;
  uint64_t ended_by[4] = {};
  uint64_t request = 0;
  for (; began < kSessions; ++request) {
    ASSERT_LT(refused, 1000 * kSessions) << "no request gets its turn";
    connection.Start({.event = 6, .duration_ms = 1 + static_cast<uint32_t>(request % 3)});
    if (request % 4 == 0) connection.SendRequest(MessageKind::kCancel);
    for (;;) {
      const auto kind = static_cast<MessageKind>(connection.Receive());
      if (kind == MessageKind::kStarted) ++began;
      if (kind == MessageKind::kEnd) {
        const EndReply end = connection.As<EndReply>();
        ASSERT_LT(end.why, 4u);
        EXPECT_EQ(end.status, static_cast<uint32_t>(SOFTLBR_OK));
        ++ended_by[end.why];
        break;
      }
      if (kind == MessageKind::kRefused) {
        EXPECT_EQ(connection.As<RefusedReply>().code, static_cast<uint32_t>(Refusal::kSessionRuns));
        ++refused;
        usleep(200);
        break;
      }
      ASSERT_NE(kind, MessageKind{}) << "the connection is closed";
    }
  }
  is_over_ = true;
  app.join();
  EXPECT_EQ(stopped_, started_) << "a request has stopped a session of the app";
  EXPECT_EQ(began + refused, request);
  EXPECT_EQ(ended_by[0] + ended_by[1] + ended_by[2], began);
  EXPECT_EQ(ended_by[2], static_cast<uint64_t>(stopped_of_requests_)) << "each session is ended by one";
  EXPECT_EQ(ended_by[3], 0u);
  EXPECT_EQ(softlbr_is_running(), 0);
  const softlbr_control_counters after = Counters();
  constexpr auto kSessionRuns = static_cast<uint32_t>(Refusal::kSessionRuns);
  EXPECT_EQ(after.sessions - before.sessions, began);
  EXPECT_EQ(after.sessions_cancelled - before.sessions_cancelled, ended_by[1]);
  EXPECT_EQ(after.refused[kSessionRuns] - before.refused[kSessionRuns], refused);
  RecordProperty("app_sessions", started_);
  RecordProperty("stopped_by_app", static_cast<int>(ended_by[2]));
  RecordProperty("app_stops", stopped_of_requests_);
  RecordProperty("refused", static_cast<int>(refused));
  RecordProperty("cancelled", static_cast<int>(ended_by[1]));
}

}  // namespace
}  // namespace softlbr
