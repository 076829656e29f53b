// No signal frames on this target: every register is UNKNOWN.
#include "platform/base/bytes.h"
#include "platform/base/elf_machine.h"
#include "platform/cpu_context.h"

namespace softlbr::platform {

const uint16_t kHostMachine = kMachineNone;  // no decoder plugin matches

void LoadMachineContext(const void*, MachineContext* context) {
  FillBytes(context, 0, sizeof(*context));
  context->known[0] = kAllKnown;  // SOFTLBR_REG_ZERO
}

void SetResumePc(void*, uint64_t) {}
bool PassBreakpointOnce(void*) { return false; }

}  // namespace softlbr::platform
