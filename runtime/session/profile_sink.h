// Where the profile goes: the app's callback or its file descriptor.
//
// Context: control thread. A frame that the sink does not take is counted as lost.sink_failed; stop then answers kSystemError.
#ifndef SOFTLBR_RUNTIME_SESSION_PROFILE_SINK_H_
#define SOFTLBR_RUNTIME_SESSION_PROFILE_SINK_H_

#include <cstddef>

namespace softlbr {

// The profile writer's sink. cookie is the Session; 0 if the bytes were taken. Never writes into another file that the app has
// opened under the same number since the session started.
int WriteToSink(void* cookie, const void* bytes, size_t size);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_PROFILE_SINK_H_
