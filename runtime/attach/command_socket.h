// Asks the parent command for a profile and a RecordTree that this process's user may write (toolchain/commands/record_users.h).
//
// Why: a program of another user may not open the descriptors of a command that runs as root, and must not: what it could write there,
//   it could forge for the processes of root.
// Trust: the command takes the user from the kernel, and this process makes sure that root answers. The socket is abstract, so it has
//   no permissions: its name is random, and known to recorded processes only.
// Context: any thread, also in a vforked child: raw system calls, the caller's stack, no other memory written. Waits at most a second.
#ifndef SOFTLBR_RUNTIME_ATTACH_COMMAND_SOCKET_H_
#define SOFTLBR_RUNTIME_ATTACH_COMMAND_SOCKET_H_

namespace softlbr {

struct CommandFiles {
  int profile_fd;
  int tree_fd;
};

// name: of the abstract socket; "" has none. False, and nothing is open, if the command gives nothing: it is not there, or this process
// runs as the command's user or in another process namespace. The descriptors are close-on-exec.
bool AskCommand(const char* name, CommandFiles* files);
// True if AskCommand would succeed.
bool MayAskCommand(const char* name);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_COMMAND_SOCKET_H_
