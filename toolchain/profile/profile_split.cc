#include "toolchain/profile/profile_split.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "runtime/format/crc32c.h"
#include "runtime/format/frame_header.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

struct Piece {
  uint64_t begin;
  uint64_t bytes;
};
using Pieces = std::map<uint64_t, std::vector<Piece>>;  // by session

constexpr uint64_t kLeastScanBytes = 1 << 8;
constexpr uint64_t kMostScanBytes = 1 << 20;

std::string ReadPiece(std::ifstream* file, const std::string& path, Piece piece) {
  std::string bytes(piece.bytes, '\0');
  file->clear();
  file->seekg(static_cast<std::streamoff>(piece.begin));
  file->read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file->gcount() != static_cast<std::streamsize>(bytes.size())) {
    throw StatedFailure(SafeText(path) + ": cannot be read: " + std::strerror(errno) + "; record to one file");
  }
  return bytes;
}

enum class Found { kNoHeader, kDamagedFrame, kFrame };

Found FrameAt(std::ifstream* file, const std::string& path, uint64_t at, uint64_t end, FrameHeader* header) {
  const std::string bytes = ReadPiece(file, path, {at, kFrameHeaderBytes});
  if (!DecodeFrameHeader(reinterpret_cast<const uint8_t*>(bytes.data()), header)) return Found::kNoHeader;
  const bool has_sizes = header->version != 0 && header->compressed_bytes <= kMaxFramePayloadBytes &&
                         header->uncompressed_bytes <= kMaxFramePayloadBytes;
  if (!has_sizes || header->compressed_bytes > end - at - kFrameHeaderBytes) return Found::kDamagedFrame;
  const std::string payload = ReadPiece(file, path, {at + kFrameHeaderBytes, header->compressed_bytes});
  const uint32_t crc = Crc32c(reinterpret_cast<const uint8_t*>(payload.data()), payload.size());
  return crc == header->payload_crc ? Found::kFrame : Found::kDamagedFrame;
}

// The begin of the next header at or after `at`, with whatever frame; `end` if there is none.
uint64_t FindHeader(std::ifstream* file, const std::string& path, uint64_t at, uint64_t end) {
  // Most often it is a few bytes away.
  for (uint64_t window_bytes = kLeastScanBytes; end - at >= kFrameHeaderBytes;
       window_bytes = std::min(2 * window_bytes, kMostScanBytes)) {
    const uint64_t bytes = std::min(end - at, window_bytes);
    const std::string window = ReadPiece(file, path, {at, bytes});
    const auto* from = reinterpret_cast<const uint8_t*>(window.data());
    FrameHeader header;
    for (uint64_t i = 0; i + kFrameHeaderBytes <= bytes; ++i) {
      if (DecodeFrameHeader(from + i, &header)) return at + i;
    }
    at += bytes - kFrameHeaderBytes + 1;
  }
  return end;
}

// The pieces of `sessions` cover the file; what precedes the first frame goes with it. Frames are found as the reader finds them: after a
// damaged one the search goes on behind its header, because others follow a frame that was cut short. The reader, which has read the
// file before, bounds the cost.
Pieces FindPieces(std::ifstream* file, const std::string& path, const std::set<uint64_t>& sessions) {
  Pieces pieces;
  file->seekg(0, std::ios::end);
  const auto end = static_cast<uint64_t>(file->tellg());
  std::vector<Piece>* owner = nullptr;  // of the bytes from `begin` on
  uint64_t begin = 0;
  for (uint64_t at = 0; end - at >= kFrameHeaderBytes;) {
    FrameHeader header;
    const Found found = FrameAt(file, path, at, end, &header);
    if (found != Found::kFrame) {
      at = FindHeader(file, path, at + (found == Found::kNoHeader ? 1 : kFrameHeaderBytes), end);
      continue;
    }
    if (sessions.contains(header.session_id)) {
      if (owner != nullptr) {
        owner->push_back({begin, at - begin});
        begin = at;
      }
      owner = &pieces[header.session_id];
    }
    at += kFrameHeaderBytes + header.compressed_bytes;
  }
  if (owner != nullptr) owner->push_back({begin, end - begin});
  return pieces;
}

// Programs name themselves, and a frame may hold any bytes: the result is a plain name in its folder.
std::string FileName(const ProfileSession& session) {
  constexpr size_t kMostNameBytes = 200;
  std::string name = session.program.substr(0, kMostNameBytes);
  for (char& c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  if (name.starts_with('.')) name[0] = '_';
  return (name.empty() ? "unknown" : name) + "." + std::to_string(session.process_id);
}

}  // namespace

size_t SplitProfile(const std::string& path, const std::string& folder) {
  auto read = ReadProfileFile(path, [](const Trace&) {});
  if (std::holds_alternative<ReadError>(read)) throw StatedFailure(std::get<ReadError>(read).message);
  std::ifstream file(path, std::ios::binary);
  std::set<uint64_t> sessions;
  for (const ProfileSession& session : std::get<Profile>(read).sessions) sessions.insert(session.session_id);
  const Pieces pieces = FindPieces(&file, path, sessions);
  std::set<std::string> names;
  for (const ProfileSession& session : std::get<Profile>(read).sessions) {
    const auto found = pieces.find(session.session_id);
    if (found == pieces.end()) continue;
    const std::string stem = FileName(session);
    std::string name = stem;
    for (int number = 2; !names.insert(name).second; ++number) name = stem + "-" + std::to_string(number);
    ResultWriter writer(folder + "/" + name + ".slbr");
    for (const Piece& piece : found->second) writer.Write(ReadPiece(&file, path, piece));
    writer.Commit();
  }
  return names.size();
}

}  // namespace softlbr::toolchain
