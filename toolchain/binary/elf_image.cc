#include "toolchain/binary/elf_image.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// More program headers than any linker writes: a larger count means a damaged file.
constexpr uint32_t kMaxProgramHeaderCount = 4096;
constexpr size_t kMaxNoteBuildIdBytes = 64;

}  // namespace

template <typename T>
bool ElfImage::ReadAt(uint64_t offset, T* value) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
  std::memcpy(value, bytes_.data() + offset, sizeof(T));
  return true;
}

std::variant<ElfImagePtr, std::string> ElfImage::Open(const std::string& path) {
  const std::string shown = SafeText(path);
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return shown + ": " + std::strerror(errno);
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return shown + ": not a regular file; name the ELF file itself";
  }
  if (info.st_size == 0) {
    close(fd);
    return shown + ": empty file; name the ELF file itself";
  }
  const size_t size = static_cast<size_t>(info.st_size);
  void* mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int map_error = errno;
  close(fd);
  if (mapping == MAP_FAILED) return shown + ": cannot be mapped: " + std::strerror(map_error);
  std::shared_ptr<ElfImage> image(new ElfImage);
  image->path_ = path;
  image->bytes_ = {static_cast<const uint8_t*>(mapping), size};
  image->is_mapped_ = true;
  const std::string error = image->Parse();
  if (!error.empty()) return shown + ": " + error;
  return ElfImagePtr(image);
}

std::variant<ElfImagePtr, std::string> ElfImage::FromBytes(std::span<const uint8_t> bytes,
                                                           const std::string& display_name) {
  std::shared_ptr<ElfImage> image(new ElfImage);
  image->path_ = display_name;
  image->bytes_ = bytes;
  const std::string error = image->Parse();
  if (!error.empty()) return SafeText(display_name) + ": " + error;
  return ElfImagePtr(image);
}

std::variant<ElfImagePtr, std::string> ElfImage::FromContent(std::vector<uint8_t> content,
                                                             const std::string& display_name) {
  std::shared_ptr<ElfImage> image(new ElfImage);
  image->path_ = display_name;
  image->content_ = std::move(content);
  image->bytes_ = image->content_;
  const std::string error = image->Parse();
  if (!error.empty()) return SafeText(display_name) + ": " + error;
  return ElfImagePtr(image);
}

ElfImage::~ElfImage() {
  if (is_mapped_) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

std::string ElfImage::Parse() {
  Elf64_Ehdr header;
  if (bytes_.size() < EI_NIDENT || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) {
    return "not an ELF file; name the program or shared library itself";
  }
  if (bytes_[EI_CLASS] != ELFCLASS64) return "not a 64-bit ELF file; only 64-bit programs are supported";
  if (bytes_[EI_DATA] != ELFDATA2LSB) return "not a little-endian ELF file; only little-endian programs are supported";
  if (!ReadAt(0, &header)) return "truncated ELF header; the file is damaged";
  machine_ = header.e_machine;
  type_ = header.e_type;
  if (header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr)) {
    return "program headers of a strange size; the file is damaged";
  }
  if (header.e_phnum > kMaxProgramHeaderCount) return "too many program headers; the file is damaged";
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr program;
    if (header.e_phoff > bytes_.size() || !ReadAt(header.e_phoff + i * sizeof program, &program)) {
      return "program headers reach past the end; the file is truncated";
    }
    if (program.p_type == PT_INTERP) has_interpreter_ = true;
    if (program.p_type == PT_DYNAMIC) is_dynamic_ = true;
    if (program.p_type == PT_LOAD) {
      segments_.push_back({program.p_vaddr, program.p_offset, program.p_filesz, program.p_memsz, program.p_flags});
    }
    if (program.p_type == PT_NOTE && build_id_.empty() && program.p_offset <= bytes_.size()) {
      const uint64_t size = std::min<uint64_t>(program.p_filesz, bytes_.size() - program.p_offset);
      ParseBuildId(bytes_.subspan(program.p_offset, size), program.p_align == 8 ? 8 : 4);
    }
  }
  ParseSections(header.e_shoff, header.e_shentsize, header.e_shnum, header.e_shstrndx);
  return "";
}

void ElfImage::ParseBuildId(std::span<const uint8_t> notes, uint64_t alignment) {
  const auto align = [&](uint64_t value) { return (value + alignment - 1) & ~(alignment - 1); };
  uint64_t at = 0;
  while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof note);
    const uint64_t name_at = at + sizeof note;
    const uint64_t value_at = align(name_at + note.n_namesz);
    const uint64_t next = align(value_at + note.n_descsz);
    if (value_at > notes.size() || note.n_descsz > notes.size() - value_at) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes.data() + name_at, "GNU", 4) == 0 &&
        note.n_descsz > 0 && note.n_descsz <= kMaxNoteBuildIdBytes) {
      build_id_.assign(notes.begin() + static_cast<ptrdiff_t>(value_at),
                       notes.begin() + static_cast<ptrdiff_t>(value_at + note.n_descsz));
      return;
    }
    if (next > notes.size()) return;
    at = next;
  }
}

