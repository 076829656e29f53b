// Unix sockets of packets in a private folder, a set of descriptors to wait for, and a timer, by raw system call.
//
// Who calls: runtime/trigger, which is in an archive of its own; so is this contract. Context: control.
// Results: >= 0, or negative errno. New descriptors are close-on-exec and have high numbers.
// Packets: a receiver gets each one whole, so two threads may send on one socket.
#ifndef SOFTLBR_PLATFORM_LOCAL_SOCKET_H_
#define SOFTLBR_PLATFORM_LOCAL_SOCKET_H_

#include <cstdint>

namespace softlbr::platform {

// Opens the folder with this absolute path, which must be private (CheckPrivateFolder in folder.h, whose results this
// has, too). The last component may not be a symbolic link. may_create: makes it with mode 0700 if it is missing.
// -ENOTDIR: a link, or no folder.
long OpenPrivateFolder(const char* path, bool may_create);
// Makes the socket `name` there, with mode 0600, and listens. Replaces the socket of a process that has ended.
// -EADDRINUSE: somebody listens there. -EEXIST: something that is no socket is there; it stays.
long ListenInFolder(int folder, const char* name);
// Removes the socket. Nothing else: not a file, nor a folder of that name.
void RemoveSocket(int folder, const char* name);

// The next connection, a non-blocking descriptor; -EAGAIN: none waits. *user: the peer's user id, as the kernel reports
// it.
long AcceptPeer(int listener, uint32_t* user);
// One packet. 0: the peer has closed, or the packet has no bytes. -EMSGSIZE: larger than the buffer; the rest is lost.
// -EAGAIN: none is there. -EBADMSG: no bytes, but a descriptor.
// *passed: a descriptor that came with it, else -1; the caller closes it. More than one gives -EMSGSIZE. Unless the
// result is positive, every descriptor that came is closed.
long ReceivePacket(int fd, void* buffer, uint64_t bytes, int* passed);
// Sends one packet of two parts, and waits up to wait_ns for room. No SIGPIPE.
long SendPacket(int fd, const void* head, uint64_t head_bytes, const void* body, uint64_t body_bytes, uint64_t wait_ns);
// Ends the connection, or the listening, for every process that holds the descriptor.
void ShutSocket(int fd);

uint32_t EffectiveUserId();

// Descriptors to wait for; a set is a descriptor too, readable while one of them is.
long OpenEventSet();
// is_edge: reported once for each new event, not for as long as it lasts.
long AddToEventSet(int set, int fd, uint32_t tag, bool is_edge);
// Reports an edge again if the event still lasts.
void RearmInEventSet(int set, int fd, uint32_t tag);
void RemoveFromEventSet(int set, int fd);
// The tags of up to `most` descriptors. timeout_ms -1: waits for one.
inline constexpr uint32_t kMostEvents = 16;
long WaitForEvents(int set, uint32_t* tags, uint32_t most, int timeout_ms);

// A timer is readable from deadline_ns (MonotonicNs) until the next SetTimer.
long OpenTimer();
void SetTimer(int fd, uint64_t deadline_ns);
// Seconds since the boot, including time asleep; nobody can set this clock.
uint64_t BootSeconds();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LOCAL_SOCKET_H_
