// libsoftlbr_preload.so: brings a session into an unmodified program (softlbr record; record_protocol.h).
//
// Who calls: the dynamic loader, before main (Begin) and after the program's own exit handlers (End); the program itself
//   through the functions replaced below, which end the session where exit handlers do not run.
// Memory: none but the runtime's. Environment: our variables are taken out before main sees them.
// In a forked or vforked child every entry does nothing: the session is the parent's.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/cpu_context.h"
#include "platform/dynamic_library.h"
#include "platform/file.h"
#include "platform/syscall.h"
#include "runtime/base/attributes.h"
#include "runtime/decoder_registry.h"
#include "runtime/include/softlbr/softlbr.h"
#include "runtime/preload/option_string.h"
#include "runtime/preload/record_protocol.h"
#include "runtime/session.h"

extern char** environ;

namespace softlbr {
namespace {

struct PreloadState {
  RecordStatus* status;  // shared with the parent; null without one
  int profile_fd;
};
SOFTLBR_CONSTINIT PreloadState g_state{nullptr, -1};

// The value of `name` if entry is "name=value", else nullptr.
char* ValueOf(char* entry, const char* name) {
  for (; *name != '\0'; ++name, ++entry) {
    if (*entry != *name) return nullptr;
  }
  return *entry == '=' ? entry + 1 : nullptr;
}

void RemoveEntry(uint64_t index) {
  for (; environ[index] != nullptr; ++index) environ[index] = environ[index + 1];
}

// Takes our library out of LD_PRELOAD, in place: it is the first name, up to the first ':' or ' '.
void RestorePreloadVariable() {
  for (uint64_t i = 0; environ[i] != nullptr; ++i) {
    char* value = ValueOf(environ[i], "LD_PRELOAD");
    if (value == nullptr) continue;
    const char* rest = value;
    while (*rest != '\0' && *rest != ':' && *rest != ' ') ++rest;
    if (*rest == '\0') {
      RemoveEntry(i);
    } else {
      ++rest;
      while ((*value++ = *rest++) != '\0') {
      }
    }
    return;
  }
}

// Finds our options, hides the variable and returns its value (which stays readable in the process's start-up area).
const char* TakeOptions() {
  if (environ == nullptr) return nullptr;
  for (uint64_t i = 0; environ[i] != nullptr; ++i) {
    const char* value = ValueOf(environ[i], kRecordOptionsVariable);
    if (value == nullptr) continue;
    RemoveEntry(i);
    return value;
  }
  return nullptr;
}

void Report(RecordState state, Status status, int system_error) {
  if (g_state.status == nullptr) return;
  g_state.status->status = static_cast<uint32_t>(status);
  g_state.status->system_error = static_cast<uint32_t>(system_error);
  __atomic_store_n(&g_state.status->state, static_cast<uint32_t>(state), __ATOMIC_RELEASE);
}

RecordStatus* MapStatus(int fd) {
  if (fd < 0) return nullptr;
  const long address =
      platform::SysCall(SYS_mmap, 0, sizeof(RecordStatus), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  platform::CloseFile(fd);
  if (address < 0 && address > -4096) return nullptr;
  return reinterpret_cast<RecordStatus*>(address);
}

// Out of the way of programs that count on low numbers, and not handed to children.
int MoveDescriptor(int fd) {
  constexpr long kHighDescriptor = 512;
  long moved = platform::SysCall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (moved < 0) moved = platform::SysCall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) return fd;
  platform::CloseFile(fd);
  return static_cast<int>(moved);
}

void End() {
  const Session* session = CurrentSession();
  if (session == nullptr) return;
  SessionCounters counters;
  CollectCounters(*session, &counters);
  const uint32_t event = session->info.event;
  const Status status = StopSession();
  if (g_state.status != nullptr) {
    g_state.status->taken_branches = counters.taken_branches;
    g_state.status->samples = counters.samples;
    g_state.status->event = event;
  }
  Report(RecordState::kFinished, status, 0);
  platform::CloseFile(g_state.profile_fd);
}

void Start(const char* text) {
  static AttachOptions options;  // 2 KiB that the program's stack need not hold
  if (!ParseOptionString(text, &options)) {
    Report(RecordState::kOptionsRefused, Status::kInvalidArgument, 0);
    return;
  }
  g_state.status = MapStatus(options.status_fd);
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
  options.session.sink_fd = g_state.profile_fd;
  if (options.decoder_path[0] != '\0') {
    const int loaded = softlbr_load_decoder(options.decoder_path);
    if (loaded != SOFTLBR_OK) {
      Report(RecordState::kDecoderFailed, static_cast<Status>(loaded), 0);
      return;
    }
  }
  SessionSettings settings;
  Status status = ResolveSettings(options.session, &settings);
  int system_error = 0;
  if (status == Status::kOk) status = StartSession(settings, RegisteredDecoder(), &system_error);
  Report(status == Status::kOk ? RecordState::kRunning : RecordState::kStartFailed, status, system_error);
}

__attribute__((constructor)) void OnLoad() {
  const char* text = TakeOptions();
  if (text == nullptr) return;
  RestorePreloadVariable();
  Start(text);
}

__attribute__((destructor)) void OnExit() { End(); }

}  // namespace
}  // namespace softlbr

extern "C" {

// Ends of a process that run no exit handler. The libc's own exit() does not come through here.
SOFTLBR_EXPORT __attribute__((noreturn)) void _exit(int code) {
  softlbr::End();
  for (;;) softlbr::platform::SysCall(SYS_exit_group, code);
}

SOFTLBR_EXPORT __attribute__((noreturn)) void _Exit(int code) { _exit(code); }

// The new program starts untraced; what was recorded of this one is written first. If the call fails the program goes on,
// untraced.
SOFTLBR_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) {
  softlbr::End();
  using Function = int (*)(const char*, char* const[], char* const[]);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "execve"))(path, arguments, environment);
}

SOFTLBR_EXPORT int execv(const char* path, char* const arguments[]) {
  softlbr::End();
  using Function = int (*)(const char*, char* const[]);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "execv"))(path, arguments);
}

SOFTLBR_EXPORT int execvp(const char* file, char* const arguments[]) {
  softlbr::End();
  using Function = int (*)(const char*, char* const[]);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "execvp"))(file, arguments);
}

SOFTLBR_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) {
  softlbr::End();
  using Function = int (*)(const char*, char* const[], char* const[]);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "execvpe"))(file, arguments, environment);
}

}  // extern "C"
