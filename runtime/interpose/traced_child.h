// The program's ptrace.
#ifndef SOFTLBR_RUNTIME_INTERPOSE_TRACED_CHILD_H_
#define SOFTLBR_RUNTIME_INTERPOSE_TRACED_CHILD_H_

namespace softlbr {

// Finds the libc's ptrace.
void LearnPtrace();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_INTERPOSE_TRACED_CHILD_H_
