// The recording of this process, under `softlbr record`: its session, or its wait for one, and the profile that both
// write to.
//
// Who calls: the preload library's constructor and destructor, and the libc functions that it replaces
// (runtime/interpose).
// In a vforked child every function does nothing, because the session belongs to the parent; likewise in a forked child
//   until it has a session of its own (forked_child.h). Programs that the child executes are recorded if the command
//   wants that (process_tree.h).
// If a program waits and replaces itself by exec, the new program waits, too; children do not.
// Several threads may end the process at the same time. One claims the session and finishes the recording; the others
//   wait for it, so that the profile is complete (runtime/session/active_session.h).
// Memory: the runtime's only. Raw system calls only.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_RECORDING_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_RECORDING_H_

#include "platform/base/sample_event.h"
#include "runtime/process_tree/record_protocol.h"

namespace softlbr {

// In OnLoad: joins the parent command and starts the session, or the wait for one, with the options of `text`, which
// must stay in memory.
void BeginRecording(const char* text);
// Stops the session, if this process has one, or the wait for one, and tells the parent command why it ended:
// kFinished, kReplaced, kSandboxed, kServesFaults or kNoEntryLeft. False if there was neither, or if another thread is
// stopping it: this call has then waited for that thread, within a bound.
bool EndRecording(RecordState why);
// Stops the session of this process for the time of a call that it would hinder, and starts another one afterwards,
// with the same profile; likewise the wait for one. Does nothing if there is neither.
class RecordingPause {
 public:
  RecordingPause();
  ~RecordingPause();
  RecordingPause(const RecordingPause&) = delete;
  RecordingPause& operator=(const RecordingPause&) = delete;

 private:
  bool was_recording_ = false;
  bool was_waiting_ = false;
};
// The program's exec has failed: changes the reported state from kReplaced to kFinished, or waits again for a session.
void TakeBackReplaced();

// In a forked child, before anything else: forgets what belongs to the parent. Result: the event that the parent was
// recorded with; kBest if it was not recorded, or if this process must not be.
platform::SampleEvent InheritRecording();
// In a forked child, once: starts a session of its own with the options of its parent. Raw system calls only, also in a
// handler.
void StartInForkedChild();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_RECORDING_H_
