// Code of a module in mappings that the loader did not make: a second mapping of its file (node's built-in functions,
// text on huge pages), and a copy of its text in other memory at the text's own place.
//
// Who: module_table.cc, behind its walk over the mappings. Context: control. Memory: the caller's; about 3 KiB of
// stack.
// Trust: neither is believed without a look: of a second mapping its first bytes are compared with the module's, of a
//   copy the bytes with the file's, all of them up to kMaxComparedTextBytes, evenly spaced parts of a larger text. What
//   was compared is compared again only if the mapping changes. A copy of the text hides the module if it takes the ELF
//   header along, which linkers for AArch64 put into the text's segment unless told otherwise (-z separate-code).
// Full: of more than kMaxMovedMappings, the later ones belong to no module.
#ifndef SOFTLBR_RUNTIME_MODULES_MOVED_CODE_H_
#define SOFTLBR_RUNTIME_MODULES_MOVED_CODE_H_

#include <cstdint>

#include "platform/memory_map.h"
#include "runtime/modules/module_table.h"

namespace softlbr {

// Executable mappings to be looked at after the walk.
struct MovedMappings {
  struct Entry {
    uint64_t begin;
    uint64_t end;
    uint64_t file_offset;   // of a copy: of the module in its file
    uint64_t module_begin;  // of a copy: the module that was added although its text is elsewhere; else 0
    uint64_t inode;
    uint32_t device;
  };
  uint32_t count;
  Entry entries[kMaxMovedMappings];
};

// Remembers the mapping. module: null for one that may be a second mapping of some module's file.
void NoteMoved(const platform::Mapping& mapping, const Module* module, MovedMappings* moved);

// Adds second mappings to the table as modules of their own, and removes modules whose text is not a copy. current: the
// table before.
void SettleMoved(const MovedMappings& moved, const ModuleTable& current, ModuleTable* table);

// False for the part of a module that a second mapping shows.
inline bool IsWholeModule(const Module& module) {
  const uint64_t first = module.bias + module.segments[0].vaddr;
  return first >= module.begin && first < module.end;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_MOVED_CODE_H_
