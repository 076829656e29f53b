// Contract: local_socket.h. Sockets are SOCK_SEQPACKET; a set is an epoll descriptor.
#include <asm/errno.h>
#include <asm/poll.h>
#include <asm/stat.h>
#include <asm/unistd.h>
#include <linux/eventpoll.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "platform/base/bytes.h"
#include "platform/base/config.h"
#include "platform/file.h"
#include "platform/folder.h"
#include "platform/linux/high_descriptor.h"
#include "platform/linux/kernel_abi.h"
#include "platform/local_socket.h"
#include "platform/syscall.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

// Of the kernel's socket interface, whose constants have no kernel header.
constexpr long kUnixFamily = 1;
constexpr long kPacketSocket = 5;  // SOCK_SEQPACKET
constexpr long kNonblockFlag = O_NONBLOCK;
constexpr long kCloexecFlag = O_CLOEXEC;
constexpr long kSocketLevel = 1;
constexpr long kPeerCredentials = 17;
constexpr int kPassedRights = 1;
constexpr long kShutBoth = 2;
constexpr long kNoSignal = 0x4000;
constexpr long kCloexecOfPassed = 0x40000000;
constexpr unsigned kControlTruncated = 0x8;
constexpr unsigned kDataTruncated = 0x20;
constexpr long kWaitingConnections = 16;
constexpr long kTimerAbsolute = 1;

struct UnixAddress {
  uint16_t family;
  char path[108];
};
struct Part {
  const void* bytes;
  uint64_t size;
};
struct PacketHeader {
  void* name;
  uint64_t name_bytes;  // the kernel's int, with padding
  Part* parts;
  uint64_t part_count;
  void* control;
  uint64_t control_bytes;
  uint64_t flags;  // the kernel's unsigned int, with padding
};
struct PassedDescriptor {
  uint64_t bytes;  // of head and descriptor, without padding
  int level;
  int type;
  int fd;
  int padding;
};
constexpr uint64_t kPassedBytes = 20;
struct Credentials {
  int32_t pid;
  uint32_t user;
  uint32_t group;
};

char* Append(char* to, const char* end, const char* text) {
  while (to != nullptr && *text != '\0') {
    if (to == end) return nullptr;
    *to++ = *text++;
  }
  return to;
}

// Through the folder's descriptor: so no component of the path can be replaced any more, and the path may have any
// length.
bool AddressInFolder(int folder, const char* name, UnixAddress* address) {
  FillBytes(address, 0, sizeof *address);
  address->family = kUnixFamily;
  char digits[12] = {};
  char* first = digits + sizeof digits - 1;
  for (uint32_t rest = static_cast<uint32_t>(folder); first == digits + sizeof digits - 1 || rest != 0; rest /= 10) {
    *--first = static_cast<char>('0' + rest % 10);
  }
  const char* end = address->path + sizeof address->path - 1;
  char* to = Append(address->path, end, "/proc/self/fd/");
  to = Append(to, end, first);
  to = Append(to, end, "/");
  return Append(to, end, name) != nullptr;
}

long OpenSocket() {
  const long low = SysCall(__NR_socket, kUnixFamily, kPacketSocket | kNonblockFlag | kCloexecFlag, 0);
  if (low < 0) return low;
  const long high = MoveDescriptorHigh(low);
  return high < 0 ? low : high;
}

bool IsSocket(int folder, const char* name) {
  struct stat info;
  return SysCall(__NR_newfstatat, folder, reinterpret_cast<long>(name), reinterpret_cast<long>(&info),
                 AT_SYMLINK_NOFOLLOW) == 0 &&
         (info.st_mode & S_IFMT) == S_IFSOCK;
}

long Bind(int fd, const UnixAddress& address) {
  return SysCall(__NR_bind, fd, reinterpret_cast<long>(&address), sizeof address);
}

