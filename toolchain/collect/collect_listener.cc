#include "toolchain/collect/collect_listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// Connections that wait for a slot. The kernel may allow fewer (net.core.somaxconn); clients beyond it connect later.
constexpr int kListenQueue = 1024;
constexpr useconds_t kNoDescriptorWaitUs = 100'000;

// The address's bytes; 0 if it is not numeric.
socklen_t ParseAddress(const CollectServerOptions& options, sockaddr_storage* address) {
  auto* v4 = reinterpret_cast<sockaddr_in*>(address);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(address);
  if (inet_pton(AF_INET, options.address.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(options.port);
    return sizeof *v4;
  }
  if (inet_pton(AF_INET6, options.address.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(options.port);
    return sizeof *v6;
  }
  return 0;
}

// The socket, or -1 with errno.
int Listen(const sockaddr_storage& address, socklen_t bytes) {
  const int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // after a restart, connections of the last run may linger
  if (address.ss_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), bytes) == 0 && listen(fd, kListenQueue) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

}  // namespace

CollectListener::CollectListener(const CollectServerOptions& options) {
  sockaddr_storage address{};
  socklen_t bytes = ParseAddress(options, &address);
  if (bytes == 0) {
    throw UsageFailure("collect: " + SafeText(options.address) +
                       " is not a numeric address; write --listen 127.0.0.1:8080");
  }
  fd_ = Listen(address, bytes);
  if (fd_ < 0) {
    throw StatedFailure("collect: cannot listen on " + options.address + ":" + std::to_string(options.port) + ": " +
                        std::strerror(errno) + "; choose another --listen, with port 0 for any");
  }
  getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &bytes);
  port_ = ntohs(address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&address)->sin_port
                                             : reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
}

CollectListener::~CollectListener() { close(fd_); }

bool CollectListener::WaitForConnection() const {
  pollfd polled = {fd_, POLLIN, 0};
  while (poll(&polled, 1, -1) < 0 && errno == EINTR) {
  }
  return !is_stopped_;
}

int CollectListener::Accept(sockaddr_storage* peer, socklen_t* bytes) const {
  const int fd = accept4(fd_, reinterpret_cast<sockaddr*>(peer), bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
    usleep(kNoDescriptorWaitUs);
  return fd;
}

void CollectListener::Stop() {
  is_stopped_ = true;
  shutdown(fd_, SHUT_RDWR);  // wakes poll
}

}  // namespace softlbr::toolchain
