#include "toolchain/collect/collect_request.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>

#include "runtime/format/slbr_format.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/upload/content_digest.h"
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
  rules.must_be_known = true;
  const SegmentPlan plan = PlanSegments(&input, rules);
  if (!plan.damage.empty()) return "the body " + plan.damage;
  if (plan.segments.size() != 1 || plan.segments[0].name != name ||
      plan.segments[0].bytes + kFileMagicBytes != body.size()) {
    return "the body holds other frames than the path names";
  }
  // All of them together, as a merge will read them.
  static std::mutex reading;
  const std::lock_guard lock(reading);
  const auto read = ReadProfile(body, "the body");
  if (const auto* error = std::get_if<ReadError>(&read)) return error->message;
  const Profile& profile = std::get<Profile>(read);
  if (profile.damaged_frames != 0 || profile.repeated_frames != 0 || profile.sessions.size() != 1 ||
      profile.sessions[0].session_id != name.session) {
    return "the body does not read as a part of one session";
  }
  return {};
}

// An answer about the segment that is stored, with its digest.
CollectReply SayThere(int status, const std::string& text, const SegmentName& name, SegmentStore* store) {
  CollectReply reply = Say(status, text);
  if (const auto there = store->Read(name)) reply.digest = ContentDigest(*there);
  return reply;
}

CollectReply SayWhetherSame(const SegmentName& name, const CollectRequest& request, SegmentStore* store) {
  const auto there = store->Read(name);
  if (!there) return Say(500, "is there, and cannot be read");
  const bool is_same = std::equal(there->begin(), there->end(), request.body.begin(), request.body.end());
  CollectReply reply = Say(412, is_same ? "is there" : "other bytes are there");
  reply.digest = ContentDigest(*there);
  return reply;
}

CollectReply ReplyToPut(const SegmentName& name, const CollectRequest& request, SegmentStore* store) {
  if (!request.content_range.empty())
    return Say(400, "a part of a segment cannot be stored; send it without Content-Range");
  const std::string digest = ContentDigest(request.body);
  if (CompareDigest(request.digest, digest) == DigestMatch::kOther)
    return Say(400, "the body has another digest than its header says");
  if (request.if_none_match == "*" && store->Find(name)) return SayWhetherSame(name, request, store);
  const std::string fault = CheckBody(name, request.body);
  if (!fault.empty()) return Say(400, fault);
  switch (store->Put(name, request.body)) {
    case PutResult::kStored: return SayThere(201, "stored", name, store);
    case PutResult::kSameThere: return SayThere(request.if_none_match == "*" ? 412 : 200, "is there", name, store);
    case PutResult::kOtherThere:
      return SayThere(409, "other bytes are there, or a segment that overlaps with this one", name, store);
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
  if (!path.starts_with('/') || !ParseSegmentPath(path.substr(1)))
    return Say(400, "the path is not /<session>/<first>-<last>");
  return {};
}

CollectReply Reply(const CollectRequest& request, SegmentStore* store) {
  if (std::optional<CollectReply> early = ReplyBeforeBody(request.method, request.path)) return *early;
  const auto name = request.path.starts_with('/') ? ParseSegmentPath(request.path.substr(1)) : std::nullopt;
  if (request.method == "PUT") return ReplyToPut(*name, request, store);
  if (name) {
    std::optional<std::vector<uint8_t>> there = store->Read(*name);
    if (!there) return Say(404, "is not there");
    CollectReply reply{200, {}, {}, {}, ContentDigest(*there)};
    if (request.method == "HEAD") {
      reply.content_bytes = there->size();
    } else {
      reply.content = std::move(*there);
    }
    return reply;
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
