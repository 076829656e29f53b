#include "toolchain/profile/profile_gather.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "toolchain/base/failure.h"
#include "toolchain/profile/whole_frames.h"

namespace softlbr::toolchain {
namespace {

void WriteFrame(int to, const std::string& frame) {
  for (size_t done = 0; done < frame.size();) {
    const ssize_t written = write(to, frame.data() + done, frame.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      throw StatedFailure(std::string("the profile cannot be written: ") + std::strerror(errno) + "; free space there");
    done += static_cast<size_t>(written);
  }
}

}  // namespace

std::set<uint64_t> SessionsIn(const std::string& path) {
  std::set<uint64_t> sessions;
  WholeFrames frames(path);
  while (frames.Next()) sessions.insert(frames.header().session_id);
  return sessions;
}

void AppendNewSessions(int from, int to, std::set<uint64_t>* taken) {
  const off_t hole = lseek(from, 0, SEEK_HOLE);
  if (hole <= 0) return;  // empty
  WholeFrames frames("/proc/self/fd/" + std::to_string(from), static_cast<uint64_t>(hole));
  std::set<uint64_t> added;
  while (frames.Next()) {
    if (taken->contains(frames.header().session_id)) continue;
    WriteFrame(to, frames.bytes());
    added.insert(frames.header().session_id);
  }
  taken->merge(added);
}

}  // namespace softlbr::toolchain
