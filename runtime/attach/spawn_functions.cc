// Interposes the libc functions that start a program in a child in one call, so that the program inherits an ignored SIGTRAP
// (platform/trap_loan.h). The exec functions, for children made by fork and vfork, are in process_end.cc.
//
// Who calls: the program, from any thread, also before and after the session.
// Not covered: raw system calls, and other libc functions that call these internally (wordexp).
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/base/attributes.h"
#include "platform/trap_loan.h"
#include "runtime/attach/next_function.h"
#include "runtime/attach/preload.h"

namespace softlbr {
namespace {

using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[], char* const[]);
SOFTLBR_CONSTINIT NextFunction<Spawn> g_posix_spawn("posix_spawn");
SOFTLBR_CONSTINIT NextFunction<Spawn> g_posix_spawnp("posix_spawnp");
SOFTLBR_CONSTINIT NextFunction<int(const char*)> g_system("system");
SOFTLBR_CONSTINIT NextFunction<FILE*(const char*, const char*)> g_popen("popen");

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
                               const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  if (softlbr::IsSandboxed()) return softlbr::g_posix_spawn.Get()(child, path, actions, attributes, arguments, environment);
  const softlbr::platform::TrapLoan loan;
  return softlbr::g_posix_spawn.Get()(child, path, actions, attributes, arguments, environment);
}

SOFTLBR_EXPORT int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  if (softlbr::IsSandboxed()) return softlbr::g_posix_spawnp.Get()(child, file, actions, attributes, arguments, environment);
  const softlbr::platform::TrapLoan loan;
  return softlbr::g_posix_spawnp.Get()(child, file, actions, attributes, arguments, environment);
}

// No samples are taken until the command has ended.
SOFTLBR_EXPORT int system(const char* command) {
  if (softlbr::IsSandboxed()) return softlbr::g_system.Get()(command);
  const softlbr::platform::TrapLoan loan;
  return softlbr::g_system.Get()(command);
}

SOFTLBR_EXPORT FILE* popen(const char* command, const char* mode) {
  if (softlbr::IsSandboxed()) return softlbr::g_popen.Get()(command, mode);
  const softlbr::platform::TrapLoan loan;
  return softlbr::g_popen.Get()(command, mode);
}

}  // extern "C"
