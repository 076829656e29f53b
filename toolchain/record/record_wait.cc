#include "toolchain/record/record_wait.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "platform/base/status.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/trigger/control_client.h"

namespace softlbr::toolchain {
namespace {

constexpr int kMostStartMs = 30000;   // time of the program's loader, on a busy machine
constexpr int kMostReplaceMs = 2000;  // time of the loader of a program that replaces it at once

RecordState ReportedState(const RecordStatus& status) {
  return static_cast<RecordState>(__atomic_load_n(&status.state, __ATOMIC_ACQUIRE));
}

// True if waitpid would report something of it.
bool HasEndedOrStopped(pid_t program) {
  siginfo_t info{};
  const int result = waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT);
  return (result != 0 && errno != EINTR) || info.si_pid != 0;
}

std::optional<ControlSocket> SocketOf(pid_t program) {
  try {
    for (ControlSocket& socket : FindControlSockets(DefaultControlFolder())) {
      if (socket.pid == program) return std::move(socket);
    }
  } catch (const StatedFailure&) {  // its folder is another one
  }
  return std::nullopt;
}

std::string WhyNotTriggered(const RecordStatus& status) {
  switch (ReportedState(status)) {
    case RecordState::kNotStarted:
      return "cannot be triggered: the preload library did not run; `softlbr doctor` checks the installation";
    case RecordState::kSandboxed:
      return "entered a sandbox (seccomp or system call dispatch), and could be triggered until then";
    case RecordState::kNoEntryLeft: return "came to the limit of processes, and could be triggered until then";
    case RecordState::kServesFaults:
      return "serves page faults itself (userfaultfd), and could be triggered until then";
    case RecordState::kReplaced:
      return "replaced itself by a program that cannot be recorded (exec), and could be triggered until then";
    case RecordState::kStartFailed:
      switch (static_cast<Status>(status.status)) {
        case Status::kFolderIsLink:
        case Status::kFolderOfAnother:
        case Status::kFolderOpenToOthers:
        case Status::kFolderNotWritable:
        case Status::kSocketNameTaken:
        case Status::kSocketInUse:
          return "cannot be triggered: " + SafeText(DefaultControlFolder()) + ": " + StatusText(status.status) +
                 "; or set XDG_RUNTIME_DIR";
        case Status::kFolderMissing:
        case Status::kSystemError:
          return "cannot be triggered: its socket cannot be made in " + SafeText(DefaultControlFolder()) +
                 "; make the folder above it, or set XDG_RUNTIME_DIR";
        default: return "cannot be triggered: " + StatusText(status.status);
      }
    default: return "cannot be triggered: command and preload library do not match; install both from one build";
  }
}

bool CanBeTriggered(RecordState state) { return state == RecordState::kWaiting || state == RecordState::kFinished; }

bool HasWaited(RecordState state) {
  return CanBeTriggered(state) || state == RecordState::kReplaced || state == RecordState::kSandboxed ||
         state == RecordState::kServesFaults || state == RecordState::kNoEntryLeft;
}

}  // namespace

void WaitingProgram::Tell() {
  const RecordState state = ReportedState(*status_);
  if (CanBeTriggered(state)) return;
  has_told_ = true;
  if (is_quiet_ && HasWaited(state)) return;
  Say("the program " + WhyNotTriggered(*status_));
}

void WaitingProgram::OnStarted(pid_t program) {
  program_ = program;
  for (int waited_ms = 0; ReportedState(*status_) == RecordState::kNotStarted && waited_ms < kMostStartMs;
       ++waited_ms) {
    if (HasEndedOrStopped(program)) return;
    usleep(1000);
  }
  for (int waited_ms = 0; ReportedState(*status_) == RecordState::kReplaced && waited_ms < kMostReplaceMs;
       ++waited_ms) {
    if (HasEndedOrStopped(program)) return;
    usleep(1000);
  }
  if (ReportedState(*status_) == RecordState::kReplaced) return;  // if it stays so, OnEnd tells the user
  if (ReportedState(*status_) != RecordState::kWaiting) return Tell();
  if (is_quiet_) return;
  const std::optional<ControlSocket> socket = SocketOf(program);
  const std::string id = std::to_string(program);
  const std::string shown = socket.has_value() ? SafeText(socket->program) + " (" + id + ")" : id;
  Say(shown + " waits; `softlbr trigger " + id + "` records it, for ten seconds or until Ctrl-C there");
}

bool WaitingProgram::OnEnd() {
  if (!has_told_) Tell();
  if (ReportedState(*status_) == RecordState::kWaiting) {  // it was killed, or ended without our functions
    const std::optional<ControlSocket> left = SocketOf(program_);
    if (left.has_value()) unlink(left->path.c_str());
  }
  return HasWaited(ReportedState(*status_));
}

}  // namespace softlbr::toolchain
