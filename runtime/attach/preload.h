// Calls between the parts of libsoftlbr_preload.so.
#ifndef SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
#define SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_

#include <signal.h>
#include <time.h>

#include <cstdint>

#include "platform/base/sample_event.h"
#include "platform/trap_signal.h"
#include "runtime/attach/record_protocol.h"

// A definition must repeat the exception specification of its declaration: glibc's headers say __THROW, those of musl and Android
// say nothing. Include after the libc's headers.
#ifdef __THROW
#define SOFTLBR_LIBC_NOTHROW __THROW
#else
#define SOFTLBR_LIBC_NOTHROW
#endif

namespace softlbr {

// Stops the session, if this process has one, or the wait for one, and tells the parent command why it ended: kFinished, kReplaced,
// kSandboxed, kServesFaults or kNoEntryLeft. False if there was neither, or if another thread is stopping it: this call has then waited for that
// thread, within a bound.
bool EndRecording(RecordState why);
// Stops the session of this process for the time of a call that it would hinder, and starts another one afterwards, with the same profile;
// likewise the wait for one. Does nothing if there is neither.
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

// In a forked child, before anything else: forgets what belongs to the parent. Result: the event that the parent was recorded with; kBest
// if it was not recorded, or if this process must not be.
platform::SampleEvent InheritRecording();
// In a forked child, once: starts a session of its own with the options of its parent. Raw system calls only, also in a handler.
void StartInForkedChild();

// The constructor calls these before the session starts.
// Finds the libc's functions that set signal actions (sigtrap_functions.cc).
void LearnSignalFunctions();
// Finds the libc's rt_sigreturn, which a SIGTRAP action set by the program needs. If that is not possible, call LeaveSignalRestorer
// instead: the runtime then adds one of its own.
void LearnSignalRestorer();
void LeaveSignalRestorer();
// Finds the libc's sigaltstack and munmap, and how large a signal frame may be (small_stacks.cc).
void LearnAlternateStacks();
// Finds the libc's functions that wait for signals (trap_waits.cc).
void LearnTrapWaits();
// Finds the libc's functions that block signals (signal_masks.cc).
void LearnSignalMasks();
// Call it before the calling thread may block SIGTRAP: ends its trace if that waits for a breakpoint. Any thread and context.
void DisarmBeforeMaskChange();
// Finds the libc's functions of the exec family (process_end.cc).
void LearnExecFunctions();
// Finds the libc's functions that start a program in a child (spawn_functions.cc).
void LearnSpawnFunctions();
// Finds the libc's dlclose (unload_function.cc).
void LearnUnloadFunction();
// Finds the libc's pthread_create and thrd_create (thread_functions.cc).
void LearnThreadFunctions();
// Finds the libc's madvise, clone and ioctl (vanishing_memory.cc).
void LearnMemoryFunctions();
// Finds the libc's syscall (syscall_function.cc).
void LearnSyscall();

// True if the process has no thread but the calling one and ours (thread_functions.cc).
bool IsSingleThreaded();

// Call it when a session has just started: makes all its reads guarded if an earlier call of the program requires that for good
// (vanishing_memory.cc).
void GuardReadsIfMemoryVanishes();

// True once the program has entered a sandbox that does not allow our system calls (sandbox.cc). Interposed functions then make no system
// call but those of the libc's own function.
bool IsSandboxed();
// True if interposed functions may make further system calls to prepare the libc's. False in such a sandbox, and in an app that links the
// library and has no session, because it may be in a sandbox that we have not seen it enter.
bool MayAddCalls();
// True in such a sandbox, and under a filter that allows our calls: programs that this one starts inherit the filter, and to be recorded
// they would need more system calls than it may allow.
bool HasSeccompFilter();

// rt_sigaction(SIGTRAP), with its result (sigtrap_functions.cc).
long ExchangeKernelTrapAction(const platform::TrapAction* wish, platform::TrapAction* previous);
// `result` is that of a call which has set *pending to the pending signals. Removes SIGTRAP if no SIGTRAP but ours is pending
// (trap_waits.cc).
long WithoutOurTraps(long result, uint64_t* pending);
// rt_sigtimedwait, with its result as libc's syscall() has it, for usable addresses; skips our traps. No cancellation point
// (trap_waits.cc).
long WaitBySystemCall(const sigset_t* set, siginfo_t* info, const timespec* timeout);
// Before exec. A SIGTRAP that is pending because the thread blocks it would stay so, and kill the new program once that unblocks it
// (trap_waits.cc).
void RemovePendingTraps();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
