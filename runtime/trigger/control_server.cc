#include "runtime/trigger/control_server.h"

#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/local_socket.h"
#include "platform/thread.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/trigger/control_lock.h"
#include "runtime/trigger/control_packet.h"

namespace softlbr {
namespace {

constexpr uint32_t kListenerTag = 0;  // kTimerTag is 1
constexpr uint32_t kFirstConnectionTag = 2;
constexpr uint32_t kMostAccepts = 32;  // of one round
constexpr long kTooLarge = -90;        // -EMSGSIZE
constexpr long kOnlyDescriptor = -74;  // -EBADMSG
constexpr long kNothingThere = -11;    // -EAGAIN

void Close(int* fd) {
  if (*fd >= 0) platform::CloseFile(*fd);
  *fd = -1;
}

bool HasSession(const ControlServer& server, uint32_t index) {
  return server.session.is_running && server.session.requester >= 0 &&
         server.session.requester == server.connections[index].fd;
}

void Drop(ControlServer* server, uint32_t index) {
  if (HasSession(*server, index)) EndSession(&server->session, SessionEnd::kCancelled);
  ControlConnection& connection = server->connections[index];
  // Explicitly, because a forked child of the app may hold the descriptor too.
  platform::RemoveFromEventSet(server->events, connection.fd);
  platform::ShutSocket(connection.fd);
  Close(&connection.fd);
}

void Answer(ControlServer* server, int fd) {
  const ControlPolicy& policy = server->session.policy;
  InfoReply reply = {};
  reply.pid = server->pid;
  reply.is_running = softlbr_is_running() != 0 ? 1 : 0;
  reply.longest_session_ms = policy.longest_session_ms;
  reply.largest_overhead_ppm = policy.largest_overhead_ppm;
  reply.densest_period = policy.densest_period;
  reply.highest_frequency_hz = policy.highest_frequency_hz;
  reply.sessions = server->session.totals.sessions.load(std::memory_order_relaxed);
  CopyBytes(reply.program, server->program, sizeof reply.program);
  SendMessage(fd, MessageKind::kInfo, reply, 0);
}

void AnswerCounts(const ControlTotals& totals, int fd) {
  const auto read = [](const std::atomic<uint64_t>& count) { return count.load(std::memory_order_relaxed); };
  CountsReply reply = {};
  reply.connections = read(totals.connections);
  reply.sessions = read(totals.sessions);
  reply.cancelled = read(totals.cancelled);
  reply.skipped = read(totals.skipped);
  for (uint32_t i = 0; i < kRefusalCount; ++i) reply.refused[i] = read(totals.refused[i]);
  SendMessage(fd, MessageKind::kCounts, reply, 0);
}

void ServePacket(ControlServer* server, uint32_t index) {
  ControlConnection& connection = server->connections[index];
  if (connection.fd < 0) return;
  connection.last_used = ++server->turn;
  alignas(8) char packet[kMostRequestBytes];
  int passed;
  const long got = platform::ReceivePacket(connection.fd, packet, sizeof packet, &passed);
  if (got == kNothingThere) return;
  if (got <= 0 && got != kTooLarge && got != kOnlyDescriptor) return Drop(server, index);
  ParsedRequest request;
  Refusal refusal = got == kTooLarge         ? Refusal::kOversized
                    : got == kOnlyDescriptor ? Refusal::kMalformed
                                             : ParseRequest(packet, static_cast<uint64_t>(got), &request);
  if (refusal == Refusal::kNone && passed >= 0 && request.kind != MessageKind::kStart) refusal = Refusal::kMalformed;
  if (refusal != Refusal::kNone) {
    Close(&passed);
    Refuse(&server->session, connection.fd, refusal, {});
    if (refusal != Refusal::kOutOfRange) Drop(server, index);  // the client does not follow the protocol
    return;
  }
  switch (request.kind) {
    case MessageKind::kAsk: return Answer(server, connection.fd);
    case MessageKind::kCount: return AnswerCounts(server->session.totals, connection.fd);
    case MessageKind::kStart: {
      RefusalDetail detail;
      (void)BeginSession(&server->session, connection.fd, request.start, passed, &detail);
      return;
    }
    default:  // kCancel
      if (HasSession(*server, index)) EndSession(&server->session, SessionEnd::kCancelled);
  }
}

// A free connection, or the one that was silent longest and has no session.
uint32_t MakeRoom(ControlServer* server) {
  uint32_t oldest = HasSession(*server, 0) ? 1 : 0;
  for (uint32_t i = 0; i < kControlConnections; ++i) {
    if (server->connections[i].fd < 0) return i;
    if (!HasSession(*server, i) && server->connections[i].last_used < server->connections[oldest].last_used) oldest = i;
  }
  Drop(server, oldest);
  return oldest;
}

void AcceptAll(ControlServer* server) {
  for (uint32_t i = 0; i < kMostAccepts; ++i) {
    uint32_t user;
    int fd = static_cast<int>(platform::AcceptPeer(server->listener, &user));
    // No connection waits, or no descriptor is left for it. Then it waits until the next one comes, so that this loop
    // does not spin.
    if (fd < 0) return;
    Increment(&server->session.totals.connections);
    if (user != 0 && user != platform::EffectiveUserId()) {
      Refuse(&server->session, fd, Refusal::kOtherUser, {});
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
  server->listener = server->events = server->session.timer = server->session.profile_fd = -1;
  for (ControlConnection& connection : server->connections) connection.fd = -1;
  server->pid = platform::CurrentProcessId();
  const long events = platform::OpenEventSet();
  if (events < 0) return events;
  server->events = static_cast<int>(events);
  long result = OpenSession(&server->session, server->events);
  if (result == 0) result = platform::ListenInFolder(folder, socket_name);
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
  const HoldLock hold(&server->lock);
  for (long i = 0; i < count; ++i) {
    if (tags[i] == kListenerTag) {
      AcceptAll(server);
    } else if (tags[i] >= kFirstConnectionTag && tags[i] - kFirstConnectionTag < kControlConnections) {
      ServePacket(server, tags[i] - kFirstConnectionTag);
    }
  }
  WatchSession(&server->session);
  return count >= 0;
}

void CloseServer(ControlServer* server) {
  if (server->session.is_running) EndSession(&server->session, SessionEnd::kControlStopped);
  for (uint32_t i = 0; i < kControlConnections; ++i) {
    if (server->connections[i].fd >= 0) Drop(server, i);
  }
  platform::ShutSocket(server->listener);
  ForgetServer(server);
}

void ForgetServer(ControlServer* server) {
  for (ControlConnection& connection : server->connections) Close(&connection.fd);
  CloseSession(&server->session);
  Close(&server->listener);
  Close(&server->events);
}

}  // namespace softlbr
