// Fuzzes the packets of the control protocol, in both directions, and the limits that a request is compared with.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "platform/base/limits.h"
#include "platform/base/sample_event.h"
#include "runtime/trigger/control_message.h"
#include "runtime/trigger/control_policy.h"
#include "tests/fuzz/guarded_window.h"

namespace softlbr {
namespace {

void RequireOfMessage(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

void CheckStart(const StartRequest& request) {
  RequireOfMessage(request.event < platform::kSampleEventCount && request.branches <= kMaxBranchesPerTrace,
                   "an accepted value is valid");
  RequireOfMessage(request.period == 0 || request.frequency_hz == 0, "one of the two at most");
  const ControlPolicy policies[] = {{1, 1, 1, 1}, {5000, 20000, 100000, 1000}, {~0u, 1000000, 1, 100000}};
  for (const ControlPolicy& policy : policies) {
    StartRequest start = request;
    uint64_t limit = 0;
    if (ApplyPolicy(policy, &start, &limit) != Refusal::kNone) continue;
    RequireOfMessage(start.duration_ms != 0 && start.duration_ms <= policy.longest_session_ms,
                     "the session ends in time");
    RequireOfMessage(start.max_overhead_ppm != 0 && start.max_overhead_ppm <= policy.largest_overhead_ppm,
                     "the overhead has a limit");
    RequireOfMessage(start.period == 0 || start.period >= policy.densest_period, "the period is permitted");
    RequireOfMessage(start.frequency_hz <= policy.highest_frequency_hz, "the frequency is permitted");
  }
}

}  // namespace
}  // namespace softlbr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr;
  if (size > 65536) return 0;
  const testing::GuardedWindow window(data, size);
  ParsedRequest request;
  const Refusal refusal = ParseRequest(window.data(), size, &request);
  RequireOfMessage(size >= sizeof(MessageHead) || refusal == Refusal::kMalformed, "a packet without a head is none");
  RequireOfMessage(size <= kMostRequestBytes || refusal == Refusal::kOversized, "no request is that large");
  if (refusal == Refusal::kNone && request.kind == MessageKind::kStart) CheckStart(request.start);
  const uint16_t reply = ParseReply(window.data(), size);
  RequireOfMessage(reply == 0 || refusal != Refusal::kNone, "no packet is both a request and a reply");
  RequireOfMessage(reply == 0 || size <= sizeof(MessageHead) + kMostChunkBytes, "replies fit the receiver's buffer");
  return 0;
}
