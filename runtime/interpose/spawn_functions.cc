// Interposes the libc functions that start a program in a child in one call, so that the program is recorded if the
// command wants that (process_tree.h), and inherits an ignored SIGTRAP (platform/trap_loan.h). The exec functions, for
// children made by fork and vfork, are in process_end.cc.
//
// system and popen take the environment from `environ`, which points to the changed one during the call. Another thread
// would see that, so in a process of several threads their shell is not recorded.
//
// Who calls: the program, from any thread, also before and after the session.
// Not covered: raw system calls, and other libc functions that call these internally (wordexp).
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/base/attributes.h"
#include "platform/trap_loan.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_entries.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/process_tree/process_tree.h"

namespace softlbr {
namespace {

using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[],
                  char* const[]);
SOFTLBR_CONSTINIT NextFunction<Spawn> g_posix_spawn("posix_spawn");
SOFTLBR_CONSTINIT NextFunction<Spawn> g_posix_spawnp("posix_spawnp");
SOFTLBR_CONSTINIT NextFunction<int(const char*)> g_system("system");
SOFTLBR_CONSTINIT NextFunction<FILE*(const char*, const char*)> g_popen("popen");

template <typename Check>
int SpawnChild(NextFunction<Spawn>* next, Check check, pid_t* child, const char* path,
               const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes, char* const arguments[],
               char* const environment[]) {
  const auto spawn = [=](char* const* variables) {
    return CallWithEntries([=] { return next->Get()(child, path, actions, attributes, arguments, variables); },
                           [](int error) { return error == EAGAIN; });
  };
  NameFiltered(path);
  if (IsSandboxed()) return spawn(environment);
  const platform::TrapLoan loan;
  if (!IsFollowing() || !WantsEnvironment(check(), path, environment)) return spawn(environment);
  return CallWithEnvironment(environment, E2BIG, spawn);
}

// Calls start() with `environ` changed for the shell that it starts.
template <typename Start>
auto StartShell(Start start) {
  // Static, because the program may leave system() by longjmp; `environ` then still points to this environment.
  static char* entries[kMostVariables];
  static char preload_text[kMostPreloadBytes];
  const platform::TrapLoan loan;
  if (!IsFollowing() || environ == entries || !IsSingleThreaded() ||
      !WantsEnvironment(CheckChildProgram(AT_FDCWD, "/bin/sh"), "sh", environ)) {
    return start();
  }
  char** const own = environ;
  BuildEnvironment(own, entries, preload_text);
  environ = entries;
  const auto result = start();
  if (environ == entries) environ = own;
  return result;
}

// glibc returns the status of a shell that ended with 127, and sets errno, where it could not start one.
int RunShell(const char* command) {
  const int saved = errno;
  errno = 0;
  const int status =
      CallWithEntries([command] { return g_system.Get()(command); },
                      [](int result) { return (result == -1 || result == 127 << 8) && errno == EAGAIN; });
  if (errno == 0) errno = saved;
  return status;
}

}  // namespace

void LearnSpawnFunctions() {
  g_posix_spawn.Learn();
  g_posix_spawnp.Learn();
  g_system.Learn();
  g_popen.Learn();
}

}  // namespace softlbr

extern "C" {

SOFTLBR_EXPORT int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const arguments[],
                               char* const environment[]) {
  const auto check = [path] { return softlbr::CheckChildProgram(AT_FDCWD, path); };
  return softlbr::SpawnChild(&softlbr::g_posix_spawn, check, child, path, actions, attributes, arguments, environment);
}

SOFTLBR_EXPORT int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[],
                                char* const environment[]) {
  const auto check = [file] { return softlbr::CheckChildProgramInPath(file, getenv("PATH")); };
  return softlbr::SpawnChild(&softlbr::g_posix_spawnp, check, child, file, actions, attributes, arguments, environment);
}

// No samples are taken until the command has ended, if the program ignores SIGTRAP.
SOFTLBR_EXPORT int system(const char* command) {
  if (softlbr::IsSandboxed() || command == nullptr) return softlbr::g_system.Get()(command);
  return softlbr::StartShell([command] { return softlbr::RunShell(command); });
}

// glibc reports ENOMEM where it could not start the shell.
SOFTLBR_EXPORT FILE* popen(const char* command, const char* mode) {
  if (softlbr::IsSandboxed()) return softlbr::g_popen.Get()(command, mode);
  return softlbr::StartShell([command, mode] {
    return softlbr::CallWithEntries([command, mode] { return softlbr::g_popen.Get()(command, mode); },
                                    [](FILE* file) { return file == nullptr && (errno == EAGAIN || errno == ENOMEM); });
  });
}

}  // extern "C"
