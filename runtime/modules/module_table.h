// The ELF modules mapped in this process: address ranges, link-time bias, build id, program headers.
//
// Who: the control thread refreshes and reads. Handlers use the CodeMap that it builds (code_map.h).
// Memory: caller-owned fixed table. Context: control.
#ifndef SOFTLBR_RUNTIME_MODULES_MODULE_TABLE_H_
#define SOFTLBR_RUNTIME_MODULES_MODULE_TABLE_H_

#include <cstdint>

#include "platform/base/limits.h"
#include "platform/base/status.h"
#include "runtime/format/slbr_format.h"
#include "runtime/lookahead/memory/page_cache.h"
#include "runtime/modules/mapping_watch.h"

namespace softlbr {

inline constexpr uint64_t kFilePageBytes = 4096;

struct Module {
  uint64_t begin;  // run-time addresses [begin, end) spanned by its segments
  uint64_t end;
  uint64_t bias;  // run-time address = bias + link-time address
  uint64_t inode;
  uint32_t device;
  uint16_t machine;    // e_machine
  uint16_t elf_type;   // ET_EXEC or ET_DYN
  uint32_t file_page;  // its place in the file, in pages of kFilePageBytes: an archive file may hold several modules
  uint8_t build_id_bytes;
  uint8_t segment_count;
  bool is_main;
  uint8_t build_id[kMaxBuildIdBytes];
  ModuleSegment segments[kMaxProgramHeaders];
  char name[kMaxModuleNameBytes];  // file name, with its directories only if the app keeps paths; NUL-terminated
};

// A mapping in the place of a module's text that was compared with the text (moved_code.h).
struct ComparedText {
  uint64_t begin;
  uint64_t end;
  uint64_t inode;  // of the module
  uint32_t device;
  uint32_t is_copy;
};

struct ModuleTable {
  uint32_t count;
  uint32_t generation;          // incremented when a refresh found a difference
  uint32_t dropped;             // modules beyond kMaxModules
  uint32_t since[kMaxModules];  // generation in which each was first seen; nothing else was mapped there since
  uint32_t compared_count;
  ComparedText compared[kMaxMovedMappings];
  SpecialRanges special;        // mappings that look-ahead must not read, not plainly, or not store to
  MappingList mapped;           // memory that is readable now
  Module modules[kMaxModules];  // ascending begin
};

// Reads the process's mappings and ELF headers (through safe_read). True if they differ from `current`; *next then
// describes them. may_reuse: no library was unloaded since `current` was read, so a mapping of the same part of the
// same file at the same place is the same module, whose headers are not read again. They are more than half of what a
// reading costs.
bool RefreshModuleTable(const ModuleTable& current, bool keep_paths, bool may_reuse, ModuleTable* next);

// The module that holds address, or nullptr. log2(count) steps.
const Module* FindModule(const ModuleTable& table, uint64_t address);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_MODULE_TABLE_H_
