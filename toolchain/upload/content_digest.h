// The digest of a segment's bytes in a header field, by which a server proves what it has: RFC 9530, Repr-Digest,
// sha-256.
//
// Grammar: members "name=:BASE64:" separated by commas, each with parameters behind ';', which are ignored, as are
// members of other names. Input is hostile.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_CONTENT_DIGEST_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_CONTENT_DIGEST_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

// "sha-256=:BASE64:"
std::string ContentDigest(std::span<const uint8_t> bytes);

enum class DigestMatch {
  kNone,   // the field names no sha-256
  kSame,   // one or more, all of them the digest
  kOther,  // one or more, and not all of them the digest
};

// digest: of ContentDigest().
DigestMatch CompareDigest(std::string_view field, std::string_view digest);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_CONTENT_DIGEST_H_
