// The server of a program that can be triggered: accepts connections, checks requests, runs one session at a time.
//
// Who calls: one thread at a time, the archive's or the app's (control_api.cc). Counters are read by any thread.
// Memory: the struct's; no heap. Context: control.
// A connection is served one packet at a time. The ninth closes the one that was silent longest, so silent ones keep nobody out.
// Session: belongs to the connection that asked. It ends when its time is over, on kCancel, when the connection is closed, or when the
//   app stops it. Its frames are written by the runtime's thread, to the requester's descriptor or as kChunk packets.
#ifndef SOFTLBR_RUNTIME_CONTROL_CONTROL_SERVER_H_
#define SOFTLBR_RUNTIME_CONTROL_CONTROL_SERVER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/control/control_message.h"
#include "runtime/control/control_policy.h"

namespace softlbr {

inline constexpr uint32_t kControlConnections = 8;
inline constexpr uint32_t kRefusalCount = static_cast<uint32_t>(Refusal::kNotNow) + 1;

// Each has one writer, the server.
struct ControlTotals {
  std::atomic<uint64_t> connections;
  std::atomic<uint64_t> sessions;
  std::atomic<uint64_t> cancelled;
  std::atomic<uint64_t> refused[kRefusalCount];  // by Refusal
};

struct ControlConnection {
  int fd;              // -1: free
  uint64_t last_used;  // turn of the last packet
};

struct ControlServer {
  // Set before OpenServer.
  ControlPolicy policy;
  void* region;
  size_t region_bytes;
  int (*condition)(void* cookie);  // null: none
  void* condition_cookie;
  char program[kProgramNameBytes];

  int32_t pid;
  int listener;
  int events;  // the set of all descriptors
  uint64_t turn;
  ControlConnection connections[kControlConnections];

  int owner;  // the connection that has the session; -1: none
  int timer;
  int profile_fd;  // -1: packets
  uint64_t started_ns;
  uint64_t deadline_ns;
  uint64_t next_progress_ns;
  ControlTotals totals;
};

// Listens in an open folder. Negative errno: nothing is left behind.
long OpenServer(ControlServer* server, int folder, const char* socket_name);
// Serves what waits, after a wait of timeout_ms (-1: until there is something). False if the descriptors are gone.
bool Serve(ControlServer* server, int timeout_ms);
// Ends the session, closes everything. The socket's name stays.
void CloseServer(ControlServer* server);
// In a forked child: closes its copies and touches nothing of the parent's.
void ForgetServer(ControlServer* server);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_CONTROL_CONTROL_SERVER_H_
