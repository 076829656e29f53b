#include "toolchain/collect/connection_slots.h"

#include <sys/socket.h>

#include <algorithm>

namespace softlbr::toolchain {
namespace {

using Steady = std::chrono::steady_clock;

// How long WaitForSlot sleeps at most when nothing tells it that a slot is free.
constexpr std::chrono::milliseconds kTick{50};

}  // namespace

ConnectionSlots::ConnectionSlots(const SlotLimits& limits) : limits_(limits), watching_([this] { WatchDeadlines(); }) {}

ConnectionSlots::~ConnectionSlots() {
  End();
  watching_.join();
}

void ConnectionSlots::End() {
  const std::lock_guard lock(mutex_);
  is_ending_ = true;
  changed_.notify_all();
}

ConnectionSlots::Handle ConnectionSlots::Add(int fd) {
  const std::lock_guard lock(mutex_);
  std::erase_if(connections_, [fd](const Connection& gone) { return gone.fd == fd; });  // it never began
  return connections_.insert(connections_.end(), {fd, Phase::kRequest, Steady::now()});
}

ConnectionSlots::Handle ConnectionSlots::Find(int fd) {
  const std::lock_guard lock(mutex_);
  return std::find_if(connections_.begin(), connections_.end(),
                      [fd](const Connection& connection) { return connection.fd == fd; });
}

void ConnectionSlots::Enter(Handle connection, Phase phase) {
  const std::lock_guard lock(mutex_);
  connection->phase = phase;
  connection->since = Steady::now();
}

void ConnectionSlots::Remove(Handle connection) {
  const std::lock_guard lock(mutex_);
  connections_.erase(connection);
  changed_.notify_all();
}

bool ConnectionSlots::WaitForSlot() {
  std::unique_lock lock(mutex_);
  while (!is_ending_ && connections_.size() >= limits_.slots) {
    const Time again = CloseForNewcomer();
    changed_.wait_until(lock, std::min(again, Steady::now() + kTick));
  }
  return !is_ending_;
}

void ConnectionSlots::Close(Connection* connection) {
  shutdown(connection->fd, SHUT_RDWR);
  connection->is_closed = true;
}

ConnectionSlots::Time ConnectionSlots::CloseForNewcomer() {
  const Time now = Steady::now();
  Connection* next = nullptr;
  Time next_due = Time::max();
  for (Connection& connection : connections_) {
    if (connection.phase == Phase::kWork) continue;
    if (connection.is_closed) return now + kTick;  // its slot is about to become free
    const Time due =
        connection.since + (connection.phase == Phase::kRequest ? limits_.request_grace : limits_.answer_grace);
    if (due < next_due) next = &connection;
    next_due = std::min(due, next_due);
  }
  if (next == nullptr || next_due > now) return next_due;
  Close(next);
  return now + kTick;
}

ConnectionSlots::Time ConnectionSlots::CloseOverdue() {
  const Time now = Steady::now();
  Time again = now + limits_.timeout;
  for (Connection& connection : connections_) {
    if (connection.phase == Phase::kWork || connection.is_closed) continue;
    const Time due = connection.since + limits_.timeout;
    if (due > now) {
      again = std::min(due, again);
    } else {
      Close(&connection);
    }
  }
  return again;
}

// Need not be told of new phases: a phase that begins during a wait has a later deadline than the wait's end.
void ConnectionSlots::WatchDeadlines() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) changed_.wait_until(lock, CloseOverdue(), [this] { return is_ending_; });
}

}  // namespace softlbr::toolchain
