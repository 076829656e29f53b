// No SIGTRAP handler on this target.
#include "platform/trap_signal.h"

namespace softlbr::platform {

Status InstallTrapHandler(TrapCallback) { return Status::kUnsupported; }
Status InstallAlarmHandler(TrapCallback) { return Status::kUnsupported; }
void RestoreTrapHandler(bool) {}
bool IsSignalDue(const void*) { return false; }
bool DoesFrameBlockTraps(const void*) { return false; }
bool MayBlockTraps(uint32_t) { return false; }
void SetTrapSignalBlocked(bool) {}
bool IsTrapHandlerInstalled() { return false; }
long ExchangeAppTrapAction(const TrapAction*, TrapAction*) { return -38; }  // ENOSYS

}  // namespace softlbr::platform
