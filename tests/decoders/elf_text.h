// Executable sections of an ELF file on disk, for tests that walk real code.
#ifndef SOFTLBR_TESTS_DECODERS_ELF_TEXT_H_
#define SOFTLBR_TESTS_DECODERS_ELF_TEXT_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace softlbr::test {

struct CodeSection {
  uint64_t address;
  std::vector<uint8_t> bytes;
};

// .text of a 64-bit little-endian ELF file for `machine`; empty if there is no such file or section.
inline CodeSection ReadText(const std::string& path, uint16_t machine = EM_X86_64) {
  CodeSection result{};
  std::ifstream file(path, std::ios::binary);
  std::vector<char> data((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Elf64_Ehdr header;
  if (data.size() < sizeof(header)) return result;
  std::memcpy(&header, data.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != machine) return result;
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  if (header.e_shoff + sections.size() * sizeof(Elf64_Shdr) > data.size()) return result;
  std::memcpy(sections.data(), data.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  if (header.e_shstrndx >= sections.size()) return result;
  const Elf64_Shdr& names = sections[header.e_shstrndx];
  for (const Elf64_Shdr& section : sections) {
    if (names.sh_offset + section.sh_name >= data.size()) continue;
    const std::string name = data.data() + names.sh_offset + section.sh_name;
    if (name != ".text" || section.sh_offset + section.sh_size > data.size()) continue;
    result.address = section.sh_addr;
    const auto begin = data.begin() + static_cast<std::ptrdiff_t>(section.sh_offset);
    result.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(section.sh_size));
  }
  return result;
}

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_DECODERS_ELF_TEXT_H_
