// Fuzzes the answer of `softlbr collect` to a request. Input: method, path and If-None-Match, a line each, then the
// body.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include "runtime/format/slbr_format.h"
#include "toolchain/collect/collect_request.h"
#include "toolchain/upload/content_digest.h"

namespace softlbr::toolchain {
namespace {

void Must(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

// A store without a disk, which has room for one segment.
class MemoryStore : public SegmentStore {
 public:
  std::optional<uint64_t> Find(const SegmentName& name) override {
    const auto found = segments_.find(name);
    return found == segments_.end() ? std::nullopt : std::optional<uint64_t>(found->second.size());
  }
  PutResult Put(const SegmentName& name, std::span<const uint8_t> bytes) override {
    Must(bytes.size() > kFileMagicBytes && name.first <= name.last, "only segments reach the store");
    const std::vector<uint8_t> body(bytes.begin(), bytes.end());
    if (!segments_.empty()) {
      const auto found = segments_.find(name);
      if (found == segments_.end()) return PutResult::kFull;
      return found->second == body ? PutResult::kSameThere : PutResult::kOtherThere;
    }
    segments_[name] = body;
    return PutResult::kStored;
  }
  std::optional<std::vector<uint8_t>> Read(const SegmentName& name) override {
    const auto found = segments_.find(name);
    return found == segments_.end() ? std::nullopt : std::optional(found->second);
  }
  std::string Describe() override { return "segments " + std::to_string(segments_.size()) + "\n"; }
  size_t segments() const { return segments_.size(); }

 private:
  std::map<SegmentName, std::vector<uint8_t>> segments_;
};

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

void CheckReply(const CollectReply& reply) {
  Must(reply.status >= 200 && reply.status < 600, "a status of HTTP");
  if (!reply.merge_build_id.empty()) {
    Must(reply.status == 200 && reply.merge_build_id.find_first_not_of("0123456789abcdef") == std::string::npos,
         "a build id");
  } else if (!reply.content_bytes && reply.content.empty()) {
    Must(reply.text.ends_with('\n'), "a text of whole lines");
  }
}

}  // namespace
}  // namespace softlbr::toolchain

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::toolchain;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  CollectRequest request;
  request.method = TakeLine(&text);
  request.path = TakeLine(&text);
  request.if_none_match = TakeLine(&text);
  request.body = std::span(data + (size - text.size()), text.size());
  MemoryStore store;
  const CollectReply first = Reply(request, &store);
  CheckReply(first);
  Must((first.status == 201) == (store.segments() == 1), "201 if and only if it is stored");
  if (const auto early = ReplyBeforeBody(request.method, request.path)) {
    Must(early->status == first.status && early->status >= 400, "what is refused early is refused");
  }
  const CollectReply second = Reply(request, &store);
  CheckReply(second);
  if (first.status == 201) {
    Must(second.status == (request.if_none_match == "*" ? 412 : 200), "a repetition is recognised");
    const CollectReply head = Reply({"HEAD", request.path, {}, {}, {}, {}}, &store);
    Must(head.status == 200 && head.content_bytes == request.body.size(), "HEAD finds what was stored");
    const std::string digest = ContentDigest(request.body);
    Must(first.digest == digest && second.digest == digest && head.digest == digest, "the digest is that of the body");
    const CollectReply get = Reply({"GET", request.path, {}, {}, {}, {}}, &store);
    Must(std::equal(get.content.begin(), get.content.end(), request.body.begin(), request.body.end()),
         "GET brings what was stored");
  } else {
    Must(second.status == first.status && second.text == first.text, "a refusal changes nothing");
  }
  return 0;
}
