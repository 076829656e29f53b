#include "runtime/modules/moved_code.h"

#include <elf.h>

#include <cstring>

#include "platform/file.h"
#include "platform/safe_read.h"

namespace softlbr {
namespace {

constexpr uint32_t kChunkBytes = 1024;

struct OpenFile {
  uint64_t begin;
  long fd;
};

bool OpenMapped(void* cookie, const platform::Mapping& mapping) {
  auto* file = static_cast<OpenFile*>(cookie);
  if (mapping.begin != file->begin) return true;
  file->fd = platform::OpenBriefly(mapping.path);
  return false;
}

// True if memory [begin, end) holds what the file has there; each chunk of it, or kMaxComparedTextBytes of it.
bool IsEqual(int fd, uint64_t offset, uint64_t begin, uint64_t end) {
  const uint64_t parts = (end - begin) / kMaxComparedTextBytes + 1;
  for (uint64_t at = begin; at < end; at += kChunkBytes * parts) {
    uint8_t file[kChunkBytes];
    uint8_t memory[kChunkBytes];
    const uint64_t bytes = end - at < kChunkBytes ? end - at : kChunkBytes;
    if (platform::ReadAt(fd, offset + (at - begin), file, bytes) != static_cast<long>(bytes) ||
        platform::CopyFrom(at, memory, bytes) != Status::kOk || memcmp(file, memory, bytes) != 0) {
      return false;
    }
  }
  return true;
}

bool IsCopy(const Module& module, const MovedMappings::Entry& entry) {
  OpenFile file{module.begin, -1};
  if (platform::ForEachMapping(OpenMapped, &file) != Status::kOk || file.fd < 0) return false;
  bool is_copy = false;
  for (uint32_t i = 0; i < module.segment_count; ++i) {
    const ModuleSegment& segment = module.segments[i];
    const uint64_t place = module.bias + segment.vaddr;
    const uint64_t begin = place > entry.begin ? place : entry.begin;
    const uint64_t behind = place + segment.file_bytes;
    const uint64_t end = behind < entry.end ? behind : entry.end;
    if ((segment.flags & PF_X) == 0 || begin >= end) continue;
    is_copy = IsEqual(static_cast<int>(file.fd), entry.file_offset + segment.file_offset + (begin - place), begin, end);
    if (!is_copy) break;
  }
  platform::CloseFile(static_cast<int>(file.fd));
  return is_copy;
}

Module* ModuleAt(ModuleTable* table, uint64_t begin) {
  auto* module = const_cast<Module*>(FindModule(*table, begin));
  return module != nullptr && module->begin == begin ? module : nullptr;
}

void RemoveModule(ModuleTable* table, Module* module) {
  Module* const end = table->modules + table->count--;
  memmove(static_cast<void*>(module), module + 1, static_cast<uint64_t>(end - (module + 1)) * sizeof *module);
}

void CheckCopy(const MovedMappings::Entry& entry, const ModuleTable& current, ModuleTable* table) {
  Module* module = ModuleAt(table, entry.module_begin);
  if (module == nullptr) return;
  ComparedText compared{entry.begin, entry.end, module->inode, module->device, 0};
  const ComparedText* known = nullptr;
  for (uint32_t i = 0; i < current.compared_count; ++i) {
    const ComparedText& before = current.compared[i];
    if (before.begin == compared.begin && before.end == compared.end && before.inode == compared.inode &&
        before.device == compared.device) {
      known = &before;
    }
  }
  compared.is_copy = known != nullptr ? known->is_copy : IsCopy(*module, entry);
  if (table->compared_count != kMaxMovedMappings) table->compared[table->compared_count++] = compared;
  if (compared.is_copy == 0) RemoveModule(table, module);
}

// True if the mapping's first bytes are the module's.
bool BeginsAlike(uint64_t place, uint64_t original) {
  uint8_t bytes[2][256];
  return platform::CopyFrom(place, bytes[0], sizeof bytes[0]) == Status::kOk &&
         platform::CopyFrom(original, bytes[1], sizeof bytes[1]) == Status::kOk &&
         memcmp(bytes[0], bytes[1], sizeof bytes[0]) == 0;
}

// Where link-time address 0 would be if the mapping were of the module's loading; 0 if it shows none of its code.
uint64_t BiasOfPart(const Module& module, const MovedMappings::Entry& entry) {
  for (uint32_t i = 0; i < module.segment_count; ++i) {
    const ModuleSegment& segment = module.segments[i];
    const uint64_t page_offset = segment.file_offset & (platform::LearnPageBytes() - 1);
    if ((segment.flags & PF_X) == 0 || entry.file_offset + page_offset < segment.file_offset ||
        entry.file_offset >= segment.file_offset + segment.file_bytes) {
      continue;
    }
    const uint64_t vaddr = segment.vaddr + entry.file_offset - segment.file_offset;
    if (BeginsAlike(entry.begin, module.bias + vaddr)) return entry.begin - vaddr;
  }
  return 0;
}

void AddPart(const MovedMappings::Entry& entry, ModuleTable* table) {
  if (FindModule(*table, entry.begin) != nullptr) return;
  uint32_t place = 0;
  const Module* whole = nullptr;
  uint64_t bias = 0;
  for (uint32_t i = 0; i < table->count; ++i) {
    const Module& module = table->modules[i];
    if (module.begin < entry.begin) place = i + 1;
    if (bias != 0 || module.inode != entry.inode || module.device != entry.device || !IsWholeModule(module)) continue;
    bias = BiasOfPart(module, entry);
    whole = &module;
  }
  if (bias == 0) return;
  if (table->count == kMaxModules) {
    ++table->dropped;
    return;
  }
  Module part;
  memcpy(static_cast<void*>(&part), whole, sizeof part);
  part.begin = entry.begin;
  part.end = entry.end;
  part.bias = bias;
  part.is_main = false;
  Module* const at = table->modules + place;
  memmove(static_cast<void*>(at + 1), at, (table->count - place) * sizeof part);
  memcpy(static_cast<void*>(at), &part, sizeof part);
  ++table->count;
}

}  // namespace

void NoteMoved(const platform::Mapping& mapping, const Module* module, MovedMappings* moved) {
  if (moved->count == kMaxMovedMappings) return;
  const bool is_copy = module != nullptr;
  moved->entries[moved->count++] = {mapping.begin,
                                    mapping.end,
                                    is_copy ? kFilePageBytes * module->file_page : mapping.file_offset,
                                    is_copy ? module->begin : 0,
                                    mapping.inode,
                                    mapping.device};
}

void SettleMoved(const MovedMappings& moved, const ModuleTable& current, ModuleTable* table) {
  for (uint32_t i = 0; i < moved.count; ++i) {
    if (moved.entries[i].module_begin != 0) CheckCopy(moved.entries[i], current, table);
  }
  for (uint32_t i = 0; i < moved.count; ++i) {
    if (moved.entries[i].module_begin == 0) AddPart(moved.entries[i], table);
  }
}

}  // namespace softlbr
