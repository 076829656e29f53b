// The listening socket of `softlbr collect`.
//
// Threads: one thread waits and accepts; Stop() may be called from another.
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_LISTENER_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_LISTENER_H_

#include <sys/socket.h>

#include <atomic>
#include <cstdint>

#include "toolchain/collect/collect_server.h"

namespace softlbr::toolchain {

class CollectListener {
 public:
  // UsageFailure if the address is not numeric, StatedFailure if it cannot be listened on.
  explicit CollectListener(const CollectServerOptions& options);
  CollectListener(const CollectListener&) = delete;
  CollectListener& operator=(const CollectListener&) = delete;
  ~CollectListener();

  uint16_t port() const { return port_; }
  // False: Stop() was called.
  bool WaitForConnection() const;
  // A non-blocking descriptor, or -1 if the client has gone. Without free descriptors it sleeps for a moment first.
  int Accept(sockaddr_storage* peer, socklen_t* bytes) const;
  void Stop();

 private:
  int fd_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_LISTENER_H_
