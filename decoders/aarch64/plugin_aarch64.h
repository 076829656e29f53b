// The plugin's entry point when it is linked statically; the shared object exports softlbr_decoder_plugin instead.
#ifndef SOFTLBR_DECODERS_AARCH64_PLUGIN_AARCH64_H_
#define SOFTLBR_DECODERS_AARCH64_PLUGIN_AARCH64_H_

#include "decoders/api/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

const struct softlbr_decoder_plugin* softlbr_decoder_plugin_aarch64(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* SOFTLBR_DECODERS_AARCH64_PLUGIN_AARCH64_H_ */
