#include "toolchain/collect/collect_request.h"

#include "runtime/format/slbr_format.h"
#include "toolchain/upload/segment_plan.h"

namespace softlbr::toolchain {
namespace {

constexpr std::string_view kMergedPath = "/merged/";
// Of a body: more than any writer compresses, and decoded in a second.
constexpr uint64_t kMaxContentBytes = 256ull << 20;

bool IsBuildId(std::string_view text) {
  return !text.empty() && text.size() % 2 == 0 && text.size() <= 2 * kMaxRecordBuildIdBytes &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

CollectReply Say(int status, const std::string& text) { return {status, text + "\n", {}, {}}; }

// The cause if the body is not that segment, else an empty text.
std::string CheckBody(const SegmentName& name, std::span<const uint8_t> body) {
  ProfileInput input(body);
  SegmentRules rules;
  rules.session = name.session;
  rules.segment_bytes = ~0ull;
  rules.max_content_bytes = kMaxContentBytes;
  const SegmentPlan plan = PlanSegments(&input, rules);
  if (!plan.damage.empty()) return "the body " + plan.damage;
  if (plan.segments.size() != 1 || plan.segments[0].name != name || plan.segments[0].bytes + kFileMagicBytes != body.size()) {
    return "the body holds other frames than the path names";
  }
  return {};
}

CollectReply ReplyToPut(const SegmentName& name, const CollectRequest& request, SegmentStore* store) {
  if (request.if_none_match == "*" && store->Find(name)) return Say(412, "is there");
  const std::string fault = CheckBody(name, request.body);
  if (!fault.empty()) return Say(400, fault);
  switch (store->Put(name, request.body)) {
    case PutResult::kStored: return Say(201, "stored");
    case PutResult::kSameThere: return request.if_none_match == "*" ? Say(412, "is there") : Say(200, "is there");
    case PutResult::kOtherThere: return Say(409, "other bytes are there, or a segment that overlaps with this one");
    case PutResult::kFull: return Say(507, "the store is full; raise --max-bytes of the server, or free space");
    case PutResult::kFailed: break;
  }
  return Say(500, "the segment cannot be written");
}

}  // namespace

std::optional<CollectReply> ReplyBeforeBody(std::string_view method, std::string_view path) {
  if (method != "PUT" && method != "HEAD" && method != "GET") return Say(405, "PUT, HEAD or GET");
  if (method != "PUT") return {};
  if (path == "/" || path.starts_with(kMergedPath)) return Say(405, "this can only be read");
  if (!path.starts_with('/') || !ParseSegmentPath(path.substr(1))) return Say(400, "the path is not /<session>/<first>-<last>");
  return {};
}

CollectReply Reply(const CollectRequest& request, SegmentStore* store) {
  if (std::optional<CollectReply> early = ReplyBeforeBody(request.method, request.path)) return *early;
  const auto name = request.path.starts_with('/') ? ParseSegmentPath(request.path.substr(1)) : std::nullopt;
  if (request.method == "PUT") return ReplyToPut(*name, request, store);
  if (name && request.method == "HEAD") {
    const std::optional<uint64_t> bytes = store->Find(*name);
    return bytes ? CollectReply{200, {}, {}, bytes} : Say(404, "is not there");
  }
  if (request.path == "/") return {200, store->Describe(), {}, {}};
  if (request.path.starts_with(kMergedPath) && request.method == "GET") {
    const std::string_view build_id = request.path.substr(kMergedPath.size());
    if (!IsBuildId(build_id)) return Say(400, "the path is not /merged/<build id>");
    return {200, {}, std::string(build_id), {}};
  }
  return Say(404, "no such path");
}

}  // namespace softlbr::toolchain
