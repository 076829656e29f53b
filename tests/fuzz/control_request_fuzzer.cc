// Fuzzes the requests of servers (docs/sessions_on_request.md): their form, and whom they are for.
#include <cstdio>
#include <cstdlib>

#include "platform/base/limits.h"
#include "platform/base/sample_event.h"
#include "runtime/trigger/control_request.h"
#include "tests/fuzz/guarded_window.h"

namespace softlbr {
namespace {

void RequireOfRequest(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

void CheckAccepted(const ServerRequest& request, size_t size) {
  RequireOfRequest(size > sizeof request && size <= kMostServerRequestBytes, "there is a signature of a possible size");
  RequireOfRequest(request.app[0] != '\0' && request.app[kProgramNameBytes - 1] == '\0',
                   "the name ends within its field");
  RequireOfRequest(request.build_id_bytes <= kBuildIdBytes, "the build id ends within its field");
  RequireOfRequest(request.start.event < platform::kSampleEventCount && request.start.branches <= kMaxBranchesPerTrace,
                   "an accepted value is valid");
  RequireOfRequest(request.skip_ppm <= 1000000, "a share is at most the whole");
  RequestReceiver receiver = {};
  for (uint32_t i = 0; i < kProgramNameBytes; ++i) receiver.app[i] = request.app[i];
  receiver.build_id_bytes = request.build_id_bytes;
  for (uint32_t i = 0; i < kBuildIdBytes; ++i) receiver.build_id[i] = request.build_id[i];
  const uint64_t last_s = request.expiry_s - 1;
  RequireOfRequest(CheckAddressee(request, receiver, last_s, last_s) == Refusal::kNone,
                   "it is valid in its last second");
  RequireOfRequest(CheckAddressee(request, receiver, last_s + 1, 0) == Refusal::kExpired, "and not later");
  RequireOfRequest(CheckAddressee(request, receiver, last_s, last_s + 1) == Refusal::kExpired,
                   "nor with the clock set back");
  receiver.app[0] ^= 1;
  RequireOfRequest(CheckAddressee(request, receiver, last_s, last_s) == Refusal::kOtherApp, "nor for another program");
}

}  // namespace
}  // namespace softlbr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr;
  if (size > 65536) return 0;
  const testing::GuardedWindow window(data, size);
  ServerRequest request;
  const Refusal refusal = ParseServerRequest(window.data(), size, &request);
  if (refusal == Refusal::kNone) CheckAccepted(request, size);
  RequireOfRequest(size <= kMostServerRequestBytes || refusal == Refusal::kOversized, "no request is that large");
  return 0;
}
