#include "runtime/modules/memory_elf.h"

#include <elf.h>

#include <cstring>

#include "platform/base/bytes.h"
#include "platform/base/limits.h"
#include "platform/safe_read.h"

namespace softlbr {
namespace {

// The first bytes of a file, which mostly hold all that is wanted here: one system call then reads it.
struct FileHead {
  uint64_t address;
  uint8_t bytes[kElfHeadBytes];
};

bool Copy(const FileHead& head, uint64_t address, void* output, uint64_t bytes) {
  const uint64_t at = address - head.address;
  if (at > sizeof head.bytes || bytes > sizeof head.bytes - at)
    return platform::CopyFrom(address, output, bytes) == Status::kOk;
  memcpy(output, head.bytes + at, bytes);
  return true;
}

uint64_t PageDown(uint64_t address) { return address & ~(platform::LearnPageBytes() - 1); }

bool IsSupported(const Elf64_Ehdr& header) {
  constexpr uint64_t kIdent =
      uint64_t{ELFDATA2LSB} << 40 | uint64_t{ELFCLASS64} << 32 | 'F' << 24 | 'L' << 16 | 'E' << 8 | ELFMAG0;
  return (LoadUnaligned<uint64_t>(header.e_ident) & 0xffffffffffff) == kIdent &&
         (header.e_type == ET_EXEC || header.e_type == ET_DYN) && header.e_phentsize == sizeof(Elf64_Phdr) &&
         header.e_phnum != 0 && header.e_phnum <= kMaxElfHeaders && header.e_phoff >= sizeof(Elf64_Ehdr) &&
         header.e_phoff <= kMaxElfHeaderOffset;
}

// Loadable segments must ascend and start with the page that holds the ELF header; a loader refuses anything else.
bool TakeSegments(const Elf64_Phdr* headers, uint32_t count, uint64_t begin, Module* module) {
  uint64_t end = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Elf64_Phdr& header = headers[i];
    if (header.p_type != PT_LOAD) continue;
    if (header.p_vaddr < end || header.p_memsz > kMaxElfSpanBytes || header.p_vaddr > UINT64_MAX - header.p_memsz ||
        header.p_filesz > header.p_memsz) {
      return false;
    }
    end = header.p_vaddr + header.p_memsz;
    if (module->segment_count == 0) {
      if (PageDown(header.p_offset) != 0) return false;
      module->bias = begin - PageDown(header.p_vaddr);
    }
    if (module->segment_count == kMaxProgramHeaders) return true;
    module->segments[module->segment_count++] =
        ModuleSegment{header.p_vaddr, header.p_offset, header.p_filesz, header.p_memsz, header.p_flags, 0};
  }
  if (module->segment_count == 0) return false;
  const ModuleSegment& last = module->segments[module->segment_count - 1];
  if (last.vaddr + last.memory_bytes - module->segments[0].vaddr > kMaxElfSpanBytes) return false;
  return module->elf_type == ET_DYN || module->bias == 0;
}

// Copies the GNU build id from the notes at [address, address + bytes), if they hold one.
void TakeBuildId(const FileHead& head, uint64_t address, uint64_t bytes, uint64_t alignment, Module* module) {
  uint8_t notes[kMaxNoteBytes];
  if (bytes > sizeof notes) bytes = sizeof notes;
  if (!Copy(head, address, notes, bytes)) return;
  const auto aligned = [alignment](uint64_t value) { return (value + alignment - 1) & ~(alignment - 1); };
  uint64_t at = 0;
  for (uint32_t i = 0; i < kMaxNotes && bytes - at >= sizeof(Elf64_Nhdr); ++i) {
    Elf64_Nhdr note;
    memcpy(&note, notes + at, sizeof note);
    const uint64_t name_at = at + sizeof note;
    if (note.n_namesz > bytes - name_at) return;
    const uint64_t content_at = aligned(name_at + note.n_namesz);
    if (content_at > bytes || note.n_descsz > bytes - content_at) return;
    const uint8_t* name = notes + name_at;
    constexpr uint32_t kGnu = 'U' << 16 | 'N' << 8 | 'G';
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof kGnu && LoadUnaligned<uint32_t>(name) == kGnu) {
      if (note.n_descsz > kMaxBuildIdBytes) return;
      memcpy(module->build_id, notes + content_at, note.n_descsz);
      module->build_id_bytes = static_cast<uint8_t>(note.n_descsz);
      return;
    }
    at = aligned(content_at + note.n_descsz);
    if (at > bytes) return;
  }
}

}  // namespace

bool ReadMemoryElf(uint64_t begin, Module* module) {
  FileHead head;
  head.address = begin;
  if (platform::CopyFrom(begin, head.bytes, sizeof head.bytes) != Status::kOk) return false;
  Elf64_Ehdr header;
  memcpy(&header, head.bytes, sizeof header);
  if (!IsSupported(header)) return false;
  Elf64_Phdr headers[kMaxElfHeaders];
  if (!Copy(head, begin + header.e_phoff, headers, header.e_phnum * sizeof(Elf64_Phdr))) return false;
  module->machine = header.e_machine;
  module->elf_type = header.e_type;
  module->segment_count = 0;
  module->build_id_bytes = 0;
  if (!TakeSegments(headers, header.e_phnum, begin, module)) return false;
  const ModuleSegment& last = module->segments[module->segment_count - 1];
  module->begin = begin;
  module->end = module->bias + last.vaddr + last.memory_bytes;
  if (module->end <= module->begin) return false;
  for (uint32_t i = 0; i < header.e_phnum && module->build_id_bytes == 0; ++i) {
    const Elf64_Phdr& note = headers[i];
    if (note.p_type != PT_NOTE || note.p_vaddr < module->segments[0].vaddr ||
        note.p_vaddr > last.vaddr + last.memory_bytes || note.p_memsz > last.vaddr + last.memory_bytes - note.p_vaddr) {
      continue;
    }
    TakeBuildId(head, module->bias + note.p_vaddr, note.p_memsz, note.p_align == 8 ? 8 : 4, module);
  }
  return true;
}

}  // namespace softlbr
