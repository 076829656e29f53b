// The program locks its memory.
#ifndef SOFTLBR_RUNTIME_INTERPOSE_MEMORY_LOCK_H_
#define SOFTLBR_RUNTIME_INTERPOSE_MEMORY_LOCK_H_

namespace softlbr {

// mlockall, with its result and errno.
int LockMemory(int flags);
// Finds the libc's mlockall.
void LearnMemoryLock();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_INTERPOSE_MEMORY_LOCK_H_
