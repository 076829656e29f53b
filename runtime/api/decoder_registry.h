// The decoder plugin of this process's architecture.
//
// Context: control, never during a session. Memory: one pointer; the plugin's table is constant and stays loaded.
#ifndef SOFTLBR_RUNTIME_API_DECODER_REGISTRY_H_
#define SOFTLBR_RUNTIME_API_DECODER_REGISTRY_H_

#include <cstdint>

#include "decoders/api/plugin.h"
#include "platform/base/status.h"

namespace softlbr {

// kOk if this build can use the table on a machine of architecture `arch`. Registers nothing.
Status CheckDecoder(const softlbr_decoder_plugin* plugin, uint16_t arch);
// Checks the plugin and makes the next session use it. kWrongState during a session.
Status RegisterDecoder(const softlbr_decoder_plugin* plugin);
const softlbr_decoder_plugin* RegisteredDecoder();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_API_DECODER_REGISTRY_H_
