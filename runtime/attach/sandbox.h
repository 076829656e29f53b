// The program's way into a sandbox.
#ifndef SOFTLBR_RUNTIME_ATTACH_SANDBOX_H_
#define SOFTLBR_RUNTIME_ATTACH_SANDBOX_H_

namespace softlbr {

// The calling thread is about to make prctl(option, mode, filter) or seccomp(...) with these arguments. If that leads into a sandbox,
// no system call of ours is made on the program's threads afterwards, unless the filter allows every one of them.
void BeforeSandboxPrctl(long option, long mode, long filter);
void BeforeSeccomp(long operation, long flags, long filter);
// Finds the libc's prctl.
void LearnPrctl();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_SANDBOX_H_
