// Starting and stopping a session.
//
// Context: control, on a thread of the app. Memory: the session's region, given by the app or mapped here
// (session_memory.h). Order of a start: claim; choose an event; lay out the region; open the decoder; install the trap
// handler; publish the session;
//   start the control thread; wait until it has scanned the threads once.
// Order of a stop: claim; let the control thread finish the profile and end; withdraw the session; restore the trap
//   handler; close the decoder; return the region. From the claim on, the stopping thread is not sampled.
#ifndef SOFTLBR_RUNTIME_API_START_STOP_H_
#define SOFTLBR_RUNTIME_API_START_STOP_H_

#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/status.h"
#include "runtime/session/session_settings.h"

namespace softlbr {

struct Session;

// Call it before the start, in a library of which all code is ours: none of it is recorded.
void LeaveLibraryOut();

// On failure nothing is left behind. *system_error is the errno of the system call that was refused; 0 if there is
// none.
Status StartSession(const SessionSettings& settings, const softlbr_decoder_plugin* plugin, int* system_error);

// The id of the session of this process, or of its last one. False: there was none; a parent's does not count.
bool LastSessionId(uint64_t* id);

// For a caller that has claimed the session (ClaimForStop) and releases the claim afterwards. kSinkFailed if the sink
// refused a frame, or if the helper was killed before it had written everything. kSystemError if a thread is stuck
// inside the handler; then the region stays mapped.
Status StopClaimedSession(Session* session);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_API_START_STOP_H_
