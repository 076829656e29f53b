// The plugin's entry point when it is linked statically (the shared object exports softlbr_decoder_plugin instead), and
// its own variants for open().
#ifndef SOFTLBR_DECODERS_X86_64_PLUGIN_X86_64_H_
#define SOFTLBR_DECODERS_X86_64_PLUGIN_X86_64_H_

#include "decoders/api/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

const struct softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void);

/* Variants: any combination of bits, but not both bits of a pair. If neither is set, the property is not known.
 * README.md lists the instructions that depend on them. */
enum softlbr_x86_64_variant {
  SOFTLBR_X86_64_INTEL = 0x100, /* near branches ignore an operand-size prefix, ... */
  SOFTLBR_X86_64_AMD = 0x200,   /* ... or obey it */
  SOFTLBR_X86_64_TZCNT = 0x400, /* has tzcnt, ... */
  SOFTLBR_X86_64_TZCNT_IS_BSF = 0x800,
  SOFTLBR_X86_64_LZCNT = 0x1000, /* has lzcnt, ... */
  SOFTLBR_X86_64_LZCNT_IS_BSR = 0x2000,
  /* Current processors. */
  SOFTLBR_X86_64_TODAYS_INTEL = SOFTLBR_X86_64_INTEL | SOFTLBR_X86_64_TZCNT | SOFTLBR_X86_64_LZCNT,
  SOFTLBR_X86_64_TODAYS_AMD = SOFTLBR_X86_64_AMD | SOFTLBR_X86_64_TZCNT | SOFTLBR_X86_64_LZCNT,
};

#ifdef __cplusplus
}  // extern "C"
#endif

#endif /* SOFTLBR_DECODERS_X86_64_PLUGIN_X86_64_H_ */
