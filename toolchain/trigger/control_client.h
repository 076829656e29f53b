// The requester's end of the control protocol: finds the sockets of programs that can be triggered, connects, sends and
// receives.
//
// Failures are StatedFailure with cause and remedy. Replies come from another process: only packets that ParseReply
// knows are handed on.
#ifndef SOFTLBR_TOOLCHAIN_TRIGGER_CONTROL_CLIENT_H_
#define SOFTLBR_TOOLCHAIN_TRIGGER_CONTROL_CLIENT_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/trigger/control_message.h"

namespace softlbr::toolchain {

// $XDG_RUNTIME_DIR/softlbr, else /tmp/softlbr-<user id>: the folder of programs that name none.
std::string DefaultControlFolder();

// A socket, by its name. Its program need not run any more.
struct ControlSocket {
  std::string path;
  std::string program;
  int64_t pid = 0;
};
// The sockets in a folder, by program and process id. Empty if there is no such folder. StatedFailure if it cannot be
// read.
std::vector<ControlSocket> FindControlSockets(const std::string& folder);

class ControlClient {
 public:
  enum class Event { kMessage, kClosed, kTimeout };

  // Connects. StatedFailure: nobody listens there, or a process of another user does (root may trigger everybody's).
  explicit ControlClient(const std::string& path);
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;
  ~ControlClient();

  int descriptor() const { return fd_; }
  // False if the program has closed the connection; its last messages can still be received. passed: a descriptor to
  // send, or -1.
  bool Send(MessageKind kind, const void* body = nullptr, uint32_t body_bytes = 0, int passed = -1);
  // Waits for a message of this version; others are skipped. timeout_ms -1: for as long as it takes.
  Event Receive(int timeout_ms);

  // Of the last message.
  MessageKind kind() const { return kind_; }
  template <typename Body>
  Body As() const {
    Body body{};
    std::memcpy(&body, packet_.data() + sizeof(MessageHead), sizeof body);  // ParseReply has compared the sizes
    return body;
  }

 private:
  int fd_;
  MessageKind kind_{};
  std::vector<char> packet_;
};

// True if a process listens at the socket, of whatever user; false if its program has ended.
bool IsSocketAlive(const std::string& path);

// What a refusal of that code means, in one line without a remedy.
std::string RefusalMeaning(uint32_t code);
// Why a program refused, with a remedy.
std::string RefusalText(const RefusedReply& reply);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_TRIGGER_CONTROL_CLIENT_H_
