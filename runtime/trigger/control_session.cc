#include "runtime/trigger/control_session.h"

#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/folder.h"
#include "platform/local_socket.h"
#include "platform/thread.h"
#include "runtime/trigger/control_packet.h"
#include "runtime/trigger/control_schedule.h"

namespace softlbr {
namespace {

constexpr uint64_t kMsNs = 1000000;
constexpr uint64_t kProgressNs = 250 * kMsNs;
constexpr uint64_t kChunkWaitNs = 1000 * kMsNs;  // as long as a session waits for a pipe that nobody reads

void Close(int* fd) {
  if (*fd >= 0) platform::CloseFile(*fd);
  *fd = -1;
}

// A softlbr_sink: the cookie is the ControlSession. Runs on the runtime's thread.
int SendChunks(void* cookie, const void* bytes, size_t size) {
  const int fd = static_cast<ControlSession*>(cookie)->requester;
  const char* from = static_cast<const char*>(bytes);
  while (size != 0) {
    const uint32_t part = size < kMostChunkBytes ? static_cast<uint32_t>(size) : kMostChunkBytes;
    const MessageHead head = MakeHead(MessageKind::kChunk, part);
    if (platform::SendPacket(fd, &head, sizeof head, from, part, kChunkWaitNs) < 0) return 1;
    from += part;
    size -= part;
  }
  return 0;
}

// The same for the sink of the app.
int PassToApp(void* cookie, const void* bytes, size_t size) {
  const auto* session = static_cast<ControlSession*>(cookie);
  return session->sink(session->sink_cookie, bytes, size);
}

// The app may have stopped our session and started one of its own, which has another cookie.
bool IsOurSessionRunning(const ControlSession& session) {
  softlbr_options running = {};
  running.struct_size = sizeof running;
  return softlbr_get_options(&running) == SOFTLBR_OK && running.sink_cookie == &session;
}

SessionProgress ReadProgress(const ControlSession& session) {
  SessionProgress progress = {};
  progress.elapsed_ms = (platform::MonotonicNs() - session.started_ns) / kMsNs;
  softlbr_counters counters;
  counters.struct_size = sizeof counters;
  // In this order: if ours still runs, the counters are its own.
  if (softlbr_get_counters(&counters) != SOFTLBR_OK || !IsOurSessionRunning(session)) return progress;
  progress.samples = counters.samples;
  progress.traces_complete = counters.traces_complete;
  progress.taken_branches = counters.taken_branches;
  progress.overhead_ns = counters.overhead_ns;
  progress.threads_traced = counters.threads_traced;
  progress.lost = counters.lost;
  return progress;
}

long OpenTimer(ControlSession* session) {
  const long timer = platform::OpenTimer();
  if (timer < 0) return timer;
  session->timer = static_cast<int>(timer);
  const long result = platform::AddToEventSet(session->events, session->timer, kTimerTag, false);
  if (result != 0) Close(&session->timer);
  return result;
}

void CloseTimer(ControlSession* session) {
  if (session->timer < 0) return;
  platform::RemoveFromEventSet(session->events, session->timer);
  Close(&session->timer);
}

// A timer is there as long as something is due.
void SetNextTime(ControlSession* session) {
  uint64_t next_ns = session->next_scheduled_ns;
  if (session->is_running) {
    if (session->deadline_ns < next_ns) next_ns = session->deadline_ns;
    if (session->next_progress_ns < next_ns) next_ns = session->next_progress_ns;
  }
  if (next_ns == kNeverNs) return CloseTimer(session);
  if (session->timer >= 0) platform::SetTimer(session->timer, next_ns);
}

bool HasBudgets(const ControlBudgets& budgets) { return (budgets.hour_ms | budgets.day_ms | budgets.week_ms) != 0; }

long OpenState(ControlSession* session, StateEdit* edit, const DeviceClock& now) {
  const long result = edit->Open(now);
  if (result == 0 && edit->was_damaged()) Increment(&session->totals.states_lost);
  return result;
}

// The checks that need no state: whether a session may run now. Replaces zero fields of *start by defaults.
Refusal CheckSession(const ControlSession& session, StartRequest* start, uint64_t* limit) {
  if (session.is_running || softlbr_is_running() != 0) return Refusal::kSessionRuns;
  const Refusal refusal = ApplyPolicy(session.policy, start, limit);
  if (refusal != Refusal::kNone) return refusal;
  const bool is_permitted = session.condition == nullptr || session.condition(session.condition_cookie) != 0;
  return is_permitted ? Refusal::kNone : Refusal::kNotNow;
}

// The descriptor of the app's that gets the profile of a session without a requester; -1: none does. False: the app has
// none now.
bool OpenSink(ControlSession* session, int requester, int* descriptor) {
  *descriptor = -1;
  if (requester >= 0 || session->open_sink == nullptr) return true;
  return session->open_sink(session->open_cookie, descriptor) == 0 && *descriptor >= 0;
}

// Owns profile_fd.
Refusal StartNow(ControlSession* session, int requester, const StartRequest& start, int profile_fd,
                 RefusalDetail* detail) {
  int app_fd;
  if (!OpenSink(session, requester, &app_fd)) {
    Close(&profile_fd);
    return Refusal::kSinkNotOpened;
  }
  softlbr_options options = {};
  options.struct_size = sizeof options;
  options.event = start.event;
  options.period = start.period;
  options.frequency_hz = start.frequency_hz;
  options.branches_per_trace = start.branches;
  options.max_overhead_ppm = start.max_overhead_ppm;
  options.region = session->region;
  options.region_bytes = session->region_bytes;
  options.sink_fd = app_fd >= 0 ? app_fd : profile_fd;
  options.sink_cookie = session;  // tells our sessions from those of the app, also with a descriptor
  if (options.sink_fd < 0) options.sink = requester >= 0 ? SendChunks : session->sink != nullptr ? PassToApp : nullptr;
  session->requester = requester;
  int status = session->timer >= 0 || OpenTimer(session) == 0 ? SOFTLBR_OK : SOFTLBR_NO_DESCRIPTOR;
  if (status == SOFTLBR_OK) status = softlbr_start(&options);
  if (status != SOFTLBR_OK) {
    detail->status = static_cast<uint32_t>(status);
    session->requester = -1;
    Close(&profile_fd);
    SetNextTime(session);
    if (app_fd >= 0 && session->ended != nullptr)
      session->ended(session->ended_cookie, status);  // the app opened it, and closes it
    return status == SOFTLBR_WRONG_STATE ? Refusal::kSessionRuns : Refusal::kNotStarted;
  }
  Increment(&session->totals.sessions);
  session->is_running = true;
  session->profile_fd = profile_fd;
  session->started_ns = platform::MonotonicNs();
  session->deadline_ns = session->started_ns + start.duration_ms * kMsNs;
  session->next_progress_ns = session->started_ns + kProgressNs;
  SetNextTime(session);
  softlbr_options chosen = {};
  chosen.struct_size = sizeof chosen;
  (void)softlbr_get_options(&chosen);
  SendMessage(
      requester, MessageKind::kStarted,
      StartedReply{chosen.event, chosen.branches_per_trace, chosen.period, start.duration_ms, start.max_overhead_ppm},
      kChunkWaitNs);
  return Refusal::kNone;
}

// Charges the budget before the session begins, so that it stays charged after a kill at any instant. The unused part
// is given back at the end. before: the state without this session.
Refusal SpendAndStart(ControlSession* session, StateEdit* edit, const DeviceState& before, int requester,
                      const StartRequest& start, int profile_fd, RefusalDetail* detail) {
  const bool has_budgets = HasBudgets(session->budgets);
  Refusal refusal = Refusal::kNone;
  if (has_budgets) refusal = SpendBudget(&edit->state()->ledger, session->budgets, start.duration_ms, &detail->limit);
  if (refusal == Refusal::kNone && edit->Keep() != 0) refusal = Refusal::kStateNotKept;
  if (refusal != Refusal::kNone) {
    Close(&profile_fd);
    return refusal;
  }
  refusal = StartNow(session, requester, start, profile_fd, detail);
  if (refusal == Refusal::kNone) {
    session->reserved_ms = has_budgets ? start.duration_ms : 0;
  } else {
    CopyBytes(edit->state(), &before, sizeof before);
    (void)edit->Keep();
  }
  return refusal;
}

Refusal Begin(ControlSession* session, int requester, StartRequest start, int profile_fd, RefusalDetail* detail) {
  const Refusal refusal = CheckSession(*session, &start, &detail->limit);
  if (refusal != Refusal::kNone) {
    Close(&profile_fd);
    return refusal;
  }
  if (!HasBudgets(session->budgets)) return StartNow(session, requester, start, profile_fd, detail);
  StateEdit edit(session->place, &session->memory);
  const DeviceClock now = ReadDeviceClock();
  if (OpenState(session, &edit, now) != 0) {
    Close(&profile_fd);
    return Refusal::kStateNotKept;
  }
  (void)AdvanceState(edit.state(), now);
  const DeviceState before = *edit.state();
  return SpendAndStart(session, &edit, before, requester, start, profile_fd, detail);
}

// A request whose signature was verified, with the advanced state open. time_s: the result of AdvanceState.
Refusal TakeVerified(ControlSession* session, StateEdit* edit, const ServerRequest& request, uint64_t unix_s,
                     uint64_t time_s, RefusalDetail* detail) {
  const DeviceState before = *edit->state();
  Refusal refusal = CheckAddressee(request, session->receiver, unix_s, time_s);
  if (refusal == Refusal::kNone) refusal = RememberNonce(edit->state(), request.nonce, request.expiry_s, time_s);
  StartRequest start = request.start;
  if (refusal == Refusal::kNone) refusal = CheckSession(*session, &start, &detail->limit);
  if (refusal != Refusal::kNone) return refusal;
  if (!IsSkipped(request.skip_ppm, platform::RandomNumber())) {
    return SpendAndStart(session, edit, before, -1, start, -1, detail);
  }
  if (edit->Keep() != 0) return Refusal::kStateNotKept;  // stored, so that a second delivery is not drawn again
  Increment(&session->totals.skipped);
  return Refusal::kNone;
}

Refusal CheckAndTake(ControlSession* session, const void* bytes, uint64_t size, RefusalDetail* detail) {
  if (session->verify == nullptr) return Refusal::kNoVerifier;
  ServerRequest request;
  Refusal refusal = ParseServerRequest(bytes, size, &request);
  if (refusal != Refusal::kNone) return refusal;
  const char* signature = static_cast<const char*>(bytes) + sizeof request;
  if (session->verify(session->verify_cookie, bytes, sizeof request, signature, size - sizeof request) == 0) {
    return Refusal::kBadSignature;
  }
  StateEdit edit(session->place, &session->memory);
  const DeviceClock now = ReadDeviceClock();
  if (OpenState(session, &edit, now) != 0) return Refusal::kStateNotKept;
  const DeviceState stored = *edit.state();
  const uint64_t time_s = AdvanceState(edit.state(), now);
  const DeviceState advanced = *edit.state();
  refusal = TakeVerified(session, &edit, request, now.unix_s, time_s, detail);
  if (refusal != Refusal::kNone &&
      MustStoreTime(stored, advanced, refusal == Refusal::kExpired ? request.expiry_s : 0)) {
    CopyBytes(edit.state(), &advanced, sizeof advanced);
    (void)edit.Keep();  // without it the request stays refused as long as the clock is not set back
  }
  return refusal;
}

}  // namespace

void Increment(std::atomic<uint64_t>* count) {
  count->store(count->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Refuse(ControlSession* session, int fd, Refusal code, const RefusalDetail& detail) {
  Increment(&session->totals.refused[static_cast<uint32_t>(code)]);
  SendMessage(fd, MessageKind::kRefused, RefusedReply{static_cast<uint32_t>(code), detail.status, detail.limit}, 0);
}

long TryState(ControlSession* session) {
  if (!HasBudgets(session->budgets) && session->verify == nullptr) return 0;
  StateEdit edit(session->place, &session->memory);
  return OpenState(session, &edit, ReadDeviceClock());
}

long OpenSession(ControlSession* session, int events) {
  session->events = events;
  session->timer = session->profile_fd = session->requester = -1;
  session->is_running = false;
  session->next_scheduled_ns = kNeverNs;
  if (session->every_ms == 0) return 0;
  const long result = OpenTimer(session);
  if (result != 0) return result;
  session->next_scheduled_ns = FirstScheduledNs(platform::MonotonicNs(), session->every_ms, platform::RandomNumber());
  SetNextTime(session);
  return 0;
}

Refusal BeginSession(ControlSession* session, int requester, StartRequest start, int profile_fd,
                     RefusalDetail* detail) {
  *detail = {};
  const Refusal refusal = Begin(session, requester, start, profile_fd, detail);
  if (refusal != Refusal::kNone) Refuse(session, requester, refusal, *detail);
  return refusal;
}

Refusal TakeServerRequest(ControlSession* session, const void* bytes, uint64_t size, RefusalDetail* detail) {
  *detail = {};
  const Refusal refusal = CheckAndTake(session, bytes, size, detail);
  if (refusal != Refusal::kNone) Refuse(session, -1, refusal, *detail);
  return refusal;
}

Refusal BeginOrSkip(ControlSession* session, const StartRequest& start, uint32_t skip_ppm, RefusalDetail* detail) {
  *detail = {};
  if (!IsSkipped(skip_ppm, platform::RandomNumber())) return BeginSession(session, -1, start, -1, detail);
  Increment(&session->totals.skipped);
  return Refusal::kNone;
}

void EndSession(ControlSession* session, SessionEnd why) {
  EndReply reply = {};
  reply.totals = ReadProgress(*session);
  int status = softlbr_stop_session(session);
  if (status == SOFTLBR_WRONG_STATE) {  // the app has stopped it before
    why = SessionEnd::kStoppedByApp;
    status = SOFTLBR_OK;
  }
  reply.why = static_cast<uint32_t>(why);
  reply.status = static_cast<uint32_t>(status);
  if (why == SessionEnd::kCancelled) Increment(&session->totals.cancelled);
  session->is_running = false;
  Close(&session->profile_fd);
  SetNextTime(session);
  if (session->reserved_ms != 0) {
    const uint64_t used_ms = (platform::MonotonicNs() - session->started_ns + kMsNs - 1) / kMsNs;
    const DeviceClock now = ReadDeviceClock();
    StateEdit edit(session->place, &session->memory);
    if (OpenState(session, &edit, now) == 0) {
      (void)AdvanceState(edit.state(), now);
      SettleBudget(&edit.state()->ledger, session->reserved_ms, used_ms < ~0u ? static_cast<uint32_t>(used_ms) : ~0u);
      (void)edit.Keep();  // if it fails, the whole budget stays charged
    }
    session->reserved_ms = 0;
  }
  const int fd = session->requester;
  session->requester = -1;
  SendMessage(fd, MessageKind::kEnd, reply, kChunkWaitNs);
  if (fd < 0 && session->ended != nullptr) session->ended(session->ended_cookie, status);
}

void WatchSession(ControlSession* session) {
  const uint64_t now_ns = platform::MonotonicNs();
  if (session->is_running) {
    if (!IsOurSessionRunning(*session)) {
      EndSession(session, SessionEnd::kStoppedByApp);
    } else if (now_ns >= session->deadline_ns) {
      EndSession(session, SessionEnd::kDurationOver);
    } else if (now_ns >= session->next_progress_ns) {
      if (session->requester >= 0) SendMessage(session->requester, MessageKind::kProgress, ReadProgress(*session), 0);
      session->next_progress_ns = now_ns + kProgressNs;
      SetNextTime(session);
    }
  }
  if (now_ns < session->next_scheduled_ns) return;
  RefusalDetail detail;
  (void)BeginOrSkip(session, session->scheduled, session->scheduled_skip_ppm, &detail);
  session->next_scheduled_ns =
      NextScheduledNs(session->next_scheduled_ns, platform::MonotonicNs(), session->every_ms, platform::RandomNumber());
  SetNextTime(session);
}

void CloseSession(ControlSession* session) {
  session->next_scheduled_ns = kNeverNs;
  session->is_running = false;
  session->reserved_ms = 0;
  Close(&session->profile_fd);
  Close(&session->timer);
}

}  // namespace softlbr
