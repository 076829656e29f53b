// Signs and strips with the CPU's own instructions, in their hint forms: on a CPU without pointer authentication they
// do nothing, as in the program. Data keys have no hint forms.
#include "platform/base/config.h"
#include "platform/pointer_auth.h"

#if !SOFTLBR_OS_LINUX || !SOFTLBR_CPU_AARCH64
#error "platform/linux/aarch64 is for Linux on AArch64"
#endif

namespace softlbr::platform {

bool SignPointer(uint64_t pointer, uint64_t modifier, uint32_t key, uint64_t* out) {
  register uint64_t x17 __asm__("x17") = pointer;
  register uint64_t x16 __asm__("x16") = modifier;
  if (key == 0) {
    __asm__("hint #8" : "+r"(x17) : "r"(x16));  // pacia1716
  } else if (key == 1) {
    __asm__("hint #10" : "+r"(x17) : "r"(x16));  // pacib1716
  } else {
    return false;
  }
  *out = x17;
  return true;
}

bool StripPointer(uint64_t pointer, uint64_t* out) {
  register uint64_t x30 __asm__("x30") = pointer;
  __asm__("hint #7" : "+r"(x30));  // xpaclri
  *out = x30;
  return true;
}

}  // namespace softlbr::platform
