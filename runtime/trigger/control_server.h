// The server of a program that can be triggered: accepts connections, checks requests, runs one session at a time.
//
// Who calls: Serve, the archive's thread or the app's (control_api.cc); the other functions, one thread while no thread
// serves. Memory: the struct's; no heap. Context: control.
// A connection is served one packet at a time. A ninth connection closes the one that was silent longest, so silent
//   clients cannot keep others out.
// Session: belongs to the connection that requested it. It ends when its time is over, on kCancel, when the connection
//   is closed, or when the app stops it. The runtime's thread writes its frames, to the requester's descriptor or as
//   kChunk packets.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_SERVER_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_SERVER_H_

#include <atomic>
#include <cstdint>

#include "runtime/trigger/control_message.h"
#include "runtime/trigger/control_session.h"

namespace softlbr {

inline constexpr uint32_t kControlConnections = 8;

struct ControlConnection {
  int fd;              // -1: free
  uint64_t last_used;  // turn of the last packet
};

struct ControlServer {
  ControlSession session;  // its settings and `program`: set before OpenServer
  char program[kProgramNameBytes];

  std::atomic<uint32_t> lock;  // of all that follows and of the session (control_lock.h); Serve takes it
  int32_t pid;
  int listener;
  int events;  // the set of all descriptors
  uint64_t turn;
  ControlConnection connections[kControlConnections];
};

// Listens in an open folder. Negative errno: nothing is left behind.
long OpenServer(ControlServer* server, int folder, const char* socket_name);
// Waits up to timeout_ms for events (-1: without limit) and serves all that are pending. False if the descriptors are
// gone.
bool Serve(ControlServer* server, int timeout_ms);
// With the lock held. Ends the session and closes everything. The socket's name stays in the folder.
void CloseServer(ControlServer* server);
// In a forked child: closes its copies and touches nothing of the parent's.
void ForgetServer(ControlServer* server);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_SERVER_H_
