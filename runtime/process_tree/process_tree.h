// The processes that the recorded program starts: makes them record too, and lists them for the parent command.
//
// How: each recorded process adds the variables of record_protocol.h to the environment of the programs that it
//   executes or spawns. The preload library in the new program removes them again, so neither program sees them. The
//   new program opens the profile and the shared RecordTree through /proc/<parent command>/fd, because descriptors may
//   not survive (closefrom, close_fds). If the command runs as root and the program as another user, the program gets a
//   profile and tree of its own from the command (command_socket.h).
// Context: HasChildEnvironment and what it calls also run in vforked children: raw system calls, the caller's stack,
//   and atomic counts in the shared tree; no other memory is written.
// Limits: a process that installs a seccomp filter starts programs unrecorded, because they inherit the filter.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_TREE_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_TREE_H_

#include <cstdint>

#include "platform/base/status.h"
#include "runtime/process_tree/child_program.h"
#include "runtime/process_tree/option_string.h"
#include "runtime/process_tree/record_protocol.h"

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

// In OnLoad: from now on programs that this process starts are recorded, with the options of `text`, into `profile`.
// `text` must stay in memory. Does nothing if the variables are too long.
void FollowChildren(const char* text, const FollowedProfile& profile, RecordTree* tree);
// True if FollowChildren was called, the parent command still waits, and children can be recorded.
bool IsFollowing();
// The same for a program by which this process replaces itself (exec). Also true if this process waits to be triggered:
// then the new program waits, too.
bool IsFollowingExec();

// CLOCK_BOOTTIME by system call.
uint64_t BootTimeNs();

// EnterTree adds this process, whose session has started, to the tree; LeaveTree removes it when its profile is
// complete.
void EnterTree(uint32_t helper);
void LeaveTree();
// When this process entered the tree, on that clock; 0: it has not.
uint64_t SessionStartNs();
// Call it in a forked child: the tree entry is its parent's.
void ForgetTreeEntry();
// The tree; nullptr if this process follows nobody.
RecordTree* Tree();

// The environment with the added variables, for one that WantsEnvironment has accepted. Build fills `entries`, which
// has room for EntriesNeeded(environment) pointers, and `preload_text`, which has room for
// PreloadBytesNeeded(environment).
uint32_t EntriesNeeded(char* const* environment);
uint32_t PreloadBytesNeeded(char* const* environment);
void BuildEnvironment(char* const* environment, char** entries, char* preload_text);
// True if `environment` is to be replaced for a program for which CheckChildProgram returned `found`. Reports a program
// that cannot be recorded to the parent command. False if exec will fail with EFAULT, because `path` or `environment`
// cannot be read.
bool WantsEnvironment(Unrecordable found, const char* path, char* const* environment);

// Reports to the parent command, by the base name of `path`, a program that runs unrecorded. If the list is full, the
// program is only counted. A name that is already listed is not added again.
void NameSkipped(Unrecordable reason, const char* path);

// The same for a program that is started below a filter of the caller's, which may forbid our system calls. Nothing if
// there is none.
void NameFiltered(const char* path);

// Calls call(environment) with the added variables, if the program can be recorded, and again without them if they do
// not fit. `found` is evaluated by the caller only if IsFollowing().
template <typename Call>
__attribute__((noinline)) int CallWithEnvironment(char* const* environment, int too_long, Call call) {
  auto** entries = static_cast<char**>(__builtin_alloca(sizeof(char*) * EntriesNeeded(environment)));
  auto* preload_text = static_cast<char*>(__builtin_alloca(PreloadBytesNeeded(environment)));
  BuildEnvironment(environment, entries, preload_text);
  const int result = call(entries);
  return result == too_long ? call(environment) : result;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_PROCESS_TREE_H_
