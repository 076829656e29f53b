// Runs a program as the command's child, so that to the process that started it, the command behaves like the program.
//
// Signals. A signal that would end or stop the command is passed on to the program, and the command stays until the
//   program ends. One that the terminal sends to the process group is not passed on, because the program has received
//   it too. A sender other than the terminal that signals the whole group reaches the program twice.
// After its end. SIGHUP, SIGINT, SIGQUIT and SIGTERM have no effect on the command any more: `timeout -s INT` sends the
//   signal twice, to the command and to its group, and what was recorded must be complete before the command ends. It
//   waits ten seconds at most for that.
// Stops. When the program stops, the command stops itself with the same signal; when the command is continued, it
//   continues the program. Shells and their job control thus see one process.
// Tracing. A program that calls ptrace(PTRACE_TRACEME), to find out whether a debugger is attached, makes the command
//   its tracer. The command then delivers each signal at which the program stops, and resumes it.
#ifndef SOFTLBR_TOOLCHAIN_BASE_RECORDED_PROGRAM_H_
#define SOFTLBR_TOOLCHAIN_BASE_RECORDED_PROGRAM_H_

#include <sys/types.h>

#include <functional>

namespace softlbr::toolchain {

struct ProgramEnd {
  int exec_error;   // errno of the exec; 0 if the program ran
  int wait_status;  // as of waitpid
};

// Forks, calls `execute` in the child, and waits for the child's end. `execute` returns only if exec has failed, with
// its errno. If exec has succeeded, `started` is called with the child's process id, before anything waits for the
// child.
// Throws StatedFailure if there is no child. Afterwards the command's actions are as before for all signals but the
// four above.
ProgramEnd RunProgram(const std::function<int()>& execute, const std::function<void(pid_t)>& started = nullptr);

// The exit code of a command that could not run a program, as shells have it: 127 if there is no such program, 126
// otherwise.
int ExitCodeOfExecError(int exec_error);

// Ends this process as the program ended: returns its exit code, or dies of the same signal. If the program dumped
// core, so does this process, as far as that can be done without keeping the file: the shell then shows that core was
// dumped.
int EndAsProgramDid(int wait_status);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_RECORDED_PROGRAM_H_
