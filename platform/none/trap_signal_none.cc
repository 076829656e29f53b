// No SIGTRAP here.
#include "platform/trap_signal.h"

namespace softlbr::platform {

Status InstallTrapHandler(TrapCallback) { return Status::kUnsupported; }
void RestoreTrapHandler() {}
void SetTrapSignalBlocked(bool) {}
bool IsTrapHandlerInstalled() { return false; }

}  // namespace softlbr::platform
