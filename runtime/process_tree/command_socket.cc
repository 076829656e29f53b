#include "runtime/process_tree/command_socket.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cstdint>
#include <initializer_list>

#include "platform/file.h"
#include "platform/syscall.h"

namespace softlbr {
namespace {

constexpr uint32_t kPassedFiles = 2;

// The address of an abstract socket begins with a zero byte; its length ends the name. 0: the name does not fit.
uint32_t AddressOf(const char* name, sockaddr_un* address) {
  address->sun_family = AF_UNIX;
  address->sun_path[0] = '\0';
  uint32_t used = 1;
  for (; *name != '\0'; ++name) {
    if (used == sizeof address->sun_path) return 0;
    address->sun_path[used++] = *name;
  }
  return static_cast<uint32_t>(offsetof(sockaddr_un, sun_path)) + used;
}

bool IsOfRoot(int fd) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  const long result = platform::SysCall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, reinterpret_cast<long>(&peer),
                                        reinterpret_cast<long>(&bytes));
  return result == 0 && bytes == sizeof peer && peer.uid == 0;
}

// Whatever the message is, each descriptor that came with it is given to the caller or closed.
bool ReceiveFiles(int fd, CommandFiles* files) {
  char byte = 0;
  iovec part{&byte, sizeof byte};
  alignas(cmsghdr) char control[CMSG_SPACE(kPassedFiles * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const long got = platform::SysCall(SYS_recvmsg, fd, reinterpret_cast<long>(&message), MSG_CMSG_CLOEXEC);
  const cmsghdr* header = got >= 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return false;
  int passed[kPassedFiles] = {-1, -1};
  const uint64_t bytes = header->cmsg_len - CMSG_LEN(0);
  if (bytes > sizeof passed) return false;  // there is no room for more
  __builtin_memcpy(passed, CMSG_DATA(header), bytes);
  if (got == sizeof byte && bytes == sizeof passed && (message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0) {
    *files = {passed[0], passed[1]};
    return true;
  }
  for (const int one : passed) {
    if (one >= 0) platform::CloseFile(one);
  }
  return false;
}

}  // namespace

bool AskCommand(const char* name, CommandFiles* files) {
  sockaddr_un address;
  const uint32_t address_bytes = AddressOf(name, &address);
  if (name[0] == '\0' || address_bytes == 0) return false;
  const long socket = platform::SysCall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  const int fd = static_cast<int>(socket);
  const timeval patience{1, 0};  // the command may be stopped
  bool is_given = false;
  for (const int direction : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    platform::SysCall(SYS_setsockopt, fd, SOL_SOCKET, direction, reinterpret_cast<long>(&patience), sizeof patience);
  }
  if (platform::SysCall(SYS_connect, fd, reinterpret_cast<long>(&address), address_bytes) == 0 && IsOfRoot(fd)) {
    is_given = ReceiveFiles(fd, files);
  }
  platform::CloseFile(fd);
  return is_given;
}

bool MayAskCommand(const char* name) {
  CommandFiles files;
  if (!AskCommand(name, &files)) return false;
  platform::CloseFile(files.profile_fd);
  platform::CloseFile(files.tree_fd);
  return true;
}

}  // namespace softlbr
