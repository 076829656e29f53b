// /proc/PID/environ of a recorded program shows its own variables only.
#ifndef SOFTLBR_RUNTIME_ATTACH_SHOWN_ENVIRONMENT_H_
#define SOFTLBR_RUNTIME_ATTACH_SHOWN_ENVIRONMENT_H_

namespace softlbr {

// Where the kernel has put the end of the environment's strings. Call it before a session starts: what the libc does
// for us would be recorded as the program's.
char* EndOfEnvironment();
// Call it in the constructor, once the options of TakeStartOptions have been read: they are overwritten.
void HideOwnVariables(char* options, char* end);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_SHOWN_ENVIRONMENT_H_
