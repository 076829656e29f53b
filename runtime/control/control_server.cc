#include "runtime/control/control_server.h"

#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/local_socket.h"
#include "platform/thread.h"
#include "runtime/include/softlbr/softlbr.h"

namespace softlbr {
namespace {

constexpr uint32_t kListenerTag = 0;
constexpr uint32_t kTimerTag = 1;
constexpr uint32_t kFirstConnectionTag = 2;
constexpr uint32_t kMostAccepts = 32;  // of one round
constexpr uint64_t kMsNs = 1000000;
constexpr uint64_t kProgressNs = 250 * kMsNs;
constexpr uint64_t kChunkWaitNs = 1000 * kMsNs;  // as a session waits for a pipe that nobody reads
constexpr long kTooLarge = -90;                  // -EMSGSIZE
constexpr long kNothingThere = -11;              // -EAGAIN

void Increment(std::atomic<uint64_t>* count) {
  count->store(count->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Close(int* fd) {
  if (*fd >= 0) platform::CloseFile(*fd);
  *fd = -1;
}

template <typename Body>
void Send(int fd, MessageKind kind, const Body& body, uint64_t wait_ns) {
  const MessageHead head = MakeHead(kind, sizeof body);
  (void)platform::SendPacket(fd, &head, sizeof head, &body, sizeof body, wait_ns);
}

void Refuse(ControlServer* server, int fd, Refusal code, uint32_t status, uint64_t limit) {
  Increment(&server->totals.refused[static_cast<uint32_t>(code)]);
  Send(fd, MessageKind::kRefused, RefusedReply{static_cast<uint32_t>(code), status, limit}, 0);
}

// A softlbr_sink: the cookie is the connection's descriptor. Runs on the runtime's thread.
int SendChunks(void* cookie, const void* bytes, size_t size) {
  const int fd = static_cast<int>(reinterpret_cast<intptr_t>(cookie));
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

SessionProgress ReadProgress(const ControlServer& server) {
  SessionProgress progress = {};
  progress.elapsed_ms = (platform::MonotonicNs() - server.started_ns) / kMsNs;
  softlbr_counters counters;
  counters.struct_size = sizeof counters;
  if (softlbr_get_counters(&counters) != SOFTLBR_OK) return progress;
  progress.samples = counters.samples;
  progress.traces_complete = counters.traces_complete;
  progress.taken_branches = counters.taken_branches;
  progress.overhead_ns = counters.overhead_ns;
  progress.threads_traced = counters.threads_traced;
  progress.lost = counters.lost;
  return progress;
}

void SetNextTime(ControlServer* server) {
  platform::SetTimer(server->timer,
                     server->next_progress_ns < server->deadline_ns ? server->next_progress_ns : server->deadline_ns);
}

void EndSession(ControlServer* server, SessionEnd why) {
  EndReply reply = {};
  reply.totals = ReadProgress(*server);
  int status = softlbr_stop();
  if (status == SOFTLBR_WRONG_STATE) {  // the app was faster
    why = SessionEnd::kStoppedByApp;
    status = SOFTLBR_OK;
  }
  reply.why = static_cast<uint32_t>(why);
  reply.status = static_cast<uint32_t>(status);
  if (why == SessionEnd::kCancelled) Increment(&server->totals.cancelled);
  Close(&server->profile_fd);
  platform::RemoveFromEventSet(server->events, server->timer);
  Close(&server->timer);
  const int fd = server->connections[server->owner].fd;
  server->owner = -1;
  Send(fd, MessageKind::kEnd, reply, kChunkWaitNs);
}

// Looks at the clock, and at whether the app has ended the session.
void WatchSession(ControlServer* server) {
  if (server->owner < 0) return;
  const uint64_t now_ns = platform::MonotonicNs();
  if (softlbr_is_running() == 0) {
    EndSession(server, SessionEnd::kStoppedByApp);
  } else if (now_ns >= server->deadline_ns) {
    EndSession(server, SessionEnd::kDurationOver);
  } else if (now_ns >= server->next_progress_ns) {
    Send(server->connections[server->owner].fd, MessageKind::kProgress, ReadProgress(*server), 0);
    server->next_progress_ns = now_ns + kProgressNs;
    SetNextTime(server);
  }
}

void Drop(ControlServer* server, uint32_t index) {
  if (server->owner == static_cast<int>(index)) EndSession(server, SessionEnd::kCancelled);
  ControlConnection& connection = server->connections[index];
  // Explicitly, because a forked child of the app may hold the descriptor too.
  platform::RemoveFromEventSet(server->events, connection.fd);
  platform::ShutSocket(connection.fd);
  Close(&connection.fd);
}

void Answer(ControlServer* server, int fd) {
  const ControlPolicy& policy = server->policy;
  InfoReply reply = {};
  reply.pid = server->pid;
  reply.is_running = softlbr_is_running() != 0 ? 1 : 0;
  reply.longest_session_ms = policy.longest_session_ms;
  reply.largest_overhead_ppm = policy.largest_overhead_ppm;
  reply.densest_period = policy.densest_period;
  reply.highest_frequency_hz = policy.highest_frequency_hz;
  reply.sessions = server->totals.sessions.load(std::memory_order_relaxed);
  CopyBytes(reply.program, server->program, sizeof reply.program);
  Send(fd, MessageKind::kInfo, reply, 0);
}

// Owns profile_fd.
void Start(ControlServer* server, uint32_t index, StartRequest start, int profile_fd) {
  const int fd = server->connections[index].fd;
  uint64_t limit = 0;
  Refusal refusal = server->owner >= 0 || softlbr_is_running() != 0 ? Refusal::kSessionRuns : Refusal::kNone;
  if (refusal == Refusal::kNone) refusal = ApplyPolicy(server->policy, &start, &limit);
  if (refusal == Refusal::kNone && server->condition != nullptr && server->condition(server->condition_cookie) == 0) {
    refusal = Refusal::kNotNow;
  }
  if (refusal != Refusal::kNone) {
    Refuse(server, fd, refusal, 0, limit);
    Close(&profile_fd);
    return;
  }
  softlbr_options options = {};
  options.struct_size = sizeof options;
  options.event = start.event;
  options.period = start.period;
  options.frequency_hz = start.frequency_hz;
  options.branches_per_trace = start.branches;
  options.max_overhead_ppm = start.max_overhead_ppm;
  options.region = server->region;
  options.region_bytes = server->region_bytes;
  options.sink_fd = profile_fd;
  if (profile_fd < 0) {
    options.sink = SendChunks;
    options.sink_cookie = reinterpret_cast<void*>(static_cast<intptr_t>(fd));
  }
  int timer = static_cast<int>(platform::OpenTimer());
  int status = SOFTLBR_NO_DESCRIPTOR;
  if (timer >= 0 && platform::AddToEventSet(server->events, timer, kTimerTag, false) == 0) status = softlbr_start(&options);
  if (status != SOFTLBR_OK) {
    Refuse(server, fd, status == SOFTLBR_WRONG_STATE ? Refusal::kSessionRuns : Refusal::kNotStarted, static_cast<uint32_t>(status),
           0);
    Close(&profile_fd);
    if (timer >= 0) platform::RemoveFromEventSet(server->events, timer);
    Close(&timer);
    return;
  }
  Increment(&server->totals.sessions);
  server->owner = static_cast<int>(index);
  server->timer = timer;
  server->profile_fd = profile_fd;
  server->started_ns = platform::MonotonicNs();
  server->deadline_ns = server->started_ns + start.duration_ms * kMsNs;
  server->next_progress_ns = server->started_ns + kProgressNs;
  SetNextTime(server);
  softlbr_options chosen = {};
  chosen.struct_size = sizeof chosen;
  (void)softlbr_get_options(&chosen);
  Send(fd, MessageKind::kStarted,
       StartedReply{chosen.event, chosen.branches_per_trace, chosen.period, start.duration_ms, start.max_overhead_ppm},
       kChunkWaitNs);
}

void ServePacket(ControlServer* server, uint32_t index) {
  ControlConnection& connection = server->connections[index];
  if (connection.fd < 0) return;
  connection.last_used = ++server->turn;
  alignas(8) char packet[kMostRequestBytes];
  int passed;
  const long got = platform::ReceivePacket(connection.fd, packet, sizeof packet, &passed);
  if (got == kNothingThere) return;
  if (got <= 0 && got != kTooLarge) return Drop(server, index);
  ParsedRequest request;
  Refusal refusal = got < 0 ? Refusal::kOversized : ParseRequest(packet, static_cast<uint64_t>(got), &request);
  if (refusal == Refusal::kNone && passed >= 0 && request.kind != MessageKind::kStart) refusal = Refusal::kMalformed;
  if (refusal != Refusal::kNone) {
    Close(&passed);
    Refuse(server, connection.fd, refusal, 0, 0);
    if (refusal != Refusal::kOutOfRange) Drop(server, index);  // who knows what it would send next
    return;
  }
  switch (request.kind) {
    case MessageKind::kAsk: return Answer(server, connection.fd);
    case MessageKind::kStart: return Start(server, index, request.start, passed);
    default:  // kCancel
      if (server->owner == static_cast<int>(index)) EndSession(server, SessionEnd::kCancelled);
  }
}

// A free connection, or the one that was silent longest and has no session.
uint32_t MakeRoom(ControlServer* server) {
  uint32_t oldest = server->owner == 0 ? 1 : 0;
  for (uint32_t i = 0; i < kControlConnections; ++i) {
    if (server->connections[i].fd < 0) return i;
    if (server->owner != static_cast<int>(i) && server->connections[i].last_used < server->connections[oldest].last_used)
      oldest = i;
  }
  Drop(server, oldest);
  return oldest;
}

void AcceptAll(ControlServer* server) {
  for (uint32_t i = 0; i < kMostAccepts; ++i) {
    uint32_t user;
    int fd = static_cast<int>(platform::AcceptPeer(server->listener, &user));
    // No connection, or no descriptor left for it: then it waits until the next one comes, and nobody spins meanwhile.
    if (fd < 0) return;
    Increment(&server->totals.connections);
    if (user != 0 && user != platform::EffectiveUserId()) {
      Refuse(server, fd, Refusal::kOtherUser, 0, 0);
      Close(&fd);
      continue;
    }
    const uint32_t index = MakeRoom(server);
    if (platform::AddToEventSet(server->events, fd, kFirstConnectionTag + index, false) != 0) {
      Close(&fd);
      continue;
    }
    server->connections[index] = ControlConnection{fd, ++server->turn};
  }
  platform::RearmInEventSet(server->events, server->listener, kListenerTag);
}

}  // namespace

long OpenServer(ControlServer* server, int folder, const char* socket_name) {
  server->listener = server->events = server->timer = server->profile_fd = server->owner = -1;
  for (ControlConnection& connection : server->connections) connection.fd = -1;
  server->pid = platform::CurrentProcessId();
  const long events = platform::OpenEventSet();
  if (events < 0) return events;
  server->events = static_cast<int>(events);
  long result = platform::ListenInFolder(folder, socket_name);
  if (result >= 0) {
    server->listener = static_cast<int>(result);
    result = platform::AddToEventSet(server->events, server->listener, kListenerTag, true);
    if (result < 0) platform::RemoveSocket(folder, socket_name);
  }
  if (result < 0) ForgetServer(server);
  return result;
}

bool Serve(ControlServer* server, int timeout_ms) {
  uint32_t tags[platform::kMostEvents];
  const long count = platform::WaitForEvents(server->events, tags, platform::kMostEvents, timeout_ms);
  for (long i = 0; i < count; ++i) {
    if (tags[i] == kListenerTag) {
      AcceptAll(server);
    } else if (tags[i] >= kFirstConnectionTag && tags[i] - kFirstConnectionTag < kControlConnections) {
      ServePacket(server, tags[i] - kFirstConnectionTag);
    }
  }
  WatchSession(server);
  return count >= 0;
}

void CloseServer(ControlServer* server) {
  if (server->owner >= 0) EndSession(server, SessionEnd::kControlStopped);
  for (uint32_t i = 0; i < kControlConnections; ++i) {
    if (server->connections[i].fd >= 0) Drop(server, i);
  }
  platform::ShutSocket(server->listener);
  ForgetServer(server);
}

void ForgetServer(ControlServer* server) {
  for (ControlConnection& connection : server->connections) Close(&connection.fd);
  Close(&server->profile_fd);
  Close(&server->timer);
  Close(&server->listener);
  Close(&server->events);
  server->owner = -1;
}

}  // namespace softlbr
