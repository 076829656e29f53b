#include "runtime/session/session_hooks.h"

#include "platform/base/attributes.h"
#include "platform/file.h"
#include "platform/helper.h"
#include "runtime/session/trap_dispatch.h"

namespace softlbr {

SOFTLBR_CONSTINIT SessionHooks g_session_hooks{platform::StartRuntimeThread, DispatchTrap,         platform::WriteAll,
                                               platform::IsHostGone,         MeasureTrapCostsOnce, false};

}  // namespace softlbr
