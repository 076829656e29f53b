// Fuzzes what an upload reads: the path and the body of a request, the names in a spool, its budget file.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "runtime/format/slbr_format.h"
#include "toolchain/upload/content_digest.h"
#include "toolchain/upload/daily_budget.h"
#include "toolchain/upload/segment_name.h"
#include "toolchain/upload/segment_plan.h"

namespace softlbr::toolchain {
namespace {

void Must(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

void CheckNames(std::string_view text) {
  if (const auto name = ParseSegmentPath(text)) Must(SegmentPath(*name) == text, "a segment has one spelling");
  if (const auto name = ParseSpoolName(text))
    Must(text.starts_with(SessionText(name->session)), "a session has one spelling");
}

void CheckBudget(std::string_view text) {
  const auto state = ParseBudget(text);
  if (!state) return;
  Must(ParseBudget(BudgetText(*state)) == state, "a state is read back");
  for (const uint64_t now : {uint64_t{0}, uint64_t{1700000000}, ~uint64_t{0}}) {
    const BudgetState then = BudgetAt(*state, now);
    Must(then.start_s <= now || then.start_s - now <= kDaySeconds, "no day begins later than tomorrow");
    Must(then.used_bytes == state->used_bytes || (then.used_bytes == 0 && now >= state->start_s),
         "a clock set back frees nothing");
  }
}

void CheckDigest(std::string_view text) {
  const std::string digest = ContentDigest({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  const DigestMatch match = CompareDigest(text, digest);
  Must(match != DigestMatch::kSame, "no text names its own digest");
  Must(CompareDigest(digest + "," + std::string(text), digest) != DigestMatch::kNone,
       "a digest is found in front of anything");
}

void CheckPlan(const uint8_t* data, size_t size) {
  for (const uint64_t bound : {uint64_t{1}, uint64_t{300}, ~uint64_t{0}}) {
    ProfileInput input(std::span(data, size));
    SegmentRules rules;
    rules.session = size >= 24 ? data[16] : 1;  // of the first frame, if its id is small
    rules.may_be_cut = bound == 300;
    rules.segment_bytes = bound;
    rules.max_content_bytes = 64u << 20;
    const SegmentPlan plan = PlanSegments(&input, rules);
    Must(plan.damage.empty() ? !plan.segments.empty() : true, "an intact file holds a segment");
    uint64_t end = kFileMagicBytes;
    for (const PlannedSegment& segment : plan.segments) {
      Must(segment.offset >= end && segment.bytes <= size && segment.offset + segment.bytes <= size,
           "segments lie in the file");
      Must(segment.name.first <= segment.name.last, "numbers ascend");
      end = segment.offset + segment.bytes;
    }
  }
}

}  // namespace
}  // namespace softlbr::toolchain

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  softlbr::toolchain::CheckNames(text);
  softlbr::toolchain::CheckBudget(text);
  softlbr::toolchain::CheckDigest(text);
  softlbr::toolchain::CheckPlan(data, size);
  return 0;
}