// True if a process listens at the address, or may listen: only a refused connection shows that none does.
bool HasListener(const UnixAddress& address) {
  const long probe = OpenSocket();
  if (probe < 0) return true;
  const long result = SysCall(__NR_connect, probe, reinterpret_cast<long>(&address), sizeof address);
  CloseFile(static_cast<int>(probe));
  return result != -ECONNREFUSED;
}

// Waits for room to send: 0 if there is none after wait_ns.
long WaitForRoom(int fd, uint64_t wait_ns) {
  struct {
    int fd;
    short events;
    short revents;
  } descriptor = {fd, POLLOUT, 0};
  KernelTimespec time = TimespecOf(wait_ns);
  return SysCall(__NR_ppoll, reinterpret_cast<long>(&descriptor), 1, reinterpret_cast<long>(&time), 0, 0);
}

}  // namespace

long OpenPrivateFolder(const char* path, bool may_create) {
  if (path[0] != '/') return -EINVAL;
  if (may_create) {
    const long made = SysCall(__NR_mkdirat, AT_FDCWD, reinterpret_cast<long>(path), 0700);
    if (made < 0 && made != -EEXIST) return made;
  }
  const long low =
      SysCall(__NR_openat, AT_FDCWD, reinterpret_cast<long>(path), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (low < 0) return low;
  const long high = MoveDescriptorHigh(low);
  const int fd = static_cast<int>(high < 0 ? low : high);
  const long result = CheckPrivateFolder(fd);
  if (result == 0) return fd;
  CloseFile(fd);
  return result;
}

long ListenInFolder(int folder, const char* name) {
  UnixAddress address;
  if (!AddressInFolder(folder, name, &address)) return -ENAMETOOLONG;
  const long fd = OpenSocket();
  if (fd < 0) return fd;
  const int listener = static_cast<int>(fd);
  // Set before the bind, which gives the socket file this mode: so others can connect at no time.
  SysCall(__NR_fchmod, listener, 0600);
  long result = Bind(listener, address);
  if (result == -EADDRINUSE) {
    if (!IsSocket(folder, name)) {
      result = -EEXIST;
    } else if (!HasListener(address)) {
      RemoveSocket(folder, name);
      result = Bind(listener, address);
    }
  }
  if (result == 0) {
    result = SysCall(__NR_listen, listener, kWaitingConnections);
    if (result == 0) return listener;
    RemoveSocket(folder, name);
  }
  CloseFile(listener);
  return result;
}

void RemoveSocket(int folder, const char* name) {
  if (IsSocket(folder, name)) SysCall(__NR_unlinkat, folder, reinterpret_cast<long>(name), 0);
}

long AcceptPeer(int listener, uint32_t* user) {
  *user = ~uint32_t{0};
  const long low = SysCall(__NR_accept4, listener, 0, 0, kNonblockFlag | kCloexecFlag, 0);
  if (low < 0) return low;
  const long high = MoveDescriptorHigh(low);
  const long fd = high < 0 ? low : high;
  Credentials peer = {};
  uint32_t size = sizeof peer;
  const long result = SysCall(__NR_getsockopt, fd, kSocketLevel, kPeerCredentials, reinterpret_cast<long>(&peer),
                              reinterpret_cast<long>(&size));
  if (result == 0 && size == sizeof peer) *user = peer.user;
  return fd;
}

long ReceivePacket(int fd, void* buffer, uint64_t bytes, int* passed) {
  *passed = -1;
  Part part = {buffer, bytes};
  PassedDescriptor control = {};
  PacketHeader header = {nullptr, 0, &part, 1, &control, kPassedBytes, 0};
  long result;
  do {
    result = SysCall(__NR_recvmsg, fd, reinterpret_cast<long>(&header), kCloexecOfPassed);
  } while (result == -EINTR);
  if (result < 0) return result;
  if (header.control_bytes >= kPassedBytes && control.level == kSocketLevel && control.type == kPassedRights &&
      control.bytes >= kPassedBytes) {
    const long high = MoveDescriptorHigh(control.fd);
    *passed = high < 0 ? control.fd : static_cast<int>(high);
  }
  const bool is_truncated = (static_cast<unsigned>(header.flags) & (kDataTruncated | kControlTruncated)) != 0;
  if (result != 0 && !is_truncated) return result;
  // A packet of no bytes may bring a descriptor, too.
  const bool has_passed = *passed >= 0;
  if (has_passed) CloseFile(*passed);
  *passed = -1;
  return is_truncated ? -EMSGSIZE : has_passed ? -EBADMSG : 0;
}

long SendPacket(int fd, const void* head, uint64_t head_bytes, const void* body, uint64_t body_bytes,
                uint64_t wait_ns) {
  Part parts[2] = {{head, head_bytes}, {body, body_bytes}};
  const PacketHeader header = {nullptr, 0, parts, 2, nullptr, 0, 0};
  for (bool has_waited = false;;) {
    const long result = SysCall(__NR_sendmsg, fd, reinterpret_cast<long>(&header), kNoSignal);
    if (result == -EINTR) continue;
    if (result != -EAGAIN || has_waited || wait_ns == 0) return result;
    if (WaitForRoom(fd, wait_ns) <= 0) return -EAGAIN;
    has_waited = true;
  }
}

void ShutSocket(int fd) { SysCall(__NR_shutdown, fd, kShutBoth); }

uint32_t EffectiveUserId() { return static_cast<uint32_t>(SysCall(__NR_geteuid)); }

long OpenEventSet() {
  const long low = SysCall(__NR_epoll_create1, EPOLL_CLOEXEC);
  if (low < 0) return low;
  const long high = MoveDescriptorHigh(low);
  return high < 0 ? low : high;
}

long AddToEventSet(int set, int fd, uint32_t tag, bool is_edge) {
  epoll_event event = {EPOLLIN | (is_edge ? EPOLLET : 0u), tag};
  return SysCall(__NR_epoll_ctl, set, EPOLL_CTL_ADD, fd, reinterpret_cast<long>(&event), 0, 0);
}

void RearmInEventSet(int set, int fd, uint32_t tag) {
  epoll_event event = {EPOLLIN | EPOLLET, tag};
  SysCall(__NR_epoll_ctl, set, EPOLL_CTL_MOD, fd, reinterpret_cast<long>(&event), 0, 0);
}

void RemoveFromEventSet(int set, int fd) {
  epoll_event event = {};
  SysCall(__NR_epoll_ctl, set, EPOLL_CTL_DEL, fd, reinterpret_cast<long>(&event), 0, 0);
}

long WaitForEvents(int set, uint32_t* tags, uint32_t most, int timeout_ms) {
  epoll_event events[kMostEvents];
  if (most > kMostEvents) most = kMostEvents;
  long count;
  do {
    count = SysCall(__NR_epoll_pwait, set, reinterpret_cast<long>(events), static_cast<long>(most), timeout_ms, 0,
                    kSignalSetBytes);
  } while (count == -EINTR && timeout_ms < 0);
  for (long i = 0; i < count; ++i) tags[i] = static_cast<uint32_t>(events[i].data);
  return count == -EINTR ? 0 : count;
}

long OpenTimer() {
  const long low = SysCall(__NR_timerfd_create, kClockMonotonic, O_CLOEXEC | O_NONBLOCK);
  if (low < 0) return low;
  const long high = MoveDescriptorHigh(low);
  return high < 0 ? low : high;
}

void SetTimer(int fd, uint64_t deadline_ns) {
  const KernelTimespec times[2] = {{0, 0}, TimespecOf(deadline_ns)};
  SysCall(__NR_timerfd_settime, fd, kTimerAbsolute, reinterpret_cast<long>(times), 0, 0);
}

uint64_t BootSeconds() {
  constexpr long kClockBoottime = 7;
  KernelTimespec time = {};
  SysCall(__NR_clock_gettime, kClockBoottime, reinterpret_cast<long>(&time));
  return static_cast<uint64_t>(time.seconds);
}

}  // namespace softlbr::platform
