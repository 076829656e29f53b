// In place of server_client.cc where libcurl was missing.
#include "toolchain/base/failure.h"
#include "toolchain/clickhouse/server_client.h"

namespace softlbr::toolchain {

std::unique_ptr<ServerClient> ConnectToServer(const ServerAddress&, ServerMode) {
  throw StatedFailure("db: this build has no HTTP; install libcurl4-openssl-dev and build softlbr again");
}

}  // namespace softlbr::toolchain
