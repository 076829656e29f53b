// Recognises frames that are in a file twice, as after `cat a.slbr a.slbr`: their counts would double.
//
// Two frames are the same if their headers are: session, number, sizes and the payload's checksum. The number alone
// does not tell: `merge` numbers the frames of each of its results from 0.
// Memory: 16 bytes a frame, at most 12 MiB. Full: frames beyond kMostFrames are taken for new.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_SEEN_FRAMES_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_SEEN_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/format/frame_header.h"

namespace softlbr::toolchain {

class SeenFrames {
 public:
  static constexpr size_t kMostFrames = size_t{1} << 19;

  // False if the frame was added before.
  bool Add(const FrameHeader& header);

 private:
  bool Insert(uint64_t key);

  std::vector<uint64_t> table_;  // open addressing, at most half full; 0 is a free place
  size_t used_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_SEEN_FRAMES_H_
