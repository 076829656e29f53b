#include "runtime/process_tree/process_recording.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "platform/base/attributes.h"
#include "platform/file.h"
#include "platform/syscall.h"
#include "runtime/api/decoder_registry.h"
#include "runtime/api/start_stop.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/process_tree/command_socket.h"
#include "runtime/process_tree/forked_child.h"
#include "runtime/process_tree/option_string.h"
#include "runtime/process_tree/process_entries.h"
#include "runtime/process_tree/process_frame.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/process_tree/process_tree.h"
#include "runtime/process_tree/trigger_wait.h"
#include "runtime/session/session.h"
#include "runtime/watch/pacing.h"

// The linked-in decoder of this CPU; CMake defines its name.
extern "C" const softlbr_decoder_plugin* SOFTLBR_HOST_DECODER(void);

namespace softlbr {
namespace {

struct RecordingState {
  RecordStatus* status;  // shared with the parent command; null without one, and in a process of the tree but the first
  int profile_fd;
  uint64_t profile_identity;    // identifies its file: the program may close the descriptor and reuse its number
  int32_t profile_of_command;   // the descriptor's number in the parent command
  platform::SampleEvent event;  // of the session; kBest: none was started, or it has ended
  uint64_t earlier_branches;    // of this process's sessions before the present one (RecordingPause)
  uint64_t earlier_samples;
};
SOFTLBR_CONSTINIT RecordingState g_state{nullptr, -1, 0, -1, platform::SampleEvent::kBest, 0, 0};
SOFTLBR_CONSTINIT AttachOptions g_options{};  // 2 KiB may be too much for the program's stack

void Report(RecordState state, Status status, int system_error) {
  if (g_state.status == nullptr) {
    const bool has_failed = state == RecordState::kStartFailed;
    RecordTree* tree = Tree();
    if (tree != nullptr && (state == RecordState::kNoEntryLeft || (has_failed && AreEntriesShort()))) {
      __atomic_fetch_add(&tree->entry_losses, 1, __ATOMIC_RELAXED);
    } else if (tree != nullptr && has_failed) {
      const uint32_t failure = static_cast<uint32_t>(status) | static_cast<uint32_t>(system_error) << 16;
      __atomic_store_n(&tree->start_failure, failure, __ATOMIC_RELAXED);
      __atomic_fetch_add(&tree->start_failures, 1, __ATOMIC_RELAXED);
    }
    return;
  }
  g_state.status->status = static_cast<uint32_t>(status);
  g_state.status->system_error = static_cast<uint32_t>(system_error);
  __atomic_store_n(&g_state.status->state, static_cast<uint32_t>(state), __ATOMIC_RELEASE);
}

void* MapShared(int fd, uint64_t bytes) {
  if (fd < 0) return nullptr;
  long address = -1;
  if (platform::SysCall(SYS_lseek, fd, 0, SEEK_END) >= static_cast<long>(bytes)) {
    address = platform::SysCall(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  platform::CloseFile(fd);
  return address < 0 ? nullptr : reinterpret_cast<void*>(address);
}

// Moves fd to a high number, because programs may rely on low ones, and marks it close-on-exec.
int MoveDescriptor(int fd) {
  constexpr long kHighDescriptor = 512;
  long moved = platform::SysCall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (moved < 0) moved = platform::SysCall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) return fd;
  platform::CloseFile(fd);
  return static_cast<int>(moved);
}

bool IsStatus(const RecordStatus& status) {
  for (uint32_t i = 0; i < sizeof kRecordStatusMagic; ++i) {
    if (status.magic[i] != kRecordStatusMagic[i]) return false;
  }
  return true;
}

// Maps the memory shared with the parent command. In a program that a recorded process starts it also replaces the
// descriptors' numbers by descriptors of our own. False if the parent has ended, or cannot be found from here.
bool JoinParent(const char* text, AttachOptions* options) {
  if (options->record_process == 0) {
    g_state.status = static_cast<RecordStatus*>(MapShared(options->status_fd, sizeof(RecordStatus)));
    return true;
  }
  g_state.profile_of_command = options->profile_fd;
  if (options->again != 0) {
    options->profile_fd = static_cast<int32_t>(OpenOfParent(options->record_process, options->profile_fd, true));
    options->status_fd = static_cast<int32_t>(OpenOfParent(options->record_process, options->status_fd, false));
    const bool is_same = options->profile_fd >= 0 && platform::FileIdentity(options->profile_fd) == options->again;
    if (options->profile_fd < 0 && options->status_fd < 0) {
      CommandFiles files;
      if (!AskCommand(options->socket_name, &files)) return false;
      options->profile_fd = files.profile_fd;
      options->status_fd = files.tree_fd;
    } else if (!is_same) {
      if (options->profile_fd >= 0) platform::CloseFile(options->profile_fd);
      if (options->status_fd >= 0) platform::CloseFile(options->status_fd);
      return false;
    }
  }
  const uint64_t identity = platform::FileIdentity(options->profile_fd);  // while it is open
  auto* tree = static_cast<RecordTree*>(MapShared(options->status_fd, sizeof(RecordTree)));
  if (options->waits != 0) {
    if (options->profile_fd != options->status_fd) platform::CloseFile(options->profile_fd);
    options->profile_fd = -1;
  }
  if (tree == nullptr || !IsStatus(tree->program) || __atomic_load_n(&tree->has_ended, __ATOMIC_RELAXED) != 0) {
    platform::CloseFile(options->profile_fd);
    return false;
  }
  const auto process = static_cast<uint32_t>(platform::CurrentProcessId());
  if (options->again == 0) tree->program_id = process;
  if (tree->program_id == process) g_state.status = &tree->program;
  FollowChildren(
      text, {identity, options->record_process, g_state.profile_of_command, options->socket_name, options->waits != 0},
      tree);
  return true;
}

// Starts the session, with the profile open.
Status StartRecording() {
  SessionSettings settings;
  Status status = ResolveSettings(g_options.session, &settings);
  int system_error = 0;
  settings.is_first_sample_early = settings.is_budget_falling && g_state.status != nullptr;
  LeaveLibraryOut();
  if (status == Status::kOk) status = StartSession(settings, RegisteredDecoder(), &system_error);
  const Session* session = CurrentSession();
  if (session != nullptr && session->control.thread.is_helper && g_state.status != nullptr) {
    g_state.status->helper = static_cast<uint64_t>(session->control.tid);
  }
  GuardReadsIfMemoryVanishes();
  if (session != nullptr && status == Status::kOk) {
    g_state.event = static_cast<platform::SampleEvent>(session->info.event);
    (void)WriteProcessFrame(g_state.profile_fd, session->info.session_id);
    EnterTree(session->control.thread.is_helper ? static_cast<uint32_t>(session->control.tid) : 0);
  }
  Report(status == Status::kOk ? RecordState::kRunning : RecordState::kStartFailed, status, system_error);
  return status;
}

// Opens the profile again if the program has closed it. False if that is not possible.
bool HasProfile() {
  if (platform::FileIdentity(g_state.profile_fd) == g_state.profile_identity) return true;
  long fd = OpenOfParent(g_options.record_process, g_state.profile_of_command, true);
  CommandFiles files;
  if (fd < 0 && AskCommand(g_options.socket_name, &files)) {
    platform::CloseFile(files.tree_fd);
    fd = files.profile_fd;
  }
  const bool is_same = fd >= 0 && platform::FileIdentity(static_cast<int>(fd)) == g_state.profile_identity;
  if (fd >= 0 && !is_same) platform::CloseFile(static_cast<int>(fd));
  if (!is_same) return false;
  g_state.profile_fd = MoveDescriptor(static_cast<int>(fd));
  g_options.session.sink_fd = g_state.profile_fd;
  return true;
}

// Records nothing until somebody asks for a session.
void WaitForTrigger() {
  const int status = BeginWaiting();
  Report(status == SOFTLBR_OK ? RecordState::kWaiting : RecordState::kStartFailed, static_cast<Status>(status), 0);
}

// True in a program that another one of the tree has started, if samples come so seldom that it loses none while it
// waits. Thread timers are for processes that may open no perf event, as the alarm is.
bool MayWaitForWork() {
  constexpr uint64_t kSeldomNs = 1000000;
  auto event = static_cast<platform::SampleEvent>(g_options.session.event);
  if (Tree() == nullptr || g_state.status != nullptr || event == platform::SampleEvent::kThreadTimer) return false;
  if (g_options.session.period == 0) event = platform::SampleEvent::kTaskClock;
  return WantedPeriod(g_options.session, event) >= kSeldomNs;
}

// A process that has worked for so long should have had a session.
void ReportLostAlarm() {
  constexpr uint64_t kWorthwhileNs = 20000000;
  timespec used{};
  platform::SysCall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, reinterpret_cast<long>(&used));
  if (static_cast<uint64_t>(used.tv_sec) * 1000000000 + static_cast<uint64_t>(used.tv_nsec) < kWorthwhileNs) return;
  char path[256];
  const long length = platform::SysCall(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                                        reinterpret_cast<long>(path), sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  NameSkipped(Unrecordable::kClosesDescriptors, path);
}

}  // namespace

void BeginRecording(const char* text) {
  AttachOptions& options = g_options;
  const bool is_understood = ParseOptionString(text, &options);
  // Joins in any case: if `softlbr record` wrote the text, the options for joining come before any that is not
  // understood.
  if (!JoinParent(text, &options)) return;
  if (!is_understood) {
    Report(RecordState::kOptionsRefused, Status::kInvalidArgument, 0);
    return;
  }
  if (options.profile_fd >= 0) {
    g_state.profile_fd = MoveDescriptor(options.profile_fd);
  } else if (options.out_path[0] != '\0') {
    const long fd = platform::OpenForWrite(options.out_path);
    if (fd < 0) {
      Report(RecordState::kStartFailed, Status::kSystemError, static_cast<int>(-fd));
      return;
    }
    g_state.profile_fd = MoveDescriptor(static_cast<int>(fd));
  }
  if (IsSandboxed()) {  // by a constructor that has run before ours
    Report(RecordState::kSandboxed, Status::kOk, 0);
    return;
  }
  SetLabels(&options);
  options.session.sink_fd = g_state.profile_fd;
  g_state.profile_identity = platform::FileIdentity(g_state.profile_fd);
  if (softlbr_register_decoder(SOFTLBR_HOST_DECODER()) != SOFTLBR_OK) return;
  if (options.waits != 0) return WaitForTrigger();
  // Before the session starts, else the loader's branches would be recorded as the program's.
  if (Tree() != nullptr) FollowForks();
  if (MayWaitForWork() && StartOnceItWorks()) {
    g_state.event = platform::SampleEvent::kTaskClock;
    return;
  }
  (void)StartRecording();
}

bool EndRecording(RecordState why) {
  if (EndWaiting()) {
    Report(why, Status::kOk, 0);
    return true;
  }
  Session* session = ClaimForStop();
  if (session == nullptr) {
    if (why == RecordState::kFinished && IsAlarmLost()) ReportLostAlarm();
    return false;
  }
  g_state.event = platform::SampleEvent::kBest;
  SessionCounters counters;
  CollectCounters(*session, &counters);
  const uint32_t event = session->info.event;
  const Status status = StopClaimedSession(session);
  if (g_state.status != nullptr) {
    g_state.status->taken_branches = g_state.earlier_branches + counters.taken_branches;
    g_state.status->samples = g_state.earlier_samples + counters.samples;
    g_state.status->event = event;
  }
  Report(why, status, 0);
  LeaveTree();
  if (platform::FileIdentity(g_state.profile_fd) == g_state.profile_identity) platform::CloseFile(g_state.profile_fd);
  ReleaseClaim();
  return true;
}

platform::SampleEvent InheritRecording() {
  g_state.status = nullptr;
  g_state.earlier_branches = g_state.earlier_samples = 0;
  ForgetTreeEntry();
  if (IsSandboxed() || !IsFollowing()) return platform::SampleEvent::kBest;
  return g_state.event;
}

void StartInForkedChild() {
  if (IsSandboxed() || !IsFollowing()) return;
  if (!HasProfile()) {
    Report(RecordState::kStartFailed, Status::kSystemError, 0);
    return;
  }
  (void)StartRecording();
}

// The profile stays open, and the command is told nothing.
RecordingPause::RecordingPause() {
  was_waiting_ = EndWaiting();
  Session* session = was_waiting_ ? nullptr : ClaimForStop();
  if (session == nullptr) return;
  was_recording_ = true;
  SessionCounters counters;
  CollectCounters(*session, &counters);
  g_state.earlier_branches += counters.taken_branches;
  g_state.earlier_samples += counters.samples;
  (void)StopClaimedSession(session);
  LeaveTree();
  ReleaseClaim();
}

RecordingPause::~RecordingPause() {
  if (was_waiting_) WaitForTrigger();
  if (was_recording_) {
    const bool has_ended = Tree() != nullptr && __atomic_load_n(&Tree()->has_ended, __ATOMIC_RELAXED) != 0;
    // Under a filter a session may go on, but none may start (sandbox.cc).
    if (HasSeccompFilter()) {
      Report(RecordState::kSandboxed, Status::kOk, 0);
    } else if (has_ended || !HasProfile() || StartRecording() != Status::kOk) {
      Report(RecordState::kFinished, Status::kOk, 0);
    }
  }
}

void TakeBackReplaced() {
  if (g_options.waits != 0) return WaitForTrigger();
  if (g_state.status != nullptr) Report(RecordState::kFinished, static_cast<Status>(g_state.status->status), 0);
}

}  // namespace softlbr
