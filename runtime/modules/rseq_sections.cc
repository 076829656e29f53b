#include "runtime/modules/rseq_sections.h"

#include <elf.h>

#include <cstring>

#include "platform/base/limits.h"
#include "platform/file.h"
#include "platform/rseq.h"
#include "platform/safe_read.h"

namespace softlbr {
namespace {

constexpr char kDescriptors[] = "__rseq_cs";
constexpr char kPointers[] = "__rseq_cs_ptr_array";

bool IsCodeOf(const Module& module, uint64_t address) {
  for (uint32_t i = 0; i < module.segment_count; ++i) {
    const ModuleSegment& segment = module.segments[i];
    if ((segment.flags & PF_X) != 0 && address - module.bias - segment.vaddr < segment.memory_bytes) return true;
  }
  return false;
}

void AddDescriptor(const Module& module, uint64_t address, CodeMap* map) {
  platform::RseqDescriptor descriptor;
  uint32_t signature = 0;
  if (platform::CopyFrom(address, &descriptor, sizeof descriptor) == Status::kOk) {
    if (descriptor.length == 0) return;  // padding between descriptors
    const uint64_t last = descriptor.start_pc + descriptor.length - 1;
    if (descriptor.version == 0 && descriptor.length <= kMaxCriticalSectionBytes &&
        IsCodeOf(module, descriptor.start_pc) && IsCodeOf(module, last) && IsCodeOf(module, descriptor.abort_pc) &&
        platform::CopyFrom(descriptor.abort_pc - sizeof signature, &signature, sizeof signature) == Status::kOk &&
        signature == platform::kRseqSignature) {
      AddCriticalSection(AddressRange{descriptor.start_pc, last + 1}, map);
      return;
    }
  }
  map->has_unsettled_critical_sections = 1;
}

struct Reading {
  const Module* module;
  CodeMap* map;
};

void ReadTable(void* cookie, const RseqTable& table) {
  const auto* reading = static_cast<Reading*>(cookie);
  const uint64_t begin = reading->module->bias + table.address;
  const uint64_t bytes = table.bytes < kMaxCriticalSectionTableBytes ? table.bytes : kMaxCriticalSectionTableBytes;
  const uint64_t step = table.holds_pointers ? sizeof(uint64_t) : sizeof(platform::RseqDescriptor);
  for (uint64_t at = 0; at + step <= bytes; at += step) {
    uint64_t descriptor = begin + at;
    if (table.holds_pointers && platform::CopyFrom(begin + at, &descriptor, sizeof descriptor) != Status::kOk) return;
    AddDescriptor(*reading->module, descriptor, reading->map);
  }
}

}  // namespace

void ForEachRseqTable(int fd, void (*visit)(void* cookie, const RseqTable& table), void* cookie) {
  Elf64_Ehdr header;
  Elf64_Shdr names;
  const auto read_sections = [&](uint32_t first, Elf64_Shdr* sections, uint64_t bytes) {
    return platform::ReadAt(fd, header.e_shoff + uint64_t{first} * sizeof *sections, sections, bytes);
  };
  if (platform::ReadAt(fd, 0, &header, sizeof header) != static_cast<long>(sizeof header) ||
      header.e_shentsize != sizeof(Elf64_Shdr) ||
      read_sections(header.e_shstrndx, &names, sizeof names) != sizeof names) {
    return;
  }
  // Nearly always all names fit, and one call reads them.
  char text[512];
  const long text_bytes = platform::ReadAt(fd, names.sh_offset, text, sizeof text);
  const auto name_of = [&](const Elf64_Shdr& section, char* name, uint64_t bytes) -> long {
    if (text_bytes < static_cast<long>(bytes) || section.sh_name > static_cast<uint64_t>(text_bytes) - bytes) {
      return platform::ReadAt(fd, names.sh_offset + section.sh_name, name, bytes);
    }
    memcpy(name, text + section.sh_name, bytes);
    return static_cast<long>(bytes);
  };
  uint32_t tables_left = kMaxCriticalSectionTables;
  Elf64_Shdr sections[16];
  long bytes = 0;  // of them that the file holds
  for (uint32_t i = 0; i < header.e_shnum && tables_left != 0; ++i) {
    char name[sizeof kPointers];
    const uint32_t at = i % (sizeof sections / sizeof *sections);
    if (at == 0) bytes = read_sections(i, sections, sizeof sections);
    if (bytes < static_cast<long>((at + 1) * sizeof *sections)) return;
    const Elf64_Shdr& section = sections[at];
    // Only sections of loaded data, in whole words.
    if (section.sh_type != SHT_PROGBITS || (section.sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != SHF_ALLOC ||
        section.sh_size % sizeof(uint64_t) != 0) {
      continue;
    }
    const long length = name_of(section, name, sizeof name);
    const bool holds_pointers = length == sizeof name && memcmp(name, kPointers, sizeof kPointers) == 0;
    if (holds_pointers ||
        (length >= static_cast<long>(sizeof kDescriptors) && memcmp(name, kDescriptors, sizeof kDescriptors) == 0)) {
      --tables_left;
      visit(cookie, RseqTable{section.sh_addr, section.sh_size, holds_pointers});
    }
  }
}

void AddCriticalSection(AddressRange range, CodeMap* map) {
  AddressRange* ranges = map->critical_sections;
  uint32_t first = 0;
  while (first < map->critical_section_count && ranges[first].end < range.begin) ++first;
  uint32_t behind = first;  // ranges [first, behind) are joined with the new one
  for (; behind < map->critical_section_count && ranges[behind].begin <= range.end; ++behind) {
    if (ranges[behind].begin < range.begin) range.begin = ranges[behind].begin;
    if (ranges[behind].end > range.end) range.end = ranges[behind].end;
  }
  if (behind == first && map->critical_section_count == kMaxCriticalSections) return;
  memmove(ranges + first + 1, ranges + behind, (map->critical_section_count - behind) * sizeof *ranges);
  map->critical_section_count += 1 - (behind - first);
  ranges[first] = range;
}

void AddCriticalSections(const Module& module, const char* path, CodeMap* map) {
  const long fd = platform::OpenBriefly(path);
  if (fd < 0) return;
  Reading reading{&module, map};
  ForEachRseqTable(static_cast<int>(fd), ReadTable, &reading);
  platform::CloseFile(static_cast<int>(fd));
}

}  // namespace softlbr
