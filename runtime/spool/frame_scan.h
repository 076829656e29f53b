// Finds the whole frames in a file that a killed process or a failing disk has left behind.
//
// Who: settle.cc, and the fuzzer. The bytes are not trusted.
// Memory: the caller's window; the file may be of any size. No system call but the caller's read.
// Accepts what the reader of docs/profile_format.md accepts: a frame with correct checksums of header and payload.
// After anything else the search goes on behind the rejected header or byte.
// Cost: linear in the file (kMaxWastedBytes).
#ifndef SOFTLBR_RUNTIME_SPOOL_FRAME_SCAN_H_
#define SOFTLBR_RUNTIME_SPOOL_FRAME_SCAN_H_

#include <cstdint>

#include "runtime/format/frame_header.h"

namespace softlbr::spool {

enum class PieceKind : uint8_t {
  kNothing,     // the file ends here, or is too damaged to go on
  kMagic,       // of a file
  kFrame,       // whole
  kDamage,      // anything else
  kUnreadable,  // the read failed
};

struct Piece {
  PieceKind kind;
  uint64_t at;  // offset in the file
  uint64_t bytes;
  const uint8_t* data;  // valid until the next piece
  FrameHeader header;   // of a frame
};

// Reads up to `bytes` at `offset`. Returns how many, 0 at the end, negative on failure.
using ReadPiece = long (*)(void* cookie, uint64_t offset, void* output, uint64_t bytes);

class FrameScan {
 public:
  // window: kWindowBytes.
  FrameScan(uint8_t* window, ReadPiece read, void* cookie) : window_(window), read_(read), cookie_(cookie) {}
  // The pieces follow one another without a gap from the file's begin.
  Piece Next();

 private:
  // Brings `wanted` bytes from at_ on into the window, or all there are. Returns how many are there.
  uint64_t Fill(uint64_t wanted);
  Piece Make(PieceKind kind, uint64_t bytes);

  uint8_t* window_;
  ReadPiece read_;
  void* cookie_;
  uint64_t at_ = 0;      // of the next piece
  uint64_t start_ = 0;   // offset of the window's first byte
  uint64_t filled_ = 0;  // bytes in the window
  uint64_t wasted_ = 0;  // bytes of payloads with a wrong checksum
  bool has_ended_ = false;
  bool has_failed_ = false;
};

}  // namespace softlbr::spool

#endif  // SOFTLBR_RUNTIME_SPOOL_FRAME_SCAN_H_
