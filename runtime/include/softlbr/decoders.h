/* softlbr: the decoders that an app can link, one library for each CPU. Register one before softlbr_start:
 *
 *   softlbr_register_decoder(SOFTLBR_HOST_DECODER());
 *
 * Each function returns a constant table and may be called at any time, from any thread. */
#ifndef SOFTLBR_SOFTLBR_DECODERS_H_
#define SOFTLBR_SOFTLBR_DECODERS_H_

#ifdef __cplusplus
extern "C" {
#endif

struct softlbr_decoder_plugin; /* softlbr/plugin.h, for authors of decoders */

const struct softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void);  /* libsoftlbr_decoder_x86_64.a */
const struct softlbr_decoder_plugin* softlbr_decoder_plugin_aarch64(void); /* libsoftlbr_decoder_aarch64.a */

/* The one for the CPU that this code is compiled for. */
#if defined(__x86_64__)
#define SOFTLBR_HOST_DECODER softlbr_decoder_plugin_x86_64
#elif defined(__aarch64__)
#define SOFTLBR_HOST_DECODER softlbr_decoder_plugin_aarch64
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SOFTLBR_SOFTLBR_DECODERS_H_ */
