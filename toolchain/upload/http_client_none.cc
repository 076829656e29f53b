// In place of http_client.cc where libcurl was missing when the command was built.
#include "toolchain/base/failure.h"
#include "toolchain/upload/http_client.h"

namespace softlbr::toolchain {

std::unique_ptr<Transport> MakeHttpTransport(const HttpOptions&) {
  throw StatedFailure(
      "upload: this softlbr was built without libcurl; install libcurl4-openssl-dev and build it again");
}

}  // namespace softlbr::toolchain
