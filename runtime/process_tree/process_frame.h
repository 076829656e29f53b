// The frame that names a session's process in the profile (docs/profile_format.md, "process").
//
// Who calls: the thread that has started a session, once. The frame is outside the session's numbering, so it may stand
//   anywhere among the session's frames, and a profile without it is complete.
// Memory: the caller's stack, less than 1 KiB. Raw system calls only.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_FRAME_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_FRAME_H_

#include <cstdint>

namespace softlbr {

// Appends the frame of this process to the file: its process id and the base name of its program. False if that fails.
bool WriteProcessFrame(int fd, uint64_t session_id);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_FRAME_H_
