// What the program has done to its process that bounds what we may do in it.
//
// Who sets it: the libc functions that we replace (runtime/interpose). Who asks: any thread, also in handlers. One load
// each.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_STATE_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_STATE_H_

namespace softlbr {

// True once the program has entered a sandbox that does not allow our system calls. Interposed functions then make no
// system call but those of the libc's own function.
bool IsSandboxed();
void NoteSandbox();
// True in such a sandbox, and under a filter that allows our calls: programs that this one starts inherit the filter,
// and to be recorded they would need more system calls than it may allow.
bool HasSeccompFilter();
void NoteHarmlessFilter();

// The program's memory may go away unseen from now on: all reads are guarded for good.
void NoteVanishingMemory();
// Call it when a session has just started: makes all its reads guarded if an earlier call of the program requires that.
void GuardReadsIfMemoryVanishes();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_STATE_H_
