/* The one exported symbol of the shared object. C, because in C++ a function may not share the table's name. */
#include "decoders/aarch64/plugin_aarch64.h"
#include "platform/base/attributes.h"

SOFTLBR_EXPORT const struct softlbr_decoder_plugin* softlbr_decoder_plugin(void);
const struct softlbr_decoder_plugin* softlbr_decoder_plugin(void) { return softlbr_decoder_plugin_aarch64(); }
