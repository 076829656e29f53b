// The one session of a program, whoever asks for it, and what decides whether it may begin: limits, condition, budgets, and for a request
// of a server its signature, its validity and its nonce.
//
// Who calls: one thread at a time (control_server.h holds the lock). Counters are read by any thread. Memory: the struct's; no heap.
// Context: control; blocks for softlbr_start and softlbr_stop, and for a sync of the state file where there are budgets or requests.
// Refusals: nothing has changed but the counter.
#ifndef SOFTLBR_RUNTIME_CONTROL_CONTROL_SESSION_H_
#define SOFTLBR_RUNTIME_CONTROL_CONTROL_SESSION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/control/control_message.h"
#include "runtime/control/control_policy.h"
#include "runtime/control/control_request.h"
#include "runtime/control/control_state_file.h"
#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {

inline constexpr uint32_t kRefusalCount = static_cast<uint32_t>(Refusal::kTooManyRequests) + 1;
static_assert(kRefusalCount <= kCountedRefusals, "protocol: a new version of CountsReply");
inline constexpr uint32_t kTimerTag = 1;  // in the set of events

// Each has one writer at a time.
struct ControlTotals {
  std::atomic<uint64_t> connections;
  std::atomic<uint64_t> sessions;
  std::atomic<uint64_t> cancelled;
  std::atomic<uint64_t> skipped;
  std::atomic<uint64_t> states_lost;
  std::atomic<uint64_t> refused[kRefusalCount];  // by Refusal
};

struct ControlSession {
  // Set before OpenSession.
  ControlPolicy policy;
  ControlBudgets budgets;
  StatePlace place;
  void* region;
  size_t region_bytes;
  int (*condition)(void* cookie);  // null: none
  void* condition_cookie;
  softlbr_sink sink;  // of sessions without a requester
  void* sink_cookie;
  void (*ended)(void* cookie, int status);  // of the same; null: nobody is told
  void* ended_cookie;
  int (*verify)(void* cookie, const void* bytes, size_t size, const void* signature, size_t signature_size);  // null: no requests
  void* verify_cookie;
  RequestReceiver receiver;
  StartRequest scheduled;
  uint32_t scheduled_skip_ppm;
  uint32_t every_ms;  // 0: no schedule

  int events;  // the set that the timer is in
  int timer;   // -1: none
  bool is_running;
  int requester;         // its connection, which gets messages; -1: the app, a schedule or a server
  int profile_fd;        // -1: the sink, or messages
  uint32_t reserved_ms;  // of the budgets
  uint64_t started_ns;
  uint64_t deadline_ns;
  uint64_t next_progress_ns;
  uint64_t next_scheduled_ns;
  DeviceState memory;  // if no file has it
  ControlTotals totals;
};

// What a refusal tells beside its code: RefusedReply.
struct RefusalDetail {
  uint32_t status;
  uint64_t limit;
};

void Increment(std::atomic<uint64_t>* count);

// 0, or negative errno. A state file that cannot be used is one of these.
long OpenSession(ControlSession* session, int events);
// Counts and tells, if somebody is connected (fd >= 0).
void Refuse(ControlSession* session, int fd, Refusal code, const RefusalDetail& detail);
// Owns profile_fd (-1: none). requester: a connection, or -1: then the sink gets the profile. Counts a refusal and tells the requester.
Refusal BeginSession(ControlSession* session, int requester, StartRequest start, int profile_fd, RefusalDetail* detail);
// A request of a server. kNone: the session runs, or this device was among those that skip it.
Refusal TakeServerRequest(ControlSession* session, const void* bytes, uint64_t size, RefusalDetail* detail);
// A session that the app or the schedule asks for, which skip_ppm of a million leave out.
Refusal BeginOrSkip(ControlSession* session, const StartRequest& start, uint32_t skip_ppm, RefusalDetail* detail);
void EndSession(ControlSession* session, SessionEnd why);
// Looks at the clock: ends what is over, begins what is due, tells the requester of progress.
void WatchSession(ControlSession* session);
// Without a session: closes what it has.
void CloseSession(ControlSession* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_CONTROL_CONTROL_SESSION_H_
