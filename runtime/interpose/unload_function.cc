// Interposes dlclose, so that the session forgets the unloaded code and knows that another library may be mapped in its
// place before the modules are read again (watch/module_refresh.h). The old code must not be taken for that of the
// other library, or for code that is generated in its place.
//
// Who calls: the program, from any thread, also before and after the session.
// Not covered: libraries that are unmapped without dlclose.
#include <dlfcn.h>

#include "platform/base/attributes.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/libc/next_function.h"
#include "runtime/session/active_session.h"
#include "runtime/session/session.h"
#include "runtime/watch/module_refresh.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT NextFunction<int(void*)> g_dlclose("dlclose");

void NoteUnloadInSession() {
  const SessionUse use;
  Session* session = CurrentSession();
  if (session == nullptr) return;
  TraceEnvironment& environment = session->environment;
  NoteUnload(&environment.module_generation);
  environment.unloading.store(kUnloaded, std::memory_order_seq_cst);
  InvalidateBlockCache(environment.cache);
}

}  // namespace

void LearnUnloadFunction() { g_dlclose.Learn(); }

}  // namespace softlbr

extern "C" SOFTLBR_EXPORT int dlclose(void* library) SOFTLBR_LIBC_NOTHROW {
  softlbr::NoteUnloadInSession();  // another thread may load a library before this call returns
  const int result = softlbr::g_dlclose.Get()(library);
  softlbr::NoteUnloadInSession();  // the modules may have been read before the library was unmapped
  return result;
}
