// A program that records nothing until `softlbr trigger` asks it to (softlbr record --wait-trigger).
//
// How: libsoftlbr_control.a is linked into the preload library as into an app. Its thread, socket, folder and limits
//   are those of an app that calls softlbr_control_start without options (docs/sessions_on_request.md).
// Who calls: the constructor, and what ends the program, replaces it or enters a sandbox. Context: control.
// After an exec the new program waits in the same way (process_tree.h).
// In a forked or vforked child every function does nothing and returns false: only the parent waits.
// Not covered: a program that closes descriptors which it has not opened. After raw exit system calls or death by a
//   signal the socket remains until the parent command removes it.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_TRIGGER_WAIT_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_TRIGGER_WAIT_H_

namespace softlbr {

// Makes the socket and waits. A decoder is registered. The result of softlbr_control_start: 0, or nothing has changed.
int BeginWaiting();
bool IsWaiting();
// Ends a triggered session, with its profile complete, and removes the socket. True if this call did so. False also if
// another thread did: this call has then waited for that thread, two seconds at most.
bool EndWaiting();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_TRIGGER_WAIT_H_
