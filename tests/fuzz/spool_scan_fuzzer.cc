// Fuzzes what the spool salvages of a file: for any bytes the pieces found cover the file, and a file of the whole
// frames alone reads as the original does, without its damage.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/spool/frame_scan.h"
#include "runtime/spool/spool_limits.h"
#include "toolchain/profile/profile_reader.h"

namespace {

using softlbr::spool::FrameScan;
using softlbr::spool::Piece;
using softlbr::spool::PieceKind;
using softlbr::toolchain::Profile;
using softlbr::toolchain::ReadError;
using softlbr::toolchain::ReadProfile;

void RequireThat(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

// Reads a few bytes at a time, so that pieces lie across reads.
struct Source {
  const uint8_t* bytes;
  uint64_t count;
  uint64_t most;
};

long ReadSource(void* cookie, uint64_t offset, void* output, uint64_t bytes) {
  const auto* source = static_cast<const Source*>(cookie);
  RequireThat(offset <= source->count, "reads begin in the file");
  uint64_t count = source->count - offset < bytes ? source->count - offset : bytes;
  if (count > source->most) count = source->most;
  if (count != 0) std::memcpy(output, source->bytes + offset, count);
  return static_cast<long>(count);
}

std::vector<uint8_t> WholeFrames(Source source) {
  static std::vector<uint8_t> window(softlbr::spool::kWindowBytes);
  FrameScan scan(window.data(), ReadSource, &source);
  std::vector<uint8_t> whole(softlbr::kFileMagic, softlbr::kFileMagic + softlbr::kFileMagicBytes);
  uint64_t at = 0;
  for (;;) {
    const Piece piece = scan.Next();
    RequireThat(piece.at == at && piece.kind != PieceKind::kUnreadable, "pieces follow one another");
    if (piece.kind == PieceKind::kNothing) break;
    RequireThat(piece.bytes != 0 && piece.bytes <= source.count - at, "pieces are in the file");
    if (piece.kind == PieceKind::kFrame) {
      RequireThat(std::memcmp(piece.data, source.bytes + at, piece.bytes) == 0, "a frame is the file's bytes");
      whole.insert(whole.end(), piece.data, piece.data + piece.bytes);
    }
    at += piece.bytes;
  }
  RequireThat(at == source.count, "the pieces cover the file");
  return whole;
}

uint64_t SumOfCounts(const Profile& profile) {
  uint64_t sum = 0;
  for (const auto& row : profile.branches) sum += row.count;
  for (const auto& row : profile.ranges) sum += row.count;
  for (const auto& row : profile.samples) sum += row.count;
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> whole = WholeFrames({data, size, 1 + size / 3});
  RequireThat(WholeFrames({data, size, size + 1}) == whole, "the size of a read changes nothing");
  const auto original = ReadProfile({data, size}, "original");
  const auto salvaged = ReadProfile(std::span<const uint8_t>(whole), "salvaged");
  const auto* before = std::get_if<Profile>(&original);
  const auto* after = std::get_if<Profile>(&salvaged);
  if (before == nullptr) return 0;  // the reader gives up on files that begin with much else
  RequireThat(after != nullptr, "what could be read can still be read");
  RequireThat(before->sessions.size() == after->sessions.size() && SumOfCounts(*before) == SumOfCounts(*after) &&
                  before->whole_traces == after->whole_traces,
              "no whole frame is lost or added");
  RequireThat(after->damaged_frames <= before->damaged_frames, "no damage is added");
  return 0;
}
