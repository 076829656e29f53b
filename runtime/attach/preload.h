// What the parts of libsoftlbr_preload.so know of each other.
#ifndef SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
#define SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_

#include "runtime/attach/record_protocol.h"

// What glibc's headers say of a function that raises nothing, and those of musl and Android do not: a definition has to agree
// with its declaration. After the libc's headers.
#ifdef __THROW
#define SOFTLBR_LIBC_NOTHROW __THROW
#else
#define SOFTLBR_LIBC_NOTHROW
#endif

namespace softlbr {

// Stops the session, if this process has one, and tells the parent command why it ended: kFinished or kReplaced. False if there was
// nothing to stop, or if another thread has been stopping it: then this call has waited for that one, within a bound.
bool EndRecording(RecordState why);
// A program that was about to be replaced is still here: its exec failed.
void TakeBackReplaced();

// Before the session starts: finds the libc's functions and how it returns from handlers (sigtrap_functions.cc).
void LearnSignalRestorer();

// Before the session starts: finds the libc's functions that wait for signals (trap_waits.cc).
void LearnTrapWaits();

// Before the session starts: finds the libc's functions of the exec family (process_end.cc).
void LearnExecFunctions();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_PRELOAD_H_
