// Calls between the parts of libsoftlbr_preload.so.
#ifndef SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
#define SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_

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
// kSandboxed or kServesFaults. False if there was neither, or if another thread is stopping it: this call has then waited for that
// thread, within a bound.
bool EndRecording(RecordState why);
// The program's exec has failed: changes the reported state from kReplaced to kFinished, or waits again for a session.
void TakeBackReplaced();

// In a forked child, before anything else: what belongs to its parent is forgotten. Result: the event by which the parent was recorded;
// kBest if it was not, or if this process is not to be.
platform::SampleEvent InheritRecording();
// In a forked child, once: starts a session of its own with the options of its parent. Raw system calls only, also in a handler.
void StartInForkedChild();

// The constructor calls these before the session starts.
// Finds the libc's functions that set signal actions (sigtrap_functions.cc).
void LearnSignalFunctions();
// Finds the libc's rt_sigreturn, which belongs to an action of SIGTRAP set by the program. Instead, where that is not possible:
// leaves it to the runtime to add one.
void LearnSignalRestorer();
void LeaveSignalRestorer();
// Finds the libc's sigaltstack, and how large a signal frame may be (small_stacks.cc).
void LearnAlternateStacks();
// Finds the libc's functions that wait for signals (trap_waits.cc).
void LearnTrapWaits();
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

// For the session that has just started: the program has done before what makes all reads guarded for good (vanishing_memory.cc).
void GuardReadsIfMemoryVanishes();

// True once the program has entered a sandbox that does not allow our system calls (sandbox.cc). Interposed functions then make only
// those of the libc's own function.
bool IsSandboxed();
// True if they may make others, to prepare that one: not in such a sandbox, nor in an app that links the library and has no session,
// which may be in a sandbox of which nobody knows.
bool MayAddCalls();
// The same, or one that does: programs that the program starts inherit it, and need more system calls to be recorded.
bool HasSeccompFilter();

// rt_sigaction(SIGTRAP), with its result (sigtrap_functions.cc).
long ExchangeKernelTrapAction(const platform::TrapAction* wish, platform::TrapAction* previous);
// `result` is that of a call which has set *pending to the pending signals. Removes SIGTRAP if no SIGTRAP but ours is pending
// (trap_waits.cc).
long WithoutOurTraps(long result, uint64_t* pending);
// Before exec. A SIGTRAP that the thread blocks would stay pending, and end the new program when it unblocks it (trap_waits.cc).
void RemovePendingTraps();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
