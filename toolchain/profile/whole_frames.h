// Finds the whole frames of a profile, in their order, as the reader finds them: both checksums are right, and after a
// damaged frame the search goes on behind its header, because others follow a frame that was cut short. Input is
// hostile.
//
// Memory: a frame. Cost: linear in the file, and once 256 MiB of payloads with wrong checksums.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_WHOLE_FRAMES_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_WHOLE_FRAMES_H_

#include <cstdint>
#include <fstream>
#include <string>

#include "runtime/format/frame_header.h"

namespace softlbr::toolchain {

class WholeFrames {
 public:
  // The frames in the first `most` bytes of the file.
  explicit WholeFrames(std::string path, uint64_t most = UINT64_MAX);

  // The next frame, or false at the end and where the file is damaged beyond reading. StatedFailure if the file cannot
  // be read.
  bool Next();

  // Of that frame.
  const FrameHeader& header() const { return header_; }
  uint64_t at() const { return at_; }
  const std::string& bytes() const { return bytes_; }  // its header, too

  uint64_t end() const { return end_; }  // of what is searched
  // Bytes anywhere in the file. StatedFailure if they cannot be read.
  std::string Read(uint64_t at, uint64_t bytes);

 private:
  enum class Found { kNoHeader, kDamagedFrame, kFrame };

  Found FrameAt(uint64_t at);
  uint64_t FindHeader(uint64_t at);

  std::string path_;
  std::ifstream file_;
  uint64_t end_ = 0;
  uint64_t at_ = 0;
  uint64_t next_ = 0;    // where to go on
  uint64_t wasted_ = 0;  // bytes of payloads with a wrong checksum
  FrameHeader header_{};
  std::string bytes_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_WHOLE_FRAMES_H_
