// Calls between the parts of libsoftlbr_preload.so.
#ifndef SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
#define SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_

#include "runtime/attach/record_protocol.h"

// A definition must repeat the exception specification of its declaration: glibc's headers say __THROW, those of musl and Android
// say nothing. Include after the libc's headers.
#ifdef __THROW
#define SOFTLBR_LIBC_NOTHROW __THROW
#else
#define SOFTLBR_LIBC_NOTHROW
#endif

namespace softlbr {

// Stops the session, if this process has one, and tells the parent command why it ended: kFinished or kReplaced. False if there was
// no session, or if another thread is stopping it: this call has then waited for that thread, within a bound.
bool EndRecording(RecordState why);
// The program's exec has failed: changes the reported state from kReplaced to kFinished.
void TakeBackReplaced();

// The constructor calls these three before the session starts.
// Finds the libc's functions that set signal actions, and its rt_sigreturn (sigtrap_functions.cc).
void LearnSignalRestorer();
// Finds the libc's functions that wait for signals (trap_waits.cc).
void LearnTrapWaits();
// Finds the libc's functions of the exec family (process_end.cc).
void LearnExecFunctions();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
