// Decodes the sections of one frame's payload. Host code; input is hostile.
//
// Who: profile_reader.cc, after checksum and decompression. A frame is accepted whole or not at all.
// Memory: proportional to the payload (at most kMaxFramePayloadBytes): each row count is checked against the bytes
// left.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_DECODER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_DECODER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/counters/session_counters.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

struct DecodedProcess {
  uint32_t id = 0;
  std::string program;
};

struct DecodedFrame : ProfileContent {
  std::optional<SessionInfo> info;  // session_id unset
  std::optional<SessionCounters> counters;
  std::optional<uint64_t> total_frames;
  std::optional<DecodedProcess> process;
  uint32_t sections = 0;
  uint32_t unknown_parts = 0;  // sections of ids, and keys, that cannot be checked
  std::optional<Labels> labels;
};

// False if the payload breaks the format; *frame is then unspecified.
bool DecodeFrame(std::span<const uint8_t> payload, DecodedFrame* frame);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_DECODER_H_
