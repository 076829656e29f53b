// Where our own code lies: no breakpoint may be armed there.
//
// Why: a breakpoint inside the handler would fire while SIGTRAP is blocked and come back for ever.
// How: the code of every object of the device side is gathered into the section softlbr_text (own_section.ld), whose bounds the
//   linker names; a plugin in a shared object is found by the mapping of its function table.
#ifndef SOFTLBR_RUNTIME_MODULES_OWN_CODE_H_
#define SOFTLBR_RUNTIME_MODULES_OWN_CODE_H_

#include <cstdint>

#include "decoders/api/plugin.h"
#include "runtime/modules/code_map.h"

namespace softlbr {

// Control. Fills at most kMaxForbiddenRanges ranges and returns how many.
uint32_t ListOwnCode(const softlbr_decoder_plugin* plugin, AddressRange* ranges);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_OWN_CODE_H_
