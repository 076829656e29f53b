// The program's way into a seccomp sandbox.
#ifndef SOFTLBR_RUNTIME_ATTACH_SANDBOX_H_
#define SOFTLBR_RUNTIME_ATTACH_SANDBOX_H_

namespace softlbr {

// The calling thread is about to make prctl(PR_SET_SECCOMP, ...) or seccomp(...) with these arguments. Afterwards no system call of
// ours is made on the program's threads, unless the filter allows every one of them.
void BeforeSeccompPrctl(long option, long mode, long filter);
void BeforeSeccomp(long operation, long flags, long filter);
// Finds the libc's prctl.
void LearnPrctl();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_SANDBOX_H_
