// /proc/PID/environ of a recorded program shows its own variables only.
#ifndef SOFTLBR_RUNTIME_ATTACH_SHOWN_ENVIRONMENT_H_
#define SOFTLBR_RUNTIME_ATTACH_SHOWN_ENVIRONMENT_H_

namespace softlbr {

// Call it in the constructor, once the options of TakeStartOptions have been read: they are overwritten.
void HideOwnVariables(char* options);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_SHOWN_ENVIRONMENT_H_
