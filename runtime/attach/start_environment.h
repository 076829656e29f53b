// Removes our variables from the environment that the process started with.
//
// Who calls: the preload library's constructor, before main, in the only thread.
#ifndef SOFTLBR_RUNTIME_ATTACH_START_ENVIRONMENT_H_
#define SOFTLBR_RUNTIME_ATTACH_START_ENVIRONMENT_H_

namespace softlbr {

// Removes the variables of record_protocol.h, and our library's name from LD_PRELOAD. The value of the options
// variable, which stays readable in the process's start-up area; nullptr if there is none, and the environment is then
// left as it is.
const char* TakeStartOptions();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_START_ENVIRONMENT_H_
