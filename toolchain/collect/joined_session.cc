#include "toolchain/collect/joined_session.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "runtime/format/slbr_format.h"
#include "toolchain/base/failure.h"
#include "toolchain/profile/whole_frames.h"

namespace softlbr::toolchain {
namespace {

// Calls visit(frames) for each whole frame until it returns false.
template <typename Visit>
bool ForEachFrame(const std::string& path, Visit visit) {
  try {
    WholeFrames frames(path);
    while (frames.Next()) {
      if (!visit(frames)) break;
    }
    return true;
  } catch (const StatedFailure&) {
    return false;
  }
}

}  // namespace

bool HoldsEnd(const std::string& segment_path) {
  bool is_end = false;
  return ForEachFrame(segment_path,
                      [&](const WholeFrames& frames) {
                        is_end = frames.header().kind == FrameKind::kEnd;
                        return true;
                      }) &&
         is_end;
}

int JoinSegments(const std::vector<std::string>& segment_paths, const std::string& path) {
  std::ofstream joined(path, std::ios::binary | std::ios::trunc);
  bool is_first = true;
  for (const std::string& segment : segment_paths) {
    std::ifstream part(segment, std::ios::binary);
    if (!is_first) part.seekg(kFileMagicBytes);
    is_first = false;
    if (!part) return EIO;
    joined << part.rdbuf();
  }
  joined.close();
  if (!joined) return ENOSPC;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = fsync(fd) != 0 ? errno : 0;
  close(fd);
  return error;
}

std::optional<std::vector<uint8_t>> CutSegment(const std::string& path, const SegmentName& name) {
  std::vector<uint8_t> bytes(kFileMagic, kFileMagic + kFileMagicBytes);
  uint64_t frames_cut = 0;
  ForEachFrame(path, [&](const WholeFrames& frames) {
    const uint32_t number = frames.header().sequence;
    if (number >= name.first && number <= name.last) {
      bytes.insert(bytes.end(), frames.bytes().begin(), frames.bytes().end());
      ++frames_cut;
    }
    return number < name.last;
  });
  return frames_cut == uint64_t{name.last} - name.first + 1 ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace softlbr::toolchain
