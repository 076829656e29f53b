#include "toolchain/profile/profile_split.h"

#include <map>
#include <set>
#include <variant>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/base/result_file.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/profile/whole_frames.h"

namespace softlbr::toolchain {
namespace {

struct Piece {
  uint64_t begin;
  uint64_t bytes;
};
using Pieces = std::map<uint64_t, std::vector<Piece>>;  // by session

// The pieces of `sessions` cover the file; what precedes the first frame goes with it.
Pieces FindPieces(WholeFrames* frames, const std::set<uint64_t>& sessions) {
  Pieces pieces;
  std::vector<Piece>* owner = nullptr;  // of the bytes from `begin` on
  uint64_t begin = 0;
  while (frames->Next()) {
    if (!sessions.contains(frames->header().session_id)) continue;
    if (owner != nullptr) {
      owner->push_back({begin, frames->at() - begin});
      begin = frames->at();
    }
    owner = &pieces[frames->header().session_id];
  }
  if (owner != nullptr) owner->push_back({begin, frames->end() - begin});
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
  std::set<uint64_t> sessions;
  for (const ProfileSession& session : std::get<Profile>(read).sessions) sessions.insert(session.session_id);
  WholeFrames frames(path);
  const Pieces pieces = FindPieces(&frames, sessions);
  std::set<std::string> names;
  for (const ProfileSession& session : std::get<Profile>(read).sessions) {
    const auto found = pieces.find(session.session_id);
    if (found == pieces.end()) continue;
    const std::string stem = FileName(session);
    std::string name = stem;
    for (int number = 2; !names.insert(name).second; ++number) name = stem + "-" + std::to_string(number);
    ResultWriter writer(folder + "/" + name + ".slbr");
    for (const Piece& piece : found->second) writer.Write(frames.Read(piece.begin, piece.bytes));
    writer.Commit();
  }
  return names.size();
}

}  // namespace softlbr::toolchain
