// Where the profile goes: the app's callback or its file descriptor.
//
// Context: control thread. A frame that the sink refuses is counted as lost.sink_failed; the stop then returns kSinkFailed.
#ifndef SOFTLBR_RUNTIME_WATCH_PROFILE_SINK_H_
#define SOFTLBR_RUNTIME_WATCH_PROFILE_SINK_H_

#include <cstddef>

namespace softlbr {

// The profile writer's sink; cookie is the Session. Returns 0 if the sink took the bytes. If the app has closed the descriptor and
// opened another file under the same number, nothing is written to that file.
int WriteToSink(void* cookie, const void* bytes, size_t size);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_WATCH_PROFILE_SINK_H_
