#include "tests/reference/guest_places.h"

#include <elf.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace softlbr::reference {
namespace {

// Empty for what is no 64-bit ELF file.
std::vector<std::pair<uint64_t, uint64_t>> CodeOfFile(const std::string& path) {
  std::vector<std::pair<uint64_t, uint64_t>> parts;
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return parts;
  Elf64_Ehdr header;
  const bool is_elf = std::fread(&header, sizeof header, 1, file) == 1 && header.e_ident[EI_MAG0] == ELFMAG0 &&
                      header.e_ident[EI_MAG1] == 'E' && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      header.e_phentsize == sizeof(Elf64_Phdr);
  if (is_elf && std::fseek(file, static_cast<long>(header.e_phoff), SEEK_SET) == 0) {
    Elf64_Phdr segment;
    for (unsigned i = 0; i < header.e_phnum && std::fread(&segment, sizeof segment, 1, file) == 1; ++i) {
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
        parts.emplace_back(segment.p_offset, segment.p_offset + segment.p_filesz);
      }
    }
  }
  std::fclose(file);
  return parts;
}

}  // namespace

void GuestPlaces::Read() {
  is_known_ = true;
  mappings_.clear();
  std::FILE* file = std::fopen("/proc/self/maps", "re");
  if (file == nullptr) return;
  char line[4600];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    uint64_t begin, end, offset;
    char permissions[8];
    int at = 0;
    if (std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n", &begin, &end, permissions, &offset,
                    &at) < 4)
      continue;
    // All mappings of files: the emulator maps the program's code readable only.
    std::string path = line + at;
    if (!path.empty() && path.back() == '\n') path.pop_back();
    if (path.empty() || path[0] != '/') continue;
    const auto known = std::find(modules_.begin(), modules_.end(), path);
    const int module = static_cast<int>(known - modules_.begin());
    if (known == modules_.end()) {
      modules_.push_back(path);
      code_.push_back(CodeOfFile(path));
    }
    mappings_.push_back({begin, end, offset, module});
  }
  std::fclose(file);
}

GuestPlace GuestPlaces::Of(uint64_t address, uint64_t guest_base) {
  if (!is_known_) Read();
  const uint64_t host = address + guest_base;
  for (const Mapping& mapping : mappings_) {
    if (host >= mapping.begin && host < mapping.end) return {mapping.module, host - mapping.begin + mapping.offset};
  }
  return {-1, address};
}

bool GuestPlaces::IsCode(uint64_t address, uint64_t guest_base) {
  const GuestPlace place = Of(address, guest_base);
  if (place.module < 0) return false;
  for (const auto& [begin, end] : code_[static_cast<size_t>(place.module)]) {
    if (place.offset >= begin && place.offset < end) return true;
  }
  return false;
}

void GuestPlaces::Forget() { is_known_ = false; }

bool GuestPlaces::ChangesMappings(int64_t system_call, bool is_a64) {
  return is_a64 ? system_call == 222 || system_call == 215 || system_call == 216
                : system_call == 9 || system_call == 11 || system_call == 25;
}

}  // namespace softlbr::reference
