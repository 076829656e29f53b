// Sending one message of the control protocol. Context: control.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_PACKET_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_PACKET_H_

#include <cstdint>

#include "platform/local_socket.h"
#include "runtime/trigger/control_message.h"

namespace softlbr {

// Waits up to wait_ns for room in the socket; after that the message is lost. fd -1: there is no receiver.
template <typename Body>
void SendMessage(int fd, MessageKind kind, const Body& body, uint64_t wait_ns) {
  if (fd < 0) return;
  const MessageHead head = MakeHead(kind, sizeof body);
  (void)platform::SendPacket(fd, &head, sizeof head, &body, sizeof body, wait_ns);
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_PACKET_H_
