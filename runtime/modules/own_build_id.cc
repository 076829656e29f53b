#include "runtime/modules/own_build_id.h"

#include <elf.h>

#include "platform/base/bytes.h"

// From the linker: the ELF header, if the module maps it.
extern "C" __attribute__((weak, visibility("hidden"))) const char __ehdr_start[];

namespace softlbr {
namespace {

constexpr uint32_t kMostHeaders = 64;

uint64_t AlignNote(uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) & ~(alignment - 1); }

Elf64_Phdr SegmentAt(const char* start, const Elf64_Ehdr& header, uint32_t index) {
  Elf64_Phdr segment;
  CopyBytes(&segment, start + header.e_phoff + index * sizeof segment, sizeof segment);
  return segment;
}

// In the notes of one segment.
uint32_t FindBuildId(const char* notes, uint64_t bytes, uint64_t alignment, uint8_t* id, uint32_t most) {
  for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= bytes;) {
    const auto note = LoadUnaligned<Elf64_Nhdr>(notes + at);
    const uint64_t name = at + sizeof note;
    const uint64_t content = name + AlignNote(note.n_namesz, alignment);
    const uint64_t end = content + note.n_descsz;
    if (content > bytes || end > bytes) return 0;
    // "GNU"
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && LoadUnaligned<uint32_t>(notes + name) == 0x00554e47) {
      if (note.n_descsz > most) return 0;
      CopyBytes(id, notes + content, note.n_descsz);
      return note.n_descsz;
    }
    at = AlignNote(end, alignment);
  }
  return 0;
}

}  // namespace

uint32_t ReadOwnBuildId(uint8_t* id, uint32_t most) {
  const char* start = __ehdr_start;
  __asm__("" : "+r"(start));  // else the compiler would assume that the address of an array is never null
  if (start == nullptr) return 0;
  Elf64_Ehdr header;
  CopyBytes(&header, start, sizeof header);
  const uint32_t count = header.e_phnum < kMostHeaders ? header.e_phnum : kMostHeaders;
  const char* base = nullptr;  // add it to a link-time address
  for (uint32_t i = 0; i < count; ++i) {
    const Elf64_Phdr segment = SegmentAt(start, header, i);
    if (segment.p_type == PT_LOAD && segment.p_offset == 0) base = start - segment.p_vaddr;
  }
  if (base == nullptr) return 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Elf64_Phdr segment = SegmentAt(start, header, i);
    if (segment.p_type != PT_NOTE) continue;
    const uint32_t bytes = FindBuildId(base + segment.p_vaddr, segment.p_memsz, segment.p_align == 8 ? 8 : 4, id, most);
    if (bytes != 0) return bytes;
  }
  return 0;
}

}  // namespace softlbr
