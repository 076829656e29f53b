// In place of collect_server.cc where libmicrohttpd was missing when the command was built.
#include "toolchain/base/failure.h"
#include "toolchain/collect/collect_server.h"

namespace softlbr::toolchain {

std::unique_ptr<CollectServer> StartCollectServer(const CollectServerOptions&, SegmentStore*, MergeFunction) {
  throw StatedFailure(
      "collect: this softlbr was built without libmicrohttpd; install libmicrohttpd-dev and build it again");
}

}  // namespace softlbr::toolchain
