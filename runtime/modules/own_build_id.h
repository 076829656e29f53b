// The build id of the module that carries this archive: the program, or the shared library that links it.
//
// Context: control. No system call; reads the module's program headers and notes, which are mapped as long as its code
// is.
#ifndef SOFTLBR_RUNTIME_MODULES_OWN_BUILD_ID_H_
#define SOFTLBR_RUNTIME_MODULES_OWN_BUILD_ID_H_

#include <cstdint>

namespace softlbr {

// The bytes of the id, of which up to `most` are copied to *id. 0: the module was linked without one, or it is longer.
uint32_t ReadOwnBuildId(uint8_t* id, uint32_t most);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_OWN_BUILD_ID_H_
