// The ELF modules mapped in this process: address ranges, link-time bias, build id, program headers.
//
// Who: the control thread refreshes and reads; handlers only ask FindRange through their own snapshot (tracer).
// Memory: caller-owned fixed table. Context: control, except where marked.
#ifndef SOFTLBR_RUNTIME_MODULES_MODULE_TABLE_H_
#define SOFTLBR_RUNTIME_MODULES_MODULE_TABLE_H_

#include <cstdint>

#include "platform/base/limits.h"
#include "platform/base/status.h"
#include "runtime/format/slbr_format.h"
#include "runtime/modules/mapping_watch.h"

namespace softlbr {

struct Module {
  uint64_t begin;  // run-time addresses [begin, end) spanned by its segments
  uint64_t end;
  uint64_t bias;  // run-time address = bias + link-time address
  uint64_t inode;
  uint32_t device;
  uint16_t machine;   // e_machine
  uint16_t elf_type;  // ET_EXEC or ET_DYN
  uint8_t build_id_bytes;
  uint8_t segment_count;
  uint8_t build_id[kMaxBuildIdBytes];
  ModuleSegment segments[kMaxProgramHeaders];
  char name[kMaxModuleNameBytes];  // file name without folders unless the app allows paths; NUL-terminated
  bool is_main;
};

struct ModuleTable {
  uint32_t count;
  uint32_t generation;          // grows when a refresh found any difference
  uint32_t dropped;             // modules beyond kMaxModules
  MappingList mapped;           // what can be read now
  Module modules[kMaxModules];  // ascending begin
  uint32_t since[kMaxModules];  // generation in which each was first seen, with nothing else there since
};

// Reads the process's mappings and ELF headers (through safe_read). True: there is a difference, and *next is what stands now.
bool RefreshModuleTable(const ModuleTable& current, bool keep_paths, ModuleTable* next);

// The module holding address, or nullptr. log2(count) steps.
const Module* FindModule(const ModuleTable& table, uint64_t address);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_MODULE_TABLE_H_
