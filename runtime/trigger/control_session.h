// The one session of a program, whoever requests it, and the checks that decide whether it may begin: limits,
// condition, budgets, and for a server's request its signature, validity and nonce.
//
// Who calls: one thread at a time (control_server.h holds the lock). Counters are read by any thread. Memory: the
// struct's; no heap. Context: control; blocks for softlbr_start and softlbr_stop, and for a sync of the state file
// where there are budgets or requests. A refusal changes nothing but its counter, and of the state file only the latest
// time seen (MustStoreTime).
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_SESSION_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_SESSION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/include/softlbr/softlbr.h"
#include "runtime/trigger/control_message.h"
#include "runtime/trigger/control_policy.h"
#include "runtime/trigger/control_request.h"
#include "runtime/trigger/control_state_file.h"

namespace softlbr {

inline constexpr uint32_t kRefusalCount = static_cast<uint32_t>(Refusal::kSinkNotOpened) + 1;
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
  int (*open_sink)(void* cookie, int* descriptor);  // instead of the sink; null: the sink
  void* open_cookie;
  void (*ended)(void* cookie, int status);  // called after these sessions; null: none
  void* ended_cookie;
  // null: no requests
  int (*verify)(void* cookie, const void* bytes, size_t size, const void* signature, size_t signature_size);
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
  uint32_t reserved_ms;  // charged to the budgets at its start
  uint64_t started_ns;
  uint64_t deadline_ns;
  uint64_t next_progress_ns;
  uint64_t next_scheduled_ns;
  DeviceState memory;  // the state, if it is in no file
  ControlTotals totals;
};

// What RefusedReply has besides the code.
struct RefusalDetail {
  uint32_t status;
  uint64_t limit;
};

void Increment(std::atomic<uint64_t>* count);

// Whether the state file can be used, if these settings need it. 0, or as StateEdit::Open.
long TryState(ControlSession* session);
// 0, or negative errno.
long OpenSession(ControlSession* session, int events);
// Counts the refusal, and sends it to the connection if there is one (fd >= 0).
void Refuse(ControlSession* session, int fd, Refusal code, const RefusalDetail& detail);
// Owns profile_fd (-1: none). requester: a connection, or -1: then the sink gets the profile. Counts a refusal and
// sends it to the requester.
Refusal BeginSession(ControlSession* session, int requester, StartRequest start, int profile_fd, RefusalDetail* detail);
// A server's request. kNone: the session runs, or was skipped by chance (skip_ppm).
Refusal TakeServerRequest(ControlSession* session, const void* bytes, uint64_t size, RefusalDetail* detail);
// A session that the app or the schedule requests; it is skipped in skip_ppm of a million cases. kNone also then.
Refusal BeginOrSkip(ControlSession* session, const StartRequest& start, uint32_t skip_ppm, RefusalDetail* detail);
void EndSession(ControlSession* session, SessionEnd why);
// By the clock: ends a session that is over, begins one that is due, and sends progress to the requester.
void WatchSession(ControlSession* session);
// Call it when no session runs: closes all descriptors.
void CloseSession(ControlSession* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_SESSION_H_
