// The answer of `softlbr collect` to one request, decided without a socket (fuzzed).
//
// Requests: PUT, HEAD and GET of /<session>/<first>-<last>, GET of / and of /merged/<build id>, as in docs/uploads.md.
// Memory: kMaxReaderBytes while a body is read, one at a time; a stored segment for an answer about it. The body is the
// caller's.
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_REQUEST_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_REQUEST_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/collect/segment_store.h"

namespace softlbr::toolchain {

struct CollectRequest {
  std::string_view method;
  std::string_view path;  // from the first slash on, without a query
  std::string_view if_none_match;
  std::string_view digest;  // Repr-Digest or Content-Digest
  std::string_view content_range;
  std::span<const uint8_t> body;
};

struct CollectReply {
  int status = 0;
  std::string text;                       // the body, with its newline
  std::string merge_build_id;             // with status 200: the body is the merge of this build's sessions
  std::optional<uint64_t> content_bytes;  // of a HEAD that found its segment
  std::string digest{};                   // Repr-Digest, of what is stored under the path; empty: nothing is
  std::vector<uint8_t> content{};         // the body in place of the text, of a GET that found its segment
};

// The reply to a request whose body must not be read: nothing if it has to be.
std::optional<CollectReply> ReplyBeforeBody(std::string_view method, std::string_view path);
CollectReply Reply(const CollectRequest& request, SegmentStore* store);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_COLLECT_REQUEST_H_
