#include "runtime/api/decoder_registry.h"

#include "platform/base/attributes.h"
#include "platform/base/limits.h"
#include "platform/cpu_context.h"
#include "runtime/session/active_session.h"

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT const softlbr_decoder_plugin* g_decoder = nullptr;

}  // namespace

Status CheckDecoder(const softlbr_decoder_plugin* plugin, uint16_t arch) {
  if (plugin == nullptr) return Status::kIncompatiblePlugin;
  // Check the two leading fields before reading the others: an older or newer table may be shorter.
  if (plugin->abi_version != SOFTLBR_DECODER_ABI_VERSION || plugin->struct_size != sizeof(softlbr_decoder_plugin)) {
    return Status::kIncompatiblePlugin;
  }
  if (plugin->arch != arch || plugin->stack_pointer_slot >= SOFTLBR_REG_COUNT) return Status::kIncompatiblePlugin;
  if (plugin->arena_bytes > kDecoderArenaBytes || (plugin->capabilities & SOFTLBR_DECODER_BRANCHES) == 0) {
    return Status::kIncompatiblePlugin;
  }
  if (plugin->open == nullptr || plugin->close == nullptr || plugin->lift == nullptr)
    return Status::kIncompatiblePlugin;
  return Status::kOk;
}

Status RegisterDecoder(const softlbr_decoder_plugin* plugin) {
  if (CurrentSession() != nullptr) return Status::kWrongState;
  const Status status = CheckDecoder(plugin, platform::kHostMachine);
  if (status == Status::kOk) g_decoder = plugin;
  return status;
}

const softlbr_decoder_plugin* RegisteredDecoder() { return g_decoder; }

}  // namespace softlbr
