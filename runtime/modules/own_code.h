// Finds our own code: no breakpoint may be armed there.
//
// Why: a breakpoint inside the handler would hit while SIGTRAP is blocked, and hit again for ever.
// How: the runtime's code is gathered in section softlbr_text (own_section.ld), whose bounds the linker defines. A
//   plugin in a shared object is found by the mapping that holds its lift function; a decoder linked into the app's
//   text is not listed.
#ifndef SOFTLBR_RUNTIME_MODULES_OWN_CODE_H_
#define SOFTLBR_RUNTIME_MODULES_OWN_CODE_H_

#include <cstdint>

#include "decoders/api/plugin.h"
#include "runtime/modules/code_map.h"

namespace softlbr {

// Control. Call it in a library of which all code is ours: then ListOwnCode lists the whole mapping of it.
void OwnWholeLibrary();

// Control. Fills at most kMaxForbiddenRanges ranges and returns how many.
uint32_t ListOwnCode(const softlbr_decoder_plugin* plugin, AddressRange* ranges);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_OWN_CODE_H_
