// Interposes the functions that end the process without exit handlers (_exit) or replace its program (exec): each
// finishes the recording first. The new program is recorded, too, if the command wants that (process_tree.h).
//
// Who calls: the program, in place of the libc's functions. In a forked or vforked child EndRecording does nothing, so
//   only the call itself is made, with the environment by which the new program is recorded.
// Not covered: system call instructions of the program's own, calls inside the libc, death by a signal. The profile
// then holds the frames written so far.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/base/attributes.h"
#include "platform/syscall.h"
#include "platform/trap_loan.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/forked_child.h"
#include "runtime/process_tree/process_recording.h"
#include "runtime/process_tree/process_state.h"
#include "runtime/process_tree/process_tree.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(const char*, char* const[], char* const[])> g_execve("execve");
SOFTLBR_CONSTINIT NextFunction<int(const char*, char* const[], char* const[])> g_execvpe("execvpe");
SOFTLBR_CONSTINIT NextFunction<int(int, char* const[], char* const[])> g_fexecve("fexecve");
SOFTLBR_CONSTINIT NextFunction<int(int, const char*, char* const[], char* const[], int)> g_execveat("execveat");

// Finishes the recording, then calls exec(environment). If that fails and returns, this program runs on untraced.
// check() tells whether the new program can be recorded; `path` names it.
template <typename Check, typename Exec>
int Replace(const char* path, char* const* environment, Check check, Exec exec) {
  const bool was_recording = EndRecording(RecordState::kReplaced);
  CloseForkAlarm();
  RemovePendingTraps();
  if (!IsSandboxed()) platform::IgnoreTrapsIfAppDoes();
  const auto exec_error = [&exec](char* const* variables) { return exec(variables) == 0 ? 0 : errno; };
  // In a child of a process that waits, before the child's exec: was_recording is false, and the wait is left alone.
  if ((was_recording ? IsFollowingExec() : IsFollowing()) && WantsEnvironment(check(), path, environment)) {
    (void)CallWithEnvironment(environment, E2BIG, exec_error);
  } else {
    NameFiltered(path);
    (void)exec_error(environment);
  }
  if (was_recording) TakeBackReplaced();
  return -1;
}

// The number of arguments in a list that ends with nullptr, counting the nullptr.
int CountArguments(va_list list) {
  int count = 1;
  while (va_arg(list, char*) != nullptr) ++count;
  return count;
}

}  // namespace

void LearnExecFunctions() {
  g_execve.Learn();
  g_execvpe.Learn();
  g_fexecve.Learn();
  g_execveat.Learn();
}

}  // namespace softlbr

// Defines `array`, on the stack, in the form that execv takes: `first`, the variable arguments after it, and the
// nullptr that ends them. Leaves `list` after that nullptr. `first` may be null although the header declares it
// non-null: some programs pass null.
#define SOFTLBR_ARGUMENT_ARRAY(array, first, list)                                                                  \
  const char* array##_first = first;                                                                                \
  asm("" : "+r"(array##_first));                                                                                    \
  va_list list;                                                                                                     \
  va_start(list, first);                                                                                            \
  const int array##_count = array##_first == nullptr ? 0 : softlbr::CountArguments(list);                           \
  va_end(list);                                                                                                     \
  va_start(list, first);                                                                                            \
  char** array = static_cast<char**>(__builtin_alloca(sizeof(char*) * (static_cast<uint32_t>(array##_count) + 1))); \
  array[0] = const_cast<char*>(array##_first);                                                                      \
  for (int i = 1; i <= array##_count; ++i) array[i] = va_arg(list, char*)

extern "C" {

SOFTLBR_EXPORT __attribute__((noreturn)) void _exit(int code) {
  softlbr::EndRecording(softlbr::RecordState::kFinished);
  for (;;) softlbr::platform::SysCall(SYS_exit_group, code);
}

SOFTLBR_EXPORT __attribute__((noreturn)) void _Exit(int code) SOFTLBR_LIBC_NOTHROW { _exit(code); }

SOFTLBR_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(
      path, environment, [path] { return softlbr::CheckChildProgram(AT_FDCWD, path); },
      [=](char* const* variables) { return softlbr::g_execve.Get()(path, arguments, variables); });
}

SOFTLBR_EXPORT int execv(const char* path, char* const arguments[]) SOFTLBR_LIBC_NOTHROW {
  return execve(path, arguments, environ);
}

SOFTLBR_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(
      file, environment, [file] { return softlbr::CheckChildProgramInPath(file, getenv("PATH")); },
      [=](char* const* variables) { return softlbr::g_execvpe.Get()(file, arguments, variables); });
}

SOFTLBR_EXPORT int execvp(const char* file, char* const arguments[]) SOFTLBR_LIBC_NOTHROW {
  return execvpe(file, arguments, environ);
}

SOFTLBR_EXPORT int fexecve(int fd, char* const arguments[], char* const environment[]) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(
      "a program that is open", environment, [fd] { return softlbr::CheckChildProgram(fd, ""); },
      [=](char* const* variables) { return softlbr::g_fexecve.Get()(fd, arguments, variables); });
}

SOFTLBR_EXPORT int execveat(int folder, const char* path, char* const arguments[], char* const environment[],
                            int flags) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(
      path, environment, [folder, path] { return softlbr::CheckChildProgram(folder, path); },
      [=](char* const* variables) { return softlbr::g_execveat.Get()(folder, path, arguments, variables, flags); });
}

SOFTLBR_EXPORT int execl(const char* path, const char* argument, ...) SOFTLBR_LIBC_NOTHROW {
  SOFTLBR_ARGUMENT_ARRAY(arguments, argument, list);
  va_end(list);
  return execv(path, arguments);
}

SOFTLBR_EXPORT int execlp(const char* file, const char* argument, ...) SOFTLBR_LIBC_NOTHROW {
  SOFTLBR_ARGUMENT_ARRAY(arguments, argument, list);
  va_end(list);
  return execvp(file, arguments);
}

SOFTLBR_EXPORT int execle(const char* path, const char* argument, ...) SOFTLBR_LIBC_NOTHROW {
  SOFTLBR_ARGUMENT_ARRAY(arguments, argument, list);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, arguments, environment);
}

}  // extern "C"
