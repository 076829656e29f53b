// Builds minimal ELF files for tests.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_BINARY_TINY_ELF_H_
#define SOFTLBR_TESTS_TOOLCHAIN_BINARY_TINY_ELF_H_

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace softlbr::testing {

// ELF header, one executable segment with `code` at `vaddr` (file offset 0x200), optionally an interpreter segment.
inline std::string TinyElf(uint16_t machine, uint64_t vaddr, const std::vector<uint8_t>& code,
                           bool has_interpreter = false) {
  constexpr size_t kCodeOffset = 0x200;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = machine;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = has_interpreter ? 2 : 1;
  Elf64_Phdr load{};
  load.p_type = PT_LOAD;
  load.p_flags = PF_R | PF_X;
  load.p_offset = kCodeOffset;
  load.p_vaddr = vaddr;
  load.p_filesz = load.p_memsz = code.size();
  Elf64_Phdr interpreter{};
  interpreter.p_type = PT_INTERP;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&load), sizeof load);
  if (has_interpreter) bytes.append(reinterpret_cast<const char*>(&interpreter), sizeof interpreter);
  bytes.resize(kCodeOffset);
  bytes.append(code.begin(), code.end());
  return bytes;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_BINARY_TINY_ELF_H_
