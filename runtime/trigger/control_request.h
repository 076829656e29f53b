// A request from a server: a byte string that the app receives over a channel of its own and passes to
// softlbr_control_request. Layout and check (docs/sessions_on_request.md is normative).
//
// Trust: the bytes are foreign. ParseServerRequest reads nothing beyond their end. Nothing in them is used before the
//   signature has been verified.
// Bytes: numbers are little-endian. A change of the struct bumps kServerRequestVersion.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_REQUEST_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_REQUEST_H_

#include <cstdint>

#include "runtime/trigger/control_message.h"
#include "runtime/trigger/control_state.h"

namespace softlbr {

inline constexpr uint32_t kServerRequestMagic = 0x51524c53;  // "SLRQ"
inline constexpr uint16_t kServerRequestVersion = 1;
inline constexpr uint32_t kBuildIdBytes = 32;
inline constexpr uint32_t kMostSignatureBytes = 512;
inline constexpr uint32_t kWholePpmOfRequest = 1000000;

// Followed by the signature of these bytes, 1 to kMostSignatureBytes bytes.
struct ServerRequest {
  uint32_t magic;
  uint16_t version;
  uint16_t build_id_bytes;  // 0: for every build
  uint8_t nonce[kNonceBytes];
  uint64_t not_before_s;            // since 1970
  uint64_t expiry_s;                // valid in [not_before_s, expiry_s)
  char app[kProgramNameBytes];      // the program, filled up with zeros; at least one
  uint8_t build_id[kBuildIdBytes];  // filled up with zeros
  StartRequest start;
  uint32_t skip_ppm;  // the share of devices that take the request and do nothing
  uint32_t reserved;  // 0
};
static_assert(sizeof(ServerRequest) == 152, "format: docs/sessions_on_request.md");
inline constexpr uint32_t kMostServerRequestBytes = sizeof(ServerRequest) + kMostSignatureBytes;

// kNone: *request is filled, and the rest of the bytes is the signature. Else kOversized, kMalformed, kWrongVersion or
// kOutOfRange.
Refusal ParseServerRequest(const void* bytes, uint64_t size, ServerRequest* request);

// The program that a request must be addressed to.
struct RequestReceiver {
  char app[kProgramNameBytes];  // filled up with zeros
  uint32_t build_id_bytes;      // 0: the program has none
  uint8_t build_id[kBuildIdBytes];
};

// For a request whose signature was verified. unix_s: the wall clock now; time_s: the result of AdvanceState. kNone, or
// the first of kOtherApp, kOtherBuild, kNotYet, kExpired, kValidTooLong that applies.
Refusal CheckAddressee(const ServerRequest& request, const RequestReceiver& receiver, uint64_t unix_s, uint64_t time_s);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_REQUEST_H_
