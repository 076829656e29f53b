#include "runtime/trigger/control_request.h"

#include "platform/base/bytes.h"

namespace softlbr {
namespace {

bool AreSame(const void* a, const void* b, uint32_t bytes) {
  const auto* left = static_cast<const uint8_t*>(a);
  const auto* right = static_cast<const uint8_t*>(b);
  for (uint32_t i = 0; i < bytes; ++i) {
    if (left[i] != right[i]) return false;
  }
  return true;
}

// Text or an id, then zeros up to the end of its field.
bool AreZeros(const void* field, uint32_t from, uint32_t bytes) {
  const auto* at = static_cast<const uint8_t*>(field);
  for (uint32_t i = from; i < bytes; ++i) {
    if (at[i] != 0) return false;
  }
  return true;
}

}  // namespace

Refusal ParseServerRequest(const void* bytes, uint64_t size, ServerRequest* request) {
  if (size > kMostServerRequestBytes) return Refusal::kOversized;
  if (size <= sizeof *request) return Refusal::kMalformed;
  CopyBytes(request, bytes, sizeof *request);
  if (request->magic != kServerRequestMagic) return Refusal::kMalformed;
  if (request->version != kServerRequestVersion) return Refusal::kWrongVersion;
  uint32_t name_bytes = 0;
  while (name_bytes < kProgramNameBytes && request->app[name_bytes] != '\0') ++name_bytes;
  const bool has_form = name_bytes != 0 && name_bytes < kProgramNameBytes &&
                        AreZeros(request->app, name_bytes, kProgramNameBytes) &&
                        request->build_id_bytes <= kBuildIdBytes &&
                        AreZeros(request->build_id, request->build_id_bytes, kBuildIdBytes) && request->reserved == 0;
  if (!has_form) return Refusal::kMalformed;
  const bool is_in_range = IsStartInRange(request->start) && request->skip_ppm <= kWholePpmOfRequest &&
                           request->not_before_s < request->expiry_s;
  return is_in_range ? Refusal::kNone : Refusal::kOutOfRange;
}

Refusal CheckAddressee(const ServerRequest& request, const RequestReceiver& receiver, uint64_t unix_s,
                       uint64_t time_s) {
  if (!AreSame(request.app, receiver.app, kProgramNameBytes)) return Refusal::kOtherApp;
  const bool is_for_build =
      request.build_id_bytes == 0 || (request.build_id_bytes == receiver.build_id_bytes &&
                                      AreSame(request.build_id, receiver.build_id, receiver.build_id_bytes));
  if (!is_for_build) return Refusal::kOtherBuild;
  if (unix_s < request.not_before_s) return Refusal::kNotYet;
  if (unix_s >= request.expiry_s || time_s >= request.expiry_s) return Refusal::kExpired;
  if (request.expiry_s - unix_s > kLongestValidityS) return Refusal::kValidTooLong;
  return Refusal::kNone;
}

}  // namespace softlbr
