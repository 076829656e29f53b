#include "runtime/spool/frame_scan.h"

#include "platform/base/bytes.h"
#include "runtime/format/crc32c.h"
#include "runtime/spool/spool_limits.h"

namespace softlbr::spool {
namespace {

static_assert(kFrameHeaderBytes + kMaxFramePayloadBytes + kReadBytes <= kWindowBytes,
              "a whole frame fits behind what precedes a read");

bool HasPlausibleSizes(const FrameHeader& header) {
  return header.version != 0 && header.compressed_bytes <= kMaxFramePayloadBytes &&
         header.uncompressed_bytes <= kMaxFramePayloadBytes;
}

}  // namespace

uint64_t FrameScan::Fill(uint64_t wanted) {
  const uint64_t used = at_ - start_;
  if (filled_ - used < wanted && !has_ended_) {
    CopyBytes(window_, window_ + used, filled_ - used);
    filled_ -= used;
    start_ = at_;
    while (filled_ < wanted && !has_ended_) {
      const uint64_t room = kWindowBytes - filled_;
      const long count = read_(cookie_, start_ + filled_, window_ + filled_, room < kReadBytes ? room : kReadBytes);
      has_failed_ |= count < 0;
      has_ended_ = count <= 0;
      if (count > 0) filled_ += static_cast<uint64_t>(count);
    }
  }
  return filled_ - (at_ - start_);
}

Piece FrameScan::Make(PieceKind kind, uint64_t bytes) {
  Piece piece = {kind, at_, bytes, window_ + (at_ - start_), {}};
  at_ += bytes;
  return piece;
}

Piece FrameScan::Next() {
  uint64_t there = Fill(kFrameHeaderBytes);
  if (has_failed_) return Make(PieceKind::kUnreadable, 0);
  if (there == 0 || wasted_ > at_ + kMaxWastedBytes) return Make(PieceKind::kNothing, 0);
  if (there >= kFileMagicBytes && EqualBytes(window_ + (at_ - start_), kFileMagic, kFileMagicBytes)) {
    return Make(PieceKind::kMagic, kFileMagicBytes);
  }
  FrameHeader header;
  if (there >= kFrameHeaderBytes && DecodeFrameHeader(window_ + (at_ - start_), &header)) {
    const uint64_t whole = kFrameHeaderBytes + static_cast<uint64_t>(header.compressed_bytes);
    if (HasPlausibleSizes(header)) there = Fill(whole);
    if (has_failed_) return Make(PieceKind::kUnreadable, 0);
    if (HasPlausibleSizes(header) && there >= whole) {
      if (Crc32c(window_ + (at_ - start_) + kFrameHeaderBytes, header.compressed_bytes) == header.payload_crc) {
        Piece piece = Make(PieceKind::kFrame, whole);
        piece.header = header;
        return piece;
      }
      wasted_ += header.compressed_bytes;
    }
    return Make(PieceKind::kDamage, kFrameHeaderBytes);
  }
  // Skips to the next byte that may begin a magic.
  const uint8_t* bytes = window_ + (at_ - start_);
  uint64_t count = 1;
  while (count < there && bytes[count] != kFileMagic[0] && bytes[count] != kFrameMagic[0]) ++count;
  return Make(PieceKind::kDamage, count);
}

}  // namespace softlbr::spool
