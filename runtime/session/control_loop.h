// The runtime's own thread: worker, writer, thread scanner and watchdog in one.
//
// Context: a raw thread without libc state (platform/thread.h); may block, never allocates.
// Round: sleep until a buffer is filled or kControlPeriodNs has passed; watch stalled threads; find new ones; fold filled
// buffers; refresh the modules; write what is due.
#ifndef SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
#define SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_

#include <cstddef>

namespace softlbr {

// Thread entry; argument is the Session.
void RunControlLoop(void* session);

// Sink of the profile writer: the caller's callback or descriptor. 0 if taken. cookie is the Session.
int WriteToSink(void* cookie, const void* bytes, size_t size);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_CONTROL_LOOP_H_
