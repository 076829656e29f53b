// Sandboxes that the program enters.
#ifndef SOFTLBR_RUNTIME_INTERPOSE_SANDBOX_H_
#define SOFTLBR_RUNTIME_INTERPOSE_SANDBOX_H_

namespace softlbr {

// Call it when the calling thread is about to call prctl(option, mode, filter) or seccomp(...) with these arguments. If
// the call enters a sandbox whose filter does not allow every system call of ours, none is made on the program's
// threads afterwards.
void BeforeSandboxPrctl(long option, long mode, long filter);
void BeforeSeccomp(long operation, long flags, long filter);
// Finds the libc's prctl.
void LearnPrctl();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_INTERPOSE_SANDBOX_H_
