// Calls between the functions of libc that we replace, and to them from the preload library's constructor.
#ifndef SOFTLBR_RUNTIME_INTERPOSE_REPLACED_FUNCTIONS_H_
#define SOFTLBR_RUNTIME_INTERPOSE_REPLACED_FUNCTIONS_H_

#include <signal.h>
#include <time.h>

#include <cstdint>

#include "platform/trap_signal.h"

// A definition must repeat the exception specification of its declaration: glibc's headers say __THROW, those of musl
// and Android say nothing. Include after the libc's headers.
#ifdef __THROW
#define SOFTLBR_LIBC_NOTHROW __THROW
#else
#define SOFTLBR_LIBC_NOTHROW
#endif

// Not in every libc's headers.
extern "C" int execveat(int folder, const char* path, char* const arguments[], char* const environment[],
                        int flags) SOFTLBR_LIBC_NOTHROW;

namespace softlbr {

// The constructor calls these before the session starts.
// Finds the libc's functions that set signal actions (sigtrap_functions.cc).
void LearnSignalFunctions();
// Finds the libc's rt_sigreturn, which a SIGTRAP action set by the program needs. If that is not possible, call
// LeaveSignalRestorer instead: the runtime then adds one of its own.
void LearnSignalRestorer();
void LeaveSignalRestorer();
// Finds the libc's sigaltstack and munmap, and how large a signal frame may be (small_stacks.cc).
void LearnAlternateStacks();
// Finds the libc's functions that wait for signals (trap_waits.cc).
void LearnTrapWaits();
// Finds the libc's functions that block signals (signal_masks.cc).
void LearnSignalMasks();
// Call it before the calling thread may block SIGTRAP: ends its trace if that waits for a breakpoint. Any thread and
// context.
void DisarmBeforeMaskChange();
// Finds the libc's functions of the exec family (process_end.cc).
void LearnExecFunctions();
// Finds the libc's fork, _Fork and vfork (fork_functions.cc).
void LearnForkFunctions();
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

// True if interposed functions may make further system calls to prepare the libc's. False in such a sandbox, and in an
// app that links the library and has no session, because it may be in a sandbox that we have not seen it enter.
bool MayAddCalls();
// rt_sigaction(SIGTRAP), with its result (sigtrap_functions.cc).
long ExchangeKernelTrapAction(const platform::TrapAction* wish, platform::TrapAction* previous);
// `result` is that of a call which has set *pending to the pending signals. Removes SIGTRAP if no SIGTRAP but ours is
// pending (trap_waits.cc).
long WithoutOurTraps(long result, uint64_t* pending);
// rt_sigtimedwait, with its result as libc's syscall() has it, for usable addresses; skips our traps. No cancellation
// point (trap_waits.cc).
long WaitBySystemCall(const sigset_t* set, siginfo_t* info, const timespec* timeout);
// Before exec. A SIGTRAP that is pending because the thread blocks it would stay so, and kill the new program once that
// unblocks it (trap_waits.cc).
void RemovePendingTraps();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_INTERPOSE_REPLACED_FUNCTIONS_H_
