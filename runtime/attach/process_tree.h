// The processes that the recorded program starts: hands the recording on to them, and lists them for the parent command.
//
// How: each recorded process adds the variables of record_protocol.h to the environment of the programs that it executes or spawns,
//   where the preload library of the new program removes them again. Neither program sees them. The new program opens the profile
//   and the shared RecordTree through /proc/<parent command>/fd, because descriptors may not survive (closefrom, close_fds). One that
//   runs as another user than root's command gets its own from the command (command_socket.h).
// Context: HasChildEnvironment and what it calls also run in vforked children: raw system calls, the caller's stack, and atomic
//   counts in the shared tree; no other memory is written.
// Limits: a process that installs a seccomp filter starts programs unrecorded, because they inherit the filter.
#ifndef SOFTLBR_RUNTIME_ATTACH_PROCESS_TREE_H_
#define SOFTLBR_RUNTIME_ATTACH_PROCESS_TREE_H_

#include <cstdint>

#include "platform/base/status.h"
#include "runtime/attach/child_program.h"
#include "runtime/attach/option_string.h"
#include "runtime/attach/record_protocol.h"

namespace softlbr {

// A caller's stack may be small: a larger environment is left as it is.
inline constexpr uint32_t kMostVariables = 2048;
inline constexpr uint32_t kMostPreloadBytes = 4096;

// Opens file descriptor `fd` of the parent command by its number. Negative errno on failure.
long OpenOfParent(int32_t parent, int32_t fd, bool is_profile);

// The profile, as programs that this process starts find it.
struct FollowedProfile {
  uint64_t identity;   // FileIdentity
  int32_t command;     // process id of the parent command
  int32_t fd;          // there
  const char* socket;  // its socket for other users; "": none
  bool is_wait;        // there is no profile: the process waits to be triggered
};

// In OnLoad: programs that this process starts are recorded, with the options of `text`, into that profile. `text` must stay. Does
// nothing if the variables are too long.
void FollowChildren(const char* text, const FollowedProfile& profile, RecordTree* tree);
// True if FollowChildren was called, the parent command still waits, and children can be recorded.
bool IsFollowing();
// The same for the program by which this process replaces itself. Also true if it waits to be triggered: then that program does, too.
bool IsFollowingExec();

// Enters this process, whose session has started, in the tree; and removes it, when its profile is complete.
void EnterTree(uint32_t helper);
void LeaveTree();
// This process was forked: the entry is its parent's.
void ForgetTreeEntry();
// The tree; nullptr if this process follows nobody.
RecordTree* Tree();

// The environment with the added variables, for one that WantsEnvironment has accepted. Build fills `entries`, which has room for
// EntriesNeeded(environment) pointers, and `preload_text`, which has room for PreloadBytesNeeded(environment).
uint32_t EntriesNeeded(char* const* environment);
uint32_t PreloadBytesNeeded(char* const* environment);
void BuildEnvironment(char* const* environment, char** entries, char* preload_text);
// True if `environment` is to be replaced for a program of which CheckChildProgram said `found`. Names the program, if it cannot be
// recorded, to the parent command. False where exec fails with EFAULT, because `path` or `environment` cannot be read.
bool WantsEnvironment(Unrecordable found, const char* path, char* const* environment);

// Calls call(environment) with the added variables, if the program can be recorded, and again without them if they do not fit.
// `found` is evaluated by the caller only if IsFollowing().
template <typename Call>
__attribute__((noinline)) int CallWithEnvironment(char* const* environment, int too_long, Call call) {
  auto** entries = static_cast<char**>(__builtin_alloca(sizeof(char*) * EntriesNeeded(environment)));
  auto* preload_text = static_cast<char*>(__builtin_alloca(PreloadBytesNeeded(environment)));
  BuildEnvironment(environment, entries, preload_text);
  const int result = call(entries);
  return result == too_long ? call(environment) : result;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_PROCESS_TREE_H_
