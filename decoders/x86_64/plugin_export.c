/* The exported symbol of the shared object. In C, because in C++ the function could not have the same name as the
 * table's type. */
#include "decoders/x86_64/plugin_x86_64.h"
#include "platform/base/attributes.h"

SOFTLBR_EXPORT const struct softlbr_decoder_plugin* softlbr_decoder_plugin(void);
const struct softlbr_decoder_plugin* softlbr_decoder_plugin(void) { return softlbr_decoder_plugin_x86_64(); }
