// The decoder plugin of this process's architecture.
//
// Context: control, never during a session. Memory: one pointer; the plugin's table is constant and stays loaded.
#ifndef SOFTLBR_RUNTIME_SESSION_DECODER_REGISTRY_H_
#define SOFTLBR_RUNTIME_SESSION_DECODER_REGISTRY_H_

#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/status.h"

namespace softlbr {

// kOk if the table is one this build can use on a machine of architecture `arch`; nothing is registered.
Status CheckDecoder(const softlbr_decoder_plugin* plugin, uint16_t arch);
// Checks, then makes it the one used by the next session. kWrongState during a session.
Status RegisterDecoder(const softlbr_decoder_plugin* plugin);
const softlbr_decoder_plugin* RegisteredDecoder();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_SESSION_DECODER_REGISTRY_H_
