#include "toolchain/profile/profile_split.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <variant>
#include <vector>

#include "runtime/format/frame_header.h"
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

constexpr uint64_t kScanBytes = 1 << 20;

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

// The begin of the next intact frame header at or after `at`; `end` if there is none.
uint64_t FindHeader(std::ifstream* file, const std::string& path, uint64_t at, uint64_t end, FrameHeader* header) {
  while (end - at >= kFrameHeaderBytes) {
    const uint64_t bytes = std::min(end - at, kScanBytes);
    const std::string window = ReadPiece(file, path, {at, bytes});
    const auto* from = reinterpret_cast<const uint8_t*>(window.data());
    for (uint64_t i = 0; i + kFrameHeaderBytes <= bytes; ++i) {
      if (!DecodeFrameHeader(from + i, header)) continue;
      if (header->compressed_bytes <= end - at - i - kFrameHeaderBytes) return at + i;
    }
    at += bytes - kFrameHeaderBytes + 1;
  }
  return end;
}

Pieces FindPieces(std::ifstream* file, const std::string& path) {
  Pieces pieces;
  file->seekg(0, std::ios::end);
  const auto end = static_cast<uint64_t>(file->tellg());
  FrameHeader header{};
  uint64_t at = FindHeader(file, path, 0, end, &header);
  while (at < end) {
    const uint64_t session = header.session_id;
    const uint64_t frame_end = at + kFrameHeaderBytes + header.compressed_bytes;
    // Most often the next frame follows at once.
    uint64_t next = frame_end;
    const bool has_header = end - frame_end >= kFrameHeaderBytes;
    const std::string bytes = has_header ? ReadPiece(file, path, {frame_end, kFrameHeaderBytes}) : "";
    if (!has_header || !DecodeFrameHeader(reinterpret_cast<const uint8_t*>(bytes.data()), &header) ||
        header.compressed_bytes > end - frame_end - kFrameHeaderBytes) {
      next = FindHeader(file, path, frame_end, end, &header);
    }
    pieces[session].push_back({at, next - at});
    at = next;
  }
  return pieces;
}

}  // namespace

size_t SplitProfile(const std::string& path, const std::string& folder) {
  auto read = ReadProfileFile(path, [](const Trace&) {});
  if (std::holds_alternative<ReadError>(read)) throw StatedFailure(std::get<ReadError>(read).message);
  std::ifstream file(path, std::ios::binary);
  const Pieces pieces = FindPieces(&file, path);
  std::set<std::string> names;
  for (const ProfileSession& session : std::get<Profile>(read).sessions) {
    const auto found = pieces.find(session.session_id);
    if (found == pieces.end()) continue;
    const std::string stem = (session.program.empty() ? "unknown" : session.program) + "." + std::to_string(session.process_id);
    std::string name = stem;
    for (int number = 2; !names.insert(name).second; ++number) name = stem + "-" + std::to_string(number);
    ResultWriter writer(folder + "/" + name + ".slbr");
    for (const Piece& piece : found->second) writer.Write(ReadPiece(&file, path, piece));
    writer.Commit();
  }
  return names.size();
}

}  // namespace softlbr::toolchain
