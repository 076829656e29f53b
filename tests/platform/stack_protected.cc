#include "tests/platform/stack_protected.h"

namespace softlbr::platform {

int CopyUnderGuard(const char* text) {
  char buffer[64];
  volatile char* to = buffer;
  int i = 0;
  for (; text[i] != '\0' && i < 63; ++i) to[i] = text[i];
  to[i] = '\0';
  return i;
}

}  // namespace softlbr::platform
