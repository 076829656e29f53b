// setns and unshare, where the control thread is in their way (namespace_functions.cc).
#ifndef SOFTLBR_RUNTIME_INTERPOSE_NAMESPACE_FUNCTIONS_H_
#define SOFTLBR_RUNTIME_INTERPOSE_NAMESPACE_FUNCTIONS_H_

namespace softlbr {

// As the libc's functions. The session is stopped for the time of a call that the kernel would refuse because of it.
int EnterNamespace(int fd, int flags);
int Unshare(int flags);
// The constructor calls it before the session starts.
void LearnNamespaceFunctions();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_INTERPOSE_NAMESPACE_FUNCTIONS_H_