// Sections are optional: with a missing or damaged section table the image has no sections and no symbols.
void ElfImage::ParseSections(uint64_t table_offset, uint16_t entry_bytes, uint16_t count, uint16_t names_index) {
  if (table_offset == 0 || entry_bytes != sizeof(Elf64_Shdr)) return;
  uint64_t section_count = count;
  uint64_t names = names_index;
  Elf64_Shdr first;
  if (!ReadAt(table_offset, &first)) return;
  if (section_count == 0) section_count = first.sh_size;
  if (names == SHN_XINDEX) names = first.sh_link;
  if (section_count > (bytes_.size() - table_offset) / sizeof first) return;
  std::span<const uint8_t> name_table;
  Elf64_Shdr header;
  if (names < section_count && ReadAt(table_offset + names * sizeof header, &header) &&
      header.sh_offset <= bytes_.size() && header.sh_size <= bytes_.size() - header.sh_offset) {
    name_table = bytes_.subspan(header.sh_offset, header.sh_size);
  }
  for (uint64_t i = 0; i < section_count; ++i) {
    if (!ReadAt(table_offset + i * sizeof header, &header)) return;
    ElfSection section;
    section.name = StringAt(name_table, header.sh_name);
    section.type = header.sh_type;
    section.flags = header.sh_flags;
    section.vaddr = header.sh_addr;
    section.offset = header.sh_offset;
    section.bytes = header.sh_size;
    section.link = header.sh_link;
    section.entry_bytes = header.sh_entsize;
    sections_.push_back(section);
    is_debug_only_ |= section.type == SHT_NOBITS && (section.flags & SHF_EXECINSTR) != 0;
    if (build_id_.empty() && section.type == SHT_NOTE)
      ParseBuildId(SectionBytes(section), header.sh_addralign == 8 ? 8 : 4);
  }
}

std::string_view ElfImage::StringAt(std::span<const uint8_t> table, uint64_t offset) const {
  if (offset >= table.size()) return {};
  const char* start = reinterpret_cast<const char*>(table.data() + offset);
  const size_t room = table.size() - offset;
  const void* end = std::memchr(start, '\0', room);
  if (end == nullptr) return {};
  return {start, static_cast<size_t>(static_cast<const char*>(end) - start)};
}

std::span<const uint8_t> ElfImage::SectionBytes(const ElfSection& section) const {
  if (section.type == SHT_NOBITS || section.offset > bytes_.size() || section.bytes > bytes_.size() - section.offset) {
    return {};
  }
  return bytes_.subspan(section.offset, section.bytes);
}

const ElfSection* ElfImage::FindSection(std::string_view name) const {
  for (const ElfSection& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

std::vector<ElfSymbol> ElfImage::Symbols(bool dynamic) const {
  std::vector<ElfSymbol> symbols;
  const uint32_t wanted = dynamic ? SHT_DYNSYM : SHT_SYMTAB;
  for (const ElfSection& section : sections_) {
    if (section.type != wanted || section.link >= sections_.size()) continue;
    const std::span<const uint8_t> table = SectionBytes(section);
    const std::span<const uint8_t> names = SectionBytes(sections_[section.link]);
    symbols.reserve(table.size() / sizeof(Elf64_Sym));
    for (size_t at = 0; table.size() - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
      Elf64_Sym raw;
      std::memcpy(&raw, table.data() + at, sizeof raw);
      symbols.push_back({StringAt(names, raw.st_name), raw.st_value, raw.st_size,
                         static_cast<uint8_t>(ELF64_ST_TYPE(raw.st_info)),
                         static_cast<uint8_t>(ELF64_ST_BIND(raw.st_info)), raw.st_shndx});
    }
    break;
  }
  return symbols;
}

std::span<const uint8_t> ElfImage::CodeAt(uint64_t vaddr, size_t limit) const {
  const Segment* segment = FindExecutableSegment(segments_, vaddr);
  if (segment == nullptr || is_debug_only_) return {};
  const uint64_t into = vaddr - segment->vaddr;
  if (into >= segment->file_bytes || segment->file_offset > bytes_.size()) return {};
  const uint64_t offset = segment->file_offset + into;
  if (offset < into || offset >= bytes_.size()) return {};
  const uint64_t size = std::min<uint64_t>({segment->file_bytes - into, bytes_.size() - offset, limit});
  return bytes_.subspan(offset, size);
}

const Segment* FindExecutableSegment(const std::vector<Segment>& segments, uint64_t address) {
  for (const Segment& segment : segments) {
    if ((segment.flags & PF_X) != 0 && address >= segment.vaddr && address - segment.vaddr < segment.memory_bytes) {
      return &segment;
    }
  }
  return nullptr;
}

}  // namespace softlbr::toolchain
