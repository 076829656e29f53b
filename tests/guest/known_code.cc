#include "tests/guest/known_code.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace softlbr::guest {
namespace {

constexpr uint64_t kPageBytes = 4096;  // the smallest page size
constexpr size_t kTellingInstructions = 10;

}  // namespace

bool KnownCode::Read(const std::string& file_name) {
  std::ifstream file(file_name, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return false;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const size_t at = header.e_phoff + i * sizeof segment;
    if (at + sizeof segment > bytes.size()) return false;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    if (segment.p_offset + segment.p_filesz > bytes.size() || segment.p_vaddr % sizeof(uint32_t) != 0) return false;
    begin_ = segment.p_vaddr;
    code_.resize(segment.p_filesz / sizeof(uint32_t));
    std::memcpy(code_.data(), bytes.data() + segment.p_offset, code_.size() * sizeof(uint32_t));
    return !code_.empty();
  }
  return false;
}

bool KnownCode::EqualsAt(uint64_t vaddr, const uint32_t* words, size_t count) const {
  if (vaddr < begin_) return false;
  const uint64_t index = (vaddr - begin_) / sizeof(uint32_t);
  return index + count <= code_.size() && std::memcmp(&code_[index], words, count * sizeof(uint32_t)) == 0;
}

bool KnownCode::Contains(uint64_t address, const uint32_t* words, size_t count) {
  for (const uint64_t distance : distances_) {
    if (EqualsAt(address - distance, words, count)) return true;
  }
  if (count < kTellingInstructions) return false;
  const uint64_t end = begin_ + code_.size() * sizeof(uint32_t);
  for (uint64_t vaddr = (begin_ & ~(kPageBytes - 1)) + address % kPageBytes; vaddr < end; vaddr += kPageBytes) {
    if (!EqualsAt(vaddr, words, count)) continue;
    distances_.insert(address - vaddr);
    return true;
  }
  return false;
}

}  // namespace softlbr::guest
