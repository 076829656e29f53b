// Asks the parent command for a profile and a RecordTree that this process's user may write
// (toolchain/record/record_users.h).
//
// Why: a program of another user may not open the descriptors of a command that runs as root, and must not be able to:
//   with them it could forge data of root's processes.
// Trust: the command learns the user from the kernel, and this process checks that root answers. An abstract socket has
//   no permissions, so its name is random and known to recorded processes only.
// Context: any thread, also in a vforked child: raw system calls, the caller's stack, no other memory written. Waits at
// most a second.
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_COMMAND_SOCKET_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_COMMAND_SOCKET_H_

namespace softlbr {

struct CommandFiles {
  int profile_fd;
  int tree_fd;
};

// name: of the abstract socket; "": there is none. False, with nothing open, if the command gives nothing: it has
// ended, or this process runs as the command's user or in another process namespace. The descriptors are close-on-exec.
bool AskCommand(const char* name, CommandFiles* files);
// True if AskCommand would succeed.
bool MayAskCommand(const char* name);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_COMMAND_SOCKET_H_
