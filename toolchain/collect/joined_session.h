// A session whose segments have been joined into one file: FOLDER/<session>.slbr, as it was before the upload.
//
// Each run of its frames is still a segment: its bytes are the file magic and those frames.
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_JOINED_SESSION_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_JOINED_SESSION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/upload/segment_name.h"

namespace softlbr::toolchain {

// True if the segment file ends with the last frame of a complete session.
bool HoldsEnd(const std::string& segment_path);

// Writes the segments one after the other to `path`, and syncs it. Result: 0 or errno.
int JoinSegments(const std::vector<std::string>& segment_paths, const std::string& path);

// The bytes of a segment of the file; nothing if it has not all of its frames. Cost: reads the file up to them.
std::optional<std::vector<uint8_t>> CutSegment(const std::string& path, const SegmentName& name);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_JOINED_SESSION_H_
