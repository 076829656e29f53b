// Builds valid and invalid frames, for tests of the profile reader and its fuzzer.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_PROFILE_PROFILE_FORGE_H_
#define SOFTLBR_TESTS_TOOLCHAIN_PROFILE_PROFILE_FORGE_H_

#include <zstd.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "platform/base/elf_machine.h"
#include "runtime/format/byte_stream.h"
#include "runtime/format/crc32c.h"
#include "runtime/format/frame_header.h"
#include "runtime/format/slbr_format.h"

namespace softlbr::test {

using Bytes = std::vector<uint8_t>;

inline void Append(Bytes* out, const Bytes& more) { out->insert(out->end(), more.begin(), more.end()); }

inline Bytes Varints(std::initializer_list<uint64_t> values) {
  Bytes bytes(values.size() * kMaxVarintBytes);
  ByteWriter out;
  out.Reset(bytes.data(), bytes.size());
  for (const uint64_t value : values) out.PutVarint(value);
  bytes.resize(out.Size());
  return bytes;
}

inline Bytes Section(uint32_t id, const Bytes& body) {
  Bytes bytes(kSectionHeaderBytes);
  StoreU32(bytes.data(), id);
  StoreU32(bytes.data() + 4, static_cast<uint32_t>(body.size()));
  Append(&bytes, body);
  return bytes;
}
inline Bytes Section(SectionId id, const Bytes& body) { return Section(static_cast<uint32_t>(id), body); }

// A module "m" without build id and segments: addresses [low, low + span) at linear address `base`.
inline Bytes ModuleRecordBytes(uint64_t base, uint64_t low, uint64_t span) {
  Bytes body = Varints({1});
  body.push_back('m');
  Append(&body, Varints({0, kMachineX86_64, 3, 0, base, low, span, 0}));
  Bytes bytes = Varints({body.size()});
  Append(&bytes, body);
  return bytes;
}

// One module: addresses from 0x5000 at linear addresses 1 to 0x1000.
inline Bytes OneModule() {
  Bytes body = Varints({1});
  Append(&body, ModuleRecordBytes(1, 0x5000, 0x1000));
  return Section(SectionId::kModules, body);
}

struct Forged {
  uint8_t version = kFormatVersion;
  uint8_t kind = static_cast<uint8_t>(FrameKind::kData);
  uint64_t session_id = 1;
  uint32_t sequence = 0;
};

// A frame with valid sizes and checksums.
inline Bytes Frame(const Bytes& payload, const Forged& forged = {}) {
  Bytes bytes(kFrameHeaderBytes + ZSTD_compressBound(payload.size()));
  const size_t compressed = ZSTD_compress(bytes.data() + kFrameHeaderBytes, bytes.size() - kFrameHeaderBytes,
                                          payload.data(), payload.size(), 1);
  bytes.resize(kFrameHeaderBytes + compressed);
  EncodeFrameHeader(FrameHeader{forged.version, static_cast<FrameKind>(forged.kind), forged.session_id, forged.sequence,
                                static_cast<uint32_t>(compressed), static_cast<uint32_t>(payload.size()),
                                Crc32c(bytes.data() + kFrameHeaderBytes, compressed)},
                    bytes.data());
  return bytes;
}

inline Bytes EndFrame(uint64_t frames, uint64_t session_id = 1) {
  Forged forged;
  forged.kind = static_cast<uint8_t>(FrameKind::kEnd);
  forged.session_id = session_id;
  forged.sequence = static_cast<uint32_t>(frames);
  return Frame(Section(SectionId::kTotals, Varints({static_cast<uint64_t>(TotalKey::kFrames), frames})), forged);
}

inline Bytes Magic() { return Bytes(kFileMagic, kFileMagic + kFileMagicBytes); }

// A file: magic, frames, end frame.
inline Bytes File(std::initializer_list<Bytes> frames) {
  Bytes bytes = Magic();
  for (const Bytes& frame : frames) Append(&bytes, frame);
  Append(&bytes, EndFrame(frames.size()));
  return bytes;
}

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_TOOLCHAIN_PROFILE_PROFILE_FORGE_H_
