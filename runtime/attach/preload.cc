// libsoftlbr_preload.so: runs a session in an unmodified program (softlbr record; record_protocol.h), or waits until
// one is asked for (trigger_wait.h).
//
// Who calls: the dynamic loader, before main (OnLoad) and after the program's exit handlers (OnExit); the program,
//   through the libc functions that runtime/interpose replaces.
// Memory: the runtime's only. Environment: our variables are removed before main sees them.
#include <stdlib.h>

#include "runtime/attach/shown_environment.h"
#include "runtime/attach/start_environment.h"
#include "runtime/attach/tree_hooks.h"
#include "runtime/interpose/memory_lock.h"
#include "runtime/interpose/namespace_functions.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/interpose/sandbox.h"
#include "runtime/interpose/traced_child.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/process_recording.h"

extern "C" void* __dso_handle;

namespace softlbr {
namespace {

void OnQuickExit() { EndRecording(RecordState::kFinished); }
void OnQuickExitOf(void*) { OnQuickExit(); }

// Looks up the function by name, so that one library loads under glibc and under musl, whose loader answers for
// "libc.so.6". glibc links at_quick_exit statically into its caller, and that code calls __cxa_at_quick_exit, which no
// other libc has.
void RegisterQuickExit() {
  NextFunction<int(void (*)(void*), void*)> of_glibc("__cxa_at_quick_exit");
  NextFunction<int(void (*)())> of_others("at_quick_exit");
  if (of_glibc.Get() != nullptr) {
    (void)of_glibc.Get()(OnQuickExitOf, &__dso_handle);
  } else if (of_others.Get() != nullptr) {
    (void)of_others.Get()(OnQuickExit);
  }
}

__attribute__((constructor)) void OnLoad() {
  const char* text = TakeStartOptions();
  if (text == nullptr) return;
  LearnSignalFunctions();
  LearnSignalRestorer();
  LearnAlternateStacks();
  LearnTrapWaits();
  LearnSignalMasks();
  LearnExecFunctions();
  LearnSpawnFunctions();
  LearnUnloadFunction();
  LearnThreadFunctions();
  LearnMemoryFunctions();
  LearnSyscall();
  LearnPrctl();
  LearnMemoryLock();
  LearnPtrace();
  LearnNamespaceFunctions();
  LearnForkFunctions();
  RegisterQuickExit();
  char* const end_of_environment = EndOfEnvironment();
  HookSession();
  BeginRecording(text);
  HideOwnVariables(const_cast<char*>(text), end_of_environment);
}

__attribute__((destructor)) void OnExit() { EndRecording(RecordState::kFinished); }

}  // namespace
}  // namespace softlbr
