#include "runtime/process_tree/process_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/base/attributes.h"
#include "platform/file.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "runtime/libc/loaded_functions.h"
#include "runtime/libc/program_pointers.h"
#include "runtime/process_tree/command_socket.h"
#include "runtime/process_tree/process_state.h"

namespace softlbr {
namespace {

constexpr uint32_t kMostOptionBytes = 4096;
constexpr uint32_t kMostPathBytes = 4096;  // PATH_MAX
constexpr char kPreloadName[] = "LD_PRELOAD=";

struct TreeState {
  RecordTree* tree;  // null: only this process is recorded
  FollowedProfile profile;
  RecordMember* member;
  const char* library;  // path of this library
  char options[kMostOptionBytes];
  char filler[sizeof kRecordFillerVariable + 1];
};
SOFTLBR_CONSTINIT TreeState g_tree{};

// Appends to text that has room up to `end`; nullptr if it does not fit, or if `to` is nullptr.
char* Append(char* to, const char* end, const char* text) {
  if (to == nullptr) return nullptr;
  for (; *text != '\0'; ++text) {
    if (to + 1 >= end) return nullptr;
    *to++ = *text;
  }
  *to = '\0';
  return to;
}

char* AppendDecimal(char* to, const char* end, uint64_t number) {
  char digits[24];
  char* at = digits + sizeof digits;
  *--at = '\0';
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return Append(to, end, at);
}

// True if the variables can be read, as far as EntriesNeeded, PreloadBytesNeeded and BuildEnvironment read them.
bool IsReadableEnvironment(char* const* environment) {
  ReadableProbe entries;
  ReadableProbe texts;
  for (uint32_t i = 0; environment != nullptr && i < kMostVariables; ++i) {
    if (!entries.CanRead(environment + i, sizeof *environment)) return false;
    if (environment[i] == nullptr) break;
    if (!texts.CanReadText(environment[i], kMostPreloadBytes)) return false;
  }
  return true;
}

bool IsReadablePath(const char* path) { return path == nullptr || ReadableProbe().CanReadText(path, kMostPathBytes); }

// At most kMostPreloadBytes.
uint32_t Length(const char* text) {
  uint32_t length = 0;
  while (length < kMostPreloadBytes && text[length] != '\0') ++length;
  return length;
}

// The number of variables, at most kMostVariables.
uint32_t CountVariables(char* const* environment) {
  uint32_t count = 0;
  while (environment != nullptr && count < kMostVariables && environment[count] != nullptr) ++count;
  return count;
}

bool IsVariable(const char* entry, const char* name) {
  for (; *name != '\0'; ++name, ++entry) {
    if (*entry != *name) return false;
  }
  return *entry == '=';
}

// The value of a variable; nullptr if it is not set.
const char* ValueOf(const char* name, char* const* environment) {
  const uint32_t count = CountVariables(environment);
  for (uint32_t i = 0; i < count; ++i) {
    if (IsVariable(environment[i], name)) return environment[i] + Length(name) + 1;
  }
  return nullptr;
}

const char* PresentPreload(char* const* environment) { return ValueOf("LD_PRELOAD", environment); }

// Which one the loader reads depends on the program's libc: the last with glibc, the first with musl.
bool HasSeveralPreloads(char* const* environment) {
  const uint32_t count = CountVariables(environment);
  uint32_t found = 0;
  for (uint32_t i = 0; i < count; ++i) found += IsVariable(environment[i], "LD_PRELOAD") ? 1 : 0;
  return found > 1;
}

const char* BaseName(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

}  // namespace

void NameSkipped(Unrecordable reason, const char* path) {
  RecordTree* tree = g_tree.tree;
  __atomic_fetch_add(&tree->skipped, 1, __ATOMIC_RELAXED);
  const char* name = BaseName(path);
  for (RecordSkipped& entry : tree->skipped_programs) {
    uint32_t is_complete = __atomic_load_n(&entry.is_complete, __ATOMIC_ACQUIRE);
    if (is_complete == 0 &&
        __atomic_compare_exchange_n(&entry.is_complete, &is_complete, 2, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      entry.reason = static_cast<uint32_t>(reason);
      uint32_t i = 0;
      for (; name[i] != '\0' && i + 1 < sizeof entry.name; ++i) entry.name[i] = name[i];
      entry.name[i] = '\0';
      __atomic_store_n(&entry.is_complete, 1, __ATOMIC_RELEASE);
      return;
    }
    if (is_complete != 1 || entry.reason != static_cast<uint32_t>(reason)) continue;
    uint32_t i = 0;
    while (name[i] != '\0' && name[i] == entry.name[i]) ++i;
    if (entry.name[i] == '\0' && (name[i] == '\0' || i + 1 == sizeof entry.name)) return;
  }
}

namespace {

// Checked because a loader that cannot load the library prints that on the program's standard error. What can be read
// may still not be mapped as code: on a file system that is mounted noexec, or by a rule of a security module. Only a
// refusal counts: the new program has limits on memory of its own.
bool IsLibraryLoadable() {
  constexpr long kTrialBytes = 4096;
  const long fd =
      platform::SysCall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(g_tree.library), O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  const long address = platform::SysCall(SYS_mmap, 0, kTrialBytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  platform::CloseFile(static_cast<int>(fd));
  if (address == -EPERM || address == -EACCES) return false;
  if (address > 0) platform::SysCall(SYS_munmap, address, kTrialBytes);
  return true;
}

// "/proc/<process>"; the end of the text.
char* ProcessPath(char* to, const char* end, int32_t process) {
  return AppendDecimal(Append(to, end, "/proc/"), end, static_cast<uint64_t>(process));
}

// The new program opens the profile with the rights of this process, but without its capabilities unless the user is
// root.
bool MayOpenProfile() {
  const auto user = static_cast<uid_t>(platform::SysCall(SYS_geteuid));
  if (user != 0) {
    char path[32];
    (void)ProcessPath(path, path + sizeof path, g_tree.profile.command);
    struct stat command;
    if (platform::SysCall(SYS_newfstatat, AT_FDCWD, reinterpret_cast<long>(path), reinterpret_cast<long>(&command),
                          0) != 0 ||
        command.st_uid != user) {
      return false;
    }
  }
  const long fd = OpenOfParent(g_tree.profile.command, g_tree.profile.fd, true);
  if (fd >= 0) platform::CloseFile(static_cast<int>(fd));
  return fd != -EACCES && fd != -EPERM && fd != -ENOENT;
}

bool IsProfileInReach() { return MayOpenProfile() || MayAskCommand(g_tree.profile.socket); }

}  // namespace

uint64_t BootTimeNs() {
  timespec now{};
  platform::SysCall(SYS_clock_gettime, CLOCK_BOOTTIME, reinterpret_cast<long>(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

long OpenOfParent(int32_t parent, int32_t fd, bool is_profile) {
  char path[64];
  char* at = Append(ProcessPath(path, path + sizeof path, parent), path + sizeof path, "/fd/");
  (void)AppendDecimal(at, path + sizeof path, static_cast<uint64_t>(fd));
  const int flags = is_profile ? O_WRONLY | O_APPEND : O_RDWR;
  return platform::SysCall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags | O_CLOEXEC, 0);
}

void FollowChildren(const char* text, const FollowedProfile& profile, RecordTree* tree) {
  const char* library = OwnLibraryPath();
  if (library == nullptr || library[0] != '/') return;
  const char* rest = text;  // after the version and the key that the first process does not have
  while (*rest != '\0' && *rest != ';') ++rest;
  constexpr char kAgain[] = ";again=";
  uint32_t same = 0;
  while (kAgain[same] != '\0' && rest[same] == kAgain[same]) ++same;
  if (kAgain[same] == '\0') {
    rest += same;
    while (*rest != '\0' && *rest != ';') ++rest;
  }
  const char* end = g_tree.options + sizeof g_tree.options;
  char* at = Append(g_tree.options, end, kRecordOptionsVariable);
  at = Append(at, end, "=");
  at = Append(at, end, kRecordOptionsVersion);
  at = Append(at, end, kAgain);
  at = AppendDecimal(at, end, profile.identity);
  at = Append(at, end, rest);
  char* filler = Append(g_tree.filler, g_tree.filler + sizeof g_tree.filler, kRecordFillerVariable);
  if (at == nullptr || Append(filler, g_tree.filler + sizeof g_tree.filler, "=") == nullptr) return;
  g_tree.library = library;
  g_tree.profile = profile;
  g_tree.tree = tree;
}

RecordTree* Tree() { return g_tree.tree; }

bool IsFollowing() { return !g_tree.profile.is_wait && IsFollowingExec(); }

bool IsFollowingExec() {
  return g_tree.tree != nullptr && !HasSeccompFilter() &&
         __atomic_load_n(&g_tree.tree->has_ended, __ATOMIC_RELAXED) == 0;
}

void EnterTree(uint32_t helper) {
  RecordTree* tree = g_tree.tree;
  if (tree == nullptr) return;
  const uint32_t process = static_cast<uint32_t>(platform::CurrentProcessId());
  const uint32_t number = __atomic_fetch_add(&tree->sessions, 1, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < kMaxRecordMembers; ++i) {
    RecordMember& member = tree->members[(number + i) % kMaxRecordMembers];
    uint32_t expected = 0;
    if (!__atomic_compare_exchange_n(&member.process, &expected, process, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    member.session_ns = BootTimeNs();
    __atomic_store_n(&member.helper, helper, __ATOMIC_RELEASE);
    g_tree.member = &member;
    return;
  }
}

void LeaveTree() {
  if (g_tree.member == nullptr) return;
  __atomic_store_n(&g_tree.member->helper, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&g_tree.member->process, 0, __ATOMIC_RELEASE);
  g_tree.member = nullptr;
}

uint64_t SessionStartNs() { return g_tree.member != nullptr ? g_tree.member->session_ns : 0; }

void ForgetTreeEntry() { g_tree.member = nullptr; }

uint32_t EntriesNeeded(char* const* environment) {
  return CountVariables(environment) + 3;  // two variables and the null pointer
}

uint32_t PreloadBytesNeeded(char* const* environment) {
  const char* present = PresentPreload(environment);
  return sizeof kPreloadName + 1 + Length(g_tree.library) + (present != nullptr ? Length(present) : 0);
}

void BuildEnvironment(char* const* environment, char** entries, char* preload_text) {
  const char* present = PresentPreload(environment);
  const char* end = preload_text + PreloadBytesNeeded(environment);
  char* at = Append(Append(preload_text, end, kPreloadName), end, g_tree.library);
  if (present != nullptr) (void)Append(Append(at, end, ":"), end, present);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    *entries++ = IsVariable(*environment, "LD_PRELOAD") ? preload_text : *environment;
  }
  // The number of added variables is always even (start_environment.cc).
  *entries++ = present != nullptr ? g_tree.filler : preload_text;
  *entries++ = g_tree.options;
  *entries = nullptr;
}

void NameFiltered(const char* path) {
  if (g_tree.tree == nullptr || !HasSeccompFilter()) return;
  // To find out whether the path can be read takes a system call.
  const bool is_known = path != nullptr && !IsSandboxed() && IsReadablePath(path);
  NameSkipped(Unrecordable::kFiltered, is_known ? path : "a program");
}

bool WantsEnvironment(Unrecordable found, const char* path, char* const* environment) {
  if (!IsReadableEnvironment(environment) || !IsReadablePath(path)) return false;
  if (found == Unrecordable::kNot) {
    // If the program runs `softlbr record` itself, that sets the variables.
    if (ValueOf(kRecordOptionsVariable, environment) != nullptr) return false;
    const bool has_room =
        EntriesNeeded(environment) <= kMostVariables && PreloadBytesNeeded(environment) <= kMostPreloadBytes;
    if (!has_room) {
      found = Unrecordable::kNoRoom;
    } else if (HasSeveralPreloads(environment)) {
      found = Unrecordable::kSeveralPreloads;
    } else if (!IsLibraryLoadable()) {
      found = Unrecordable::kNoLibrary;
    } else if (!IsProfileInReach()) {
      found = Unrecordable::kOutOfReach;
    } else {
      return true;
    }
  }
  NameSkipped(found, path != nullptr ? path : "");
  return false;
}

}  // namespace softlbr
