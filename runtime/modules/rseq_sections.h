// Finds the rseq critical sections that a module describes in its ELF file.
//
// How: the section headers, which are only in the file, locate the descriptors (section __rseq_cs) and the pointers to
//   them (__rseq_cs_ptr_array). The contents of both are read from the process, where the loader has relocated them: in
//   the file, some linkers leave zeros there (lld), others write link-time addresses.
// Trust: file and memory are foreign. A descriptor counts only if its range is in the module's code and the rseq
//   signature precedes its abort address. Hence a file that was replaced after it was mapped does no harm.
// Context: control. Memory: the caller's map; about 2 KiB of stack. Cost: about five reads of the file.
#ifndef SOFTLBR_RUNTIME_MODULES_RSEQ_SECTIONS_H_
#define SOFTLBR_RUNTIME_MODULES_RSEQ_SECTIONS_H_

#include "runtime/modules/code_map.h"
#include "runtime/modules/module_table.h"

namespace softlbr {

// Adds the critical sections of `module`, mapped from the file `path`, to map->critical_sections; those beyond
// kMaxCriticalSections are left out. Sets has_unsettled_critical_sections if some descriptor is not valid (yet). If the
// file cannot be read, nothing is added.
void AddCriticalSections(const Module& module, const char* path, CodeMap* map);

// An ELF section that lists critical sections.
struct RseqTable {
  uint64_t address;  // link-time
  uint64_t bytes;
  bool holds_pointers;  // to descriptors, not the descriptors themselves
};
// Calls visit for each such section of the ELF file open at fd, at most kMaxCriticalSectionTables times.
void ForEachRseqTable(int fd, void (*visit)(void* cookie, const RseqTable& table), void* cookie);

// Adds one range, joined with those that it touches.
void AddCriticalSection(AddressRange range, CodeMap* map);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_RSEQ_SECTIONS_H_
