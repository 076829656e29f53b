// Which connections of `softlbr collect` are closed early, and when a new one gets a slot. No time is measured: each
// test waits for an event, and what must not happen would need an hour.
#include "toolchain/collect/connection_slots.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <future>

namespace softlbr::toolchain {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using Phase = ConnectionSlots::Phase;

// A connection, seen by the client.
class Pair {
 public:
  Pair() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_.data()), 0);
    const timeval limit = {60, 0};
    setsockopt(fds_[1], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    for (const int fd : fds_) close(fd);
  }
  int server_end() const { return fds_[0]; }
  bool IsOpen() const { return recv(fds_[1], &byte_, 1, MSG_DONTWAIT) < 0; }
  // Waits for it, up to a minute.
  bool BecomesClosed() const { return recv(fds_[1], &byte_, 1, 0) == 0; }

 private:
  std::array<int, 2> fds_{};
  mutable char byte_ = 0;
};

TEST(ConnectionSlots, ANewcomerTakesTheSlotOfTheSlowestClient) {
  ConnectionSlots slots({2, hours(1), milliseconds(0), hours(1)});
  const Pair working, first, second;
  ASSERT_TRUE(slots.WaitForSlot());
  slots.Enter(slots.Add(working.server_end()), Phase::kWork);
  ASSERT_TRUE(slots.WaitForSlot());
  const auto slow = slots.Add(first.server_end());
  EXPECT_TRUE(first.IsOpen()) << "nobody waits";

  auto newcomer = std::async(std::launch::async, [&] { return slots.WaitForSlot(); });
  EXPECT_TRUE(first.BecomesClosed());
  slots.Remove(slow);
  EXPECT_TRUE(newcomer.get());
  const auto answered = slots.Add(second.server_end());
  slots.Enter(answered, Phase::kAnswer);

  newcomer = std::async(std::launch::async, [&] { return slots.WaitForSlot(); });
  EXPECT_EQ(newcomer.wait_for(milliseconds(100)), std::future_status::timeout)
      << "work and fresh answers keep their slots";
  EXPECT_TRUE(second.IsOpen());
  slots.Enter(answered, Phase::kRequest);
  EXPECT_TRUE(second.BecomesClosed());
  slots.Remove(answered);
  EXPECT_TRUE(newcomer.get());
  EXPECT_TRUE(working.IsOpen());
}

TEST(ConnectionSlots, TheOldestIsClosedAndOnlyOneForEachNewcomer) {
  ConnectionSlots slots({2, hours(1), milliseconds(0), hours(1)});
  const Pair older, younger;
  const auto renewed = slots.Add(younger.server_end());
  const auto oldest = slots.Add(older.server_end());
  slots.Enter(renewed, Phase::kRequest);  // a second request on the same connection
  auto newcomer = std::async(std::launch::async, [&] { return slots.WaitForSlot(); });
  EXPECT_TRUE(older.BecomesClosed());
  EXPECT_EQ(newcomer.wait_for(milliseconds(200)), std::future_status::timeout) << "its slot is not free yet";
  EXPECT_TRUE(younger.IsOpen());
  slots.Remove(oldest);
  EXPECT_TRUE(newcomer.get());
}

TEST(ConnectionSlots, TheTimeoutHoldsWithFreeSlotsToo) {
  ConnectionSlots slots({100, milliseconds(50), hours(1), hours(1)});
  const Pair working, requesting, answered;
  slots.Enter(slots.Add(working.server_end()), Phase::kWork);
  slots.Add(requesting.server_end());
  EXPECT_TRUE(requesting.BecomesClosed());
  slots.Enter(slots.Add(answered.server_end()), Phase::kAnswer);
  EXPECT_TRUE(answered.BecomesClosed());
  EXPECT_TRUE(working.IsOpen());
}

TEST(ConnectionSlots, EndStopsTheWait) {
  ConnectionSlots slots({1, hours(1), hours(1), hours(1)});
  const Pair pair;
  slots.Add(pair.server_end());
  auto newcomer = std::async(std::launch::async, [&] { return slots.WaitForSlot(); });
  slots.End();
  EXPECT_FALSE(newcomer.get());
}

}  // namespace
}  // namespace softlbr::toolchain
