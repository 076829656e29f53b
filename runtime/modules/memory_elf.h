// Reads the headers of a mapped ELF file from memory.
//
// Who: module_table.cc. Context: control. Memory: the caller's; about 5 KiB of stack.
// Trust: the bytes may be anything and may vanish during the read. They are read through platform/safe_read.h, and a
//   file that no loader could have mapped this way is refused.
// Cost: one copy of the first kElfHeadBytes, and one for the program headers and for each note segment that lie behind
// them.
#ifndef SOFTLBR_RUNTIME_MODULES_MEMORY_ELF_H_
#define SOFTLBR_RUNTIME_MODULES_MEMORY_ELF_H_

#include <cstdint>

#include "runtime/modules/module_table.h"

namespace softlbr {

// Fills begin, end, bias, machine, elf_type, build id and segments of *module from the 64-bit little-endian ELF file
// whose first byte is mapped at begin. False if there is none; *module is then unspecified.
bool ReadMemoryElf(uint64_t begin, Module* module);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_MEMORY_ELF_H_
