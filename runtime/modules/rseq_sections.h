// The restartable sequences that a module describes in its ELF file.
//
// How: the file's section headers, which no loader maps, tell where the descriptors lie (section __rseq_cs) and where pointers
//   to them do (__rseq_cs_ptr_array); their contents are read from the process, where the loader has relocated them: in the
//   file some linkers leave zeros there (lld), others write link-time addresses.
// Trust: file and memory are foreign. A descriptor counts only if it lies in the module's code and the signature stands before
//   its abort address; so a file that has been replaced since it was mapped can do no harm.
// Context: control. Memory: the caller's map; about 1 KiB of stack. Cost: some 20 reads of the file.
#ifndef SOFTLBR_RUNTIME_MODULES_RSEQ_SECTIONS_H_
#define SOFTLBR_RUNTIME_MODULES_RSEQ_SECTIONS_H_

#include "runtime/modules/code_map.h"
#include "runtime/modules/module_table.h"

namespace softlbr {

// Adds the sequences of `module`, mapped from the file `path`, to map->critical_sections. Sets has_unsettled_critical_sections if some
// descriptor makes no sense (yet). A file that cannot be read has none. Beyond kMaxCriticalSections: left out.
void AddCriticalSections(const Module& module, const char* path, CodeMap* map);

// A section that lists sequences, at its link-time address.
struct RseqTable {
  uint64_t address;
  uint64_t bytes;
  bool holds_pointers;  // to descriptors, instead of those themselves
};
// Calls visit for each such section of the ELF file behind fd, by its section headers.
void ForEachRseqTable(int fd, void (*visit)(void* cookie, const RseqTable& table), void* cookie);

// Adds one range, joined with those that it touches.
void AddCriticalSection(AddressRange range, CodeMap* map);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_MODULES_RSEQ_SECTIONS_H_
