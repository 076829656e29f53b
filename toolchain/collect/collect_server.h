// The connections of `softlbr collect`: libmicrohttpd, a thread for each connection.
//
// Bounds: kMaxCollectConnections at a time; a new one waits in the listen queue for its slot (connection_slots.h), so
//   that slow or silent clients cannot keep others out. A request must be complete within the timeout, and its answer
//   taken within another. A body has at most max_body bytes, all bodies together kMaxBufferedBytes: a request beyond
//   that gets 503 and may be repeated.
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_SERVER_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "toolchain/collect/segment_store.h"

namespace softlbr::toolchain {

inline constexpr unsigned kMaxCollectConnections = 128;
inline constexpr uint64_t kMaxBufferedBytes = 256ull << 20;

struct CollectServerOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  uint16_t port = 0;                  // 0: the kernel chooses
  uint64_t max_body_bytes = 8u << 20;
  uint32_t timeout_s = 60;
};

// The merge of a build's sessions: a descriptor of an unlinked file, or -1 if there is no such session. May throw
// StatedFailure.
using MergeFunction = std::function<int(const std::string& build_id)>;

class CollectServer {
 public:
  virtual ~CollectServer() = default;  // ends all connections
  virtual uint16_t port() const = 0;
};

// Serves until the object is destroyed. StatedFailure if the address cannot be listened on, UsageFailure if it is not
// numeric, and StatedFailure, where libmicrohttpd was missing when
// the command was built, always, naming the package.
std::unique_ptr<CollectServer> StartCollectServer(const CollectServerOptions& options, SegmentStore* store,
                                                  MergeFunction merge);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_SERVER_H_
