// Waits until no thread is inside the trap handler any more, as before a sandbox in which the handler's system calls
// would kill.
//
// Who: runtime/attach; not part of libsoftlbr.a. Control.
#ifndef SOFTLBR_PLATFORM_HANDLER_EXIT_H_
#define SOFTLBR_PLATFORM_HANDLER_EXIT_H_

namespace softlbr::platform {

// Every event is closed and the handler is no longer installed, so no thread enters it. False if one was still inside
// after a second: a thread that runs with every signal blocked counts as inside.
bool WaitForHandlersToEnd();

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_HANDLER_EXIT_H_
