// Contracts: auxiliary_vector.h; memory_map.h for the program headers.
#include <asm/auxvec.h>
#include <linux/auxvec.h>

#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/file.h"
#include "platform/linux/auxiliary_vector.h"
#include "platform/memory_map.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {

uint64_t AuxiliaryValue(uint64_t type) {
  const long fd = OpenForRead("/proc/self/auxv");
  if (fd < 0) return 0;
  uint64_t entries[2 * kMaxAuxiliaryEntries];
  const long bytes = ReadSome(static_cast<int>(fd), entries, sizeof(entries));
  CloseFile(static_cast<int>(fd));
  const long count = bytes < 0 ? 0 : bytes / 16;
  for (long i = 0; i < count; ++i) {
    if (entries[2 * i] == type) return entries[2 * i + 1];
  }
  return 0;
}

uint64_t MainProgramHeaders() { return AuxiliaryValue(AT_PHDR); }

}  // namespace softlbr::platform
