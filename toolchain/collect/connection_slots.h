// The open connections of `softlbr collect`, a bounded number of slots, and which of them may be closed early.
//
// A connection waits for a request; the server works on the request; the client takes the answer; then the connection
// waits again. The first and the third phase depend on the client, so they have a deadline, however slowly bytes
// arrive. While a new connection finds no free slot, shorter deadlines apply (the graces), and the connection that is
// furthest beyond its grace is closed. So a new connection is never refused: it waits in the listen queue until a grace
// or a request's work ends.
//
// Threads: every function may be called from any thread; one thread calls WaitForSlot and Add.
// Descriptors: closing means shutdown(2), which wakes the connection's thread; it calls Remove before it closes the
// descriptor.
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_CONNECTION_SLOTS_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_CONNECTION_SLOTS_H_

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace softlbr::toolchain {

struct SlotLimits {
  size_t slots = 128;
  std::chrono::milliseconds timeout{60'000};
  // While a new connection waits. A request of the usual size arrives within the first even on a slow link; an answer
  // may be a merge.
  std::chrono::milliseconds request_grace{200};
  std::chrono::milliseconds answer_grace{5'000};
};

class ConnectionSlots {
 public:
  enum class Phase { kRequest, kWork, kAnswer };
  struct Connection {
    int fd = -1;
    Phase phase = Phase::kRequest;
    std::chrono::steady_clock::time_point since;  // the phase's begin
    bool is_closed = false;                       // but its thread has not noticed yet
  };
  using Handle = std::list<Connection>::iterator;

  explicit ConnectionSlots(const SlotLimits& limits);
  ConnectionSlots(const ConnectionSlots&) = delete;
  ConnectionSlots& operator=(const ConnectionSlots&) = delete;
  ~ConnectionSlots();

  // Waits until a slot is free, and closes connections for it. False: End() was called.
  bool WaitForSlot();
  Handle Add(int fd);
  Handle Find(int fd);  // which was added
  void Enter(Handle connection, Phase phase);
  void Remove(Handle connection);
  // WaitForSlot returns false from now on.
  void End();

 private:
  using Time = std::chrono::steady_clock::time_point;

  static void Close(Connection* connection);
  // Closes the connection that is furthest beyond its grace, if one is. Returns when to look again.
  Time CloseForNewcomer();
  // Closes all that are beyond the timeout. Returns when to look again.
  Time CloseOverdue();
  void WatchDeadlines();

  const SlotLimits limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_ending_ = false;
  std::list<Connection> connections_;
  std::thread watching_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_CONNECTION_SLOTS_H_
