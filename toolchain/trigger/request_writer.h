// Requests of servers (docs/sessions_on_request.md): keys, and signed bytes. Failures are StatedFailure with cause and
// remedy.
#ifndef SOFTLBR_TOOLCHAIN_TRIGGER_REQUEST_WRITER_H_
#define SOFTLBR_TOOLCHAIN_TRIGGER_REQUEST_WRITER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/trigger/control_message.h"

namespace softlbr::toolchain {

// Writes a new secret key to `path` and its public half to `path`.pub, both with mode 0600. Files that are there stay,
// and it fails.
void WriteNewKey(const std::string& path);

struct RequestContent {
  std::string app;
  std::vector<uint8_t> build_id;  // empty: for every build
  uint64_t not_before_s = 0;
  uint64_t expiry_s = 0;
  StartRequest start;
  uint32_t skip_ppm = 0;
};
// The bytes of a request with a new nonce, signed with the secret key in the file. Signs only a request that a device
// would accept as well-formed.
std::string SignRequest(const RequestContent& content, const std::string& key_path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_TRIGGER_REQUEST_WRITER_H_
