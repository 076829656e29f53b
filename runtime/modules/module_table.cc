#include "runtime/modules/module_table.h"

#include <elf.h>

#include <cstring>

#include "platform/base/limits.h"
#include "platform/memory_map.h"
#include "platform/safe_read.h"
#include "runtime/modules/memory_elf.h"
#include "runtime/modules/moved_code.h"

namespace softlbr {
namespace {

constexpr char kDeletedSuffix[] = " (deleted)";  // the kernel appends it to files that were unlinked or replaced

SOFTLBR_NOINLINE bool BeginsWith(const char* text, const char* prefix) {
  for (; *prefix != '\0'; ++prefix, ++text) {
    if (*text != *prefix) return false;
  }
  return true;
}

// The mappings are visited once, in address order. An ELF header makes a candidate. The candidate becomes a module when
// an executable mapping of the same file is found where its headers say; a file that is only mapped for reading never
// does.
struct Walk {
  ModuleTable* table;
  const ModuleTable* known;  // null: the headers of every module are read
  bool keep_paths;
  uint64_t main_headers;  // address of the main program's program headers, 0 if not known
  bool has_candidate;
  Module candidate;
  MovedMappings moved;
  // The part of a file or of shared memory that a mapping shows, as an interval of numbers that no other file has (by
  // their hash).
  struct Part {
    uint64_t begin;
    uint64_t bytes;
    PageState* state;  // of a shared mapping's range in table->special; null for a private one
  };
  uint32_t part_count;
  Part parts[kMaxComparedParts + 1];
};

void TakeName(const char* path, bool keep_paths, char* name) {
  uint64_t length = strlen(path);
  const uint64_t suffix = sizeof kDeletedSuffix - 1;
  if (length > suffix && BeginsWith(path + length - suffix, kDeletedSuffix)) length -= suffix;
  const char* first = path;
  if (!keep_paths) {
    for (uint64_t i = 0; i < length; ++i) {
      if (path[i] == '/') first = path + i + 1;
    }
    length -= static_cast<uint64_t>(first - path);
  }
  if (length > kMaxModuleNameBytes - 1) {  // of a path, the end tells more
    first += length - (kMaxModuleNameBytes - 1);
    length = kMaxModuleNameBytes - 1;
  }
  memcpy(name, first, length);
  name[length] = 0;
}

bool IsAnonymous(const char* path) { return BeginsWith(path, "/dev/zero"); }  // shared by fork

// Device files and the kernel's clock page. A read of a device file may disturb the device; a value of the clock page
// is stale a moment later.
SOFTLBR_NOINLINE bool IsUntouchable(const char* path) {
  return BeginsWith(path, "[vvar") || (BeginsWith(path, "/dev/") && !BeginsWith(path, "/dev/shm/"));
}

// True if the mapping shows a file that may be shortened while programs that map it run: every shared mapping, and
// private ones that belong to no module or ELF file. A program whose own code or libraries are shortened cannot go on
// running anyway.
bool MayShrink(const Walk& walk, const platform::Mapping& mapping) {
  if (mapping.inode == 0 || !mapping.is_readable) return false;
  return !mapping.is_private || (!mapping.is_executable && mapping.inode != walk.candidate.inode);
}

// False: the list is full. Otherwise the mapping is in its last range.
bool AddRange(SpecialRanges* special, const platform::Mapping& mapping, PageState state) {
  special->sum = ((special->sum ^ mapping.begin) + mapping.end) * 0x9e3779b97f4a7c15ull;
  SpecialRanges::Range* next = &special->ranges[special->count];
  const bool is_full = special->count == kMaxSpecialRanges;
  if (special->count != 0 && MustGuard(state) && next[-1].state == state &&
      (is_full || next[-1].end == mapping.begin)) {
    // if the list is full, this includes everything in between, where guarded reads do no harm
    next[-1].end = mapping.end;
    return true;
  }
  if (is_full) {
    special->is_incomplete = 1;
    return false;
  }
  *next = {mapping.begin, mapping.end, state};
  ++special->count;
  return true;
}

void ListSpecial(Walk* walk, const platform::Mapping& mapping) {
  PageState state = PageState::kReadable;
  if (!IsAnonymous(mapping.path)) {
    if (IsUntouchable(mapping.path)) {
      state = PageState::kSpecial;
    } else if (MayShrink(*walk, mapping)) {
      state = PageState::kOfFile;
    }
  }
  // What is stored to a shared mapping is seen in every other mapping of the same part, also in a private one, except
  // for the pages that were stored to there.
  const bool is_shared = !mapping.is_private && state != PageState::kSpecial;
  const bool is_file = (mapping.inode | mapping.device) != 0;  // the first System V segment of a namespace has inode 0
  const bool is_compared = is_file && (is_shared || mapping.inode != walk->candidate.inode);
  Walk::Part* part = &walk->parts[walk->part_count];
  part->begin = ((uint64_t{mapping.device} << 16 ^ mapping.inode) << 40) + mapping.file_offset;
  part->bytes = mapping.end - mapping.begin;
  part->state = nullptr;
  for (const Walk::Part* other = walk->parts; is_compared && other != part; ++other) {
    if (part->begin - other->begin >= other->bytes && other->begin - part->begin >= part->bytes) continue;
    if (other->state != nullptr) *other->state = PageState::kTwice;
    if (is_shared) state = PageState::kTwice;
  }
  SpecialRanges* special = &walk->table->special;
  if ((is_shared || state != PageState::kReadable) && AddRange(special, mapping, state) && is_shared) {
    part->state = &special->ranges[special->count - 1].state;
  }
  if (is_compared && walk->part_count != kMaxComparedParts) ++walk->part_count;
}

// True if the mapping begins in one of the candidate's executable segments. *offset: what a loader maps there, from the
// module's beginning in its file on.
bool IsInCode(const Walk& walk, const platform::Mapping& mapping, uint64_t* offset) {
  const Module& module = walk.candidate;
  const uint64_t page_mask = ~(platform::LearnPageBytes() - 1);
  for (uint32_t i = 0; i < module.segment_count; ++i) {
    const ModuleSegment& segment = module.segments[i];
    const uint64_t begin = (module.bias + segment.vaddr) & page_mask;
    const uint64_t end = module.bias + segment.vaddr + segment.memory_bytes;
    if ((segment.flags & PF_X) == 0 || mapping.begin < begin || mapping.begin >= end) continue;
    *offset = (segment.file_offset & page_mask) + (mapping.begin - begin);
    return true;
  }
  return false;
}

void Commit(Walk* walk) {
  walk->has_candidate = false;
  ModuleTable& table = *walk->table;
  if (table.count == kMaxModules) {
    ++table.dropped;
    return;
  }
  Module& module = walk->candidate;
  module.is_main = module.begin <= walk->main_headers && walk->main_headers < module.end;
  memcpy(static_cast<void*>(&table.modules[table.count++]), &module, sizeof module);
}

SOFTLBR_NOINLINE bool IsElf(uint64_t begin) {
  Module module;
  return ReadMemoryElf(begin, &module);
}

// True if the mapping is the candidate's code, which thereby is a module: what a loader makes of the file, or perhaps a
// copy of it.
bool CommitByCode(Walk* walk, const platform::Mapping& mapping) {
  uint64_t offset;
  if (!walk->has_candidate || !mapping.is_executable || !IsInCode(*walk, mapping, &offset)) return false;
  const Module& module = walk->candidate;
  const bool is_of_file = mapping.inode == module.inode && mapping.device == module.device;
  if (is_of_file && mapping.file_offset - kFilePageBytes * module.file_page != offset) return false;
  if (!is_of_file) {
    // another module, behind a file that is mapped as data
    if (mapping.inode != 0 && IsElf(mapping.begin)) return false;
    NoteMoved(mapping, &module, &walk->moved);
  }
  Commit(walk);
  return true;
}

// True if `address` lies behind the module's code, in none of its segments.
bool IsInGapBehindCode(const Module& module, uint64_t address) {
  for (uint32_t i = 0; i < module.segment_count; ++i) {
    const ModuleSegment& segment = module.segments[i];
    const uint64_t begin = (module.bias + segment.vaddr) & ~(platform::LearnPageBytes() - 1);
    const uint64_t end = module.bias + segment.vaddr + segment.memory_bytes;
    if (address < end && (address >= begin || (segment.flags & PF_X) != 0)) return false;
  }
  return true;
}

uint32_t PageOf(const platform::Mapping& mapping) {
  return static_cast<uint32_t>(mapping.file_offset / kFilePageBytes);
}

// The module that was there at the last reading, if the mapping shows the same part of the same file.
const Module* KnownModule(const Walk& walk, const platform::Mapping& mapping) {
  if (walk.known == nullptr || mapping.inode == 0) return nullptr;
  const Module* module = FindModule(*walk.known, mapping.begin);
  const bool is_same = module != nullptr && module->begin == mapping.begin && module->inode == mapping.inode &&
                       module->device == mapping.device && module->file_page == PageOf(mapping) &&
                       IsWholeModule(*module);
  return is_same ? module : nullptr;
}

void FindModuleIn(Walk* walk, const platform::Mapping& mapping) {
  if (CommitByCode(walk, mapping)) return;
  ModuleTable& table = *walk->table;
  Module* const last = table.count != 0 ? &table.modules[table.count - 1] : nullptr;
  // The kernel leaves the gap between the code and the data of an ld.so whose segments are 64 KiB apart, and maps
  // anything there, also the vdso. The module then ends before that code.
  if (last != nullptr && mapping.is_executable && mapping.begin < last->end &&
      IsInGapBehindCode(*last, mapping.begin)) {
    last->end = mapping.begin;
  }
  const bool is_inside = last != nullptr && mapping.begin < last->end;
  const bool is_vdso = BeginsWith(mapping.path, "[vdso]");
  // Loaders map files privately. Reading a shared mapping could have effects: a sparse file grows by a page, a device
  // reacts, the reader of a userfaultfd must provide the page.
  const bool is_file = mapping.inode != 0 && mapping.is_private;
  const bool may_be_elf = mapping.is_readable && (is_file || is_vdso);
  if (is_inside || !may_be_elf) return;
  Module& found = walk->candidate;
  const Module* const known = KnownModule(*walk, mapping);
  if (known != nullptr) {
    memcpy(static_cast<void*>(&found), known, sizeof found);
  } else {
    Module read;
    memset(static_cast<void*>(&read), 0, sizeof read);  // padding too: tables are compared as bytes
    if (!ReadMemoryElf(mapping.begin, &read)) {
      if (mapping.is_executable) NoteMoved(mapping, nullptr, &walk->moved);
      return;
    }
    read.inode = mapping.inode;
    read.device = mapping.device;
    read.file_page = PageOf(mapping);
    TakeName(mapping.path, walk->keep_paths, read.name);
    memcpy(static_cast<void*>(&found), &read, sizeof found);
  }
  walk->has_candidate = true;
  (void)CommitByCode(walk, mapping);
}

bool Visit(void* cookie, const platform::Mapping& mapping) {
  Walk* walk = static_cast<Walk*>(cookie);
  if (mapping.is_readable) AddMapping(&walk->table->mapped, mapping.begin, mapping.end);
  FindModuleIn(walk, mapping);
  ListSpecial(walk, mapping);
  return true;
}

bool AreSame(const Module* a, const Module* b, uint32_t count) {
  static_assert(sizeof(Module) % sizeof(uint64_t) == 0);
  const auto* left = reinterpret_cast<const char*>(a);
  const auto* right = reinterpret_cast<const char*>(b);
  for (uint64_t at = 0; at < count * sizeof(Module); at += sizeof(uint64_t)) {
    uint64_t words[2];
    memcpy(&words[0], left + at, sizeof words[0]);
    memcpy(&words[1], right + at, sizeof words[1]);
    if (words[0] != words[1]) return false;
  }
  return true;
}

// Keeps the generation of each module that is unchanged; others begin in the new one.
void KeepAges(const ModuleTable& current, ModuleTable* next) {
  uint32_t old = 0;
  for (uint32_t i = 0; i < next->count; ++i) {
    while (old < current.count && current.modules[old].begin < next->modules[i].begin) ++old;
    const bool is_known = old < current.count && AreSame(&current.modules[old], &next->modules[i], 1);
    next->since[i] = is_known ? current.since[old] : next->generation;
  }
}

}  // namespace

bool RefreshModuleTable(const ModuleTable& current, bool keep_paths, bool may_reuse, ModuleTable* next) {
  next->count = 0;
  next->dropped = 0;
  next->mapped.sum = 0;
  next->mapped.count = 0;
  next->mapped.is_full = 0;
  next->special.count = 0;
  next->special.is_incomplete = 0;
  next->special.sum = 0;
  next->generation = current.generation + 1;
  Walk walk;
  walk.table = next;
  walk.known = may_reuse ? &current : nullptr;
  walk.keep_paths = keep_paths;
  walk.main_headers = platform::MainProgramHeaders();
  walk.has_candidate = false;
  walk.candidate.inode = 0;
  walk.part_count = 0;
  walk.moved.count = 0;
  next->compared_count = 0;
  if (platform::ForEachMapping(Visit, &walk) != Status::kOk) return false;
  SettleMoved(walk.moved, current, next);
  if (current.count == next->count && current.dropped == next->dropped &&
      AreSame(current.modules, next->modules, next->count) && current.compared_count == next->compared_count &&
      memcmp(current.compared, next->compared, next->compared_count * sizeof *next->compared) == 0) {
    return false;
  }
  KeepAges(current, next);
  return true;
}

const Module* FindModule(const ModuleTable& table, uint64_t address) {
  uint32_t low = 0;
  uint32_t high = table.count;  // modules below low begin at or before address, those from high on after it
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (table.modules[middle].begin <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return nullptr;
  const Module& module = table.modules[low - 1];
  return address < module.end ? &module : nullptr;
}

}  // namespace softlbr
