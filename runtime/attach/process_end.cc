// Interposes the functions that end the process without exit handlers (_exit) or replace its program (exec): each finishes the
// recording first.
//
// Who calls: the program, in place of the libc's functions. In a forked or vforked child EndRecording does nothing, so only the
//   call itself is made.
// Not covered: raw system calls, calls inside the libc, death by a signal. The profile then holds the frames written so far.
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/base/attributes.h"
#include "platform/syscall.h"
#include "platform/trap_loan.h"
#include "runtime/attach/next_function.h"
#include "runtime/attach/preload.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(const char*, char* const[], char* const[])> g_execve("execve");
SOFTLBR_CONSTINIT NextFunction<int(const char*, char* const[])> g_execv("execv");
SOFTLBR_CONSTINIT NextFunction<int(const char*, char* const[])> g_execvp("execvp");
SOFTLBR_CONSTINIT NextFunction<int(const char*, char* const[], char* const[])> g_execvpe("execvpe");
SOFTLBR_CONSTINIT NextFunction<int(int, char* const[], char* const[])> g_fexecve("fexecve");
SOFTLBR_CONSTINIT NextFunction<int(int, const char*, char* const[], char* const[], int)> g_execveat("execveat");

// Finishes the recording, then calls exec. The new program runs untraced; so does this one if the call fails.
template <typename Function, typename... Arguments>
int Replace(NextFunction<Function>* exec, Arguments... arguments) {
  const bool was_recording = EndRecording(RecordState::kReplaced);
  if (!IsSandboxed()) platform::IgnoreTrapsIfAppDoes();
  const int result = exec->Get()(arguments...);
  if (was_recording) TakeBackReplaced();
  return result;
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
  g_execv.Learn();
  g_execvp.Learn();
  g_execvpe.Learn();
  g_fexecve.Learn();
  g_execveat.Learn();
}

}  // namespace softlbr

// Defines `array`, on the stack, in the form that execv takes: `first`, the variable arguments after it, and the nullptr that ends
// them. Leaves `list` after that nullptr. `first` may be null although the header declares it non-null: some programs pass null.
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
  return softlbr::Replace(&softlbr::g_execve, path, arguments, environment);
}

SOFTLBR_EXPORT int execv(const char* path, char* const arguments[]) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(&softlbr::g_execv, path, arguments);
}

SOFTLBR_EXPORT int execvp(const char* file, char* const arguments[]) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(&softlbr::g_execvp, file, arguments);
}

SOFTLBR_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(&softlbr::g_execvpe, file, arguments, environment);
}

SOFTLBR_EXPORT int fexecve(int fd, char* const arguments[], char* const environment[]) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(&softlbr::g_fexecve, fd, arguments, environment);
}

SOFTLBR_EXPORT int execveat(int folder, const char* path, char* const arguments[], char* const environment[],
                            int flags) SOFTLBR_LIBC_NOTHROW {
  return softlbr::Replace(&softlbr::g_execveat, folder, path, arguments, environment, flags);
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
