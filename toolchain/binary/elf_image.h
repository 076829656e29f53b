// A parsed ELF file: segments, sections, build id, symbols, and code bytes by link-time address.
//
// Input is hostile: every offset is checked against the file size before use, and counts are bounded by the file size.
// Errors are one line with cause and remedy. Memory: the file is mapped read-only for the object's lifetime.
// Only 64-bit little-endian files are accepted; the error names what is unsupported.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_ELF_IMAGE_H_
#define SOFTLBR_TOOLCHAIN_BINARY_ELF_IMAGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

struct ElfSection {
  std::string_view name;  // points into the file
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t vaddr = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t link = 0;
  uint64_t entry_bytes = 0;
};

struct ElfSymbol {
  std::string_view name;  // points into the file
  uint64_t value = 0;
  uint64_t bytes = 0;
  uint8_t type = 0;     // STT_*
  uint8_t binding = 0;  // STB_*
  uint16_t section = 0;
};

class ElfImage {
 public:
  // Opens the file and checks its headers. The error reads "<path>: <cause>; <remedy>".
  static std::variant<std::shared_ptr<const ElfImage>, std::string> Open(const std::string& path);
  // The same for bytes in memory, which must outlive the object (the vDSO, tests).
  static std::variant<std::shared_ptr<const ElfImage>, std::string> FromBytes(std::span<const uint8_t> bytes,
                                                                              const std::string& display_name);
  // The same for bytes that the object keeps.
  static std::variant<std::shared_ptr<const ElfImage>, std::string> FromContent(std::vector<uint8_t> content,
                                                                                const std::string& display_name);
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;
  ~ElfImage();

  const std::string& path() const { return path_; }
  uint16_t machine() const { return machine_; }
  std::span<const uint8_t> bytes() const { return bytes_; }
  // True for a separate debug file: it has the program's sections and symbols, but not the code.
  bool is_debug_only() const { return is_debug_only_; }
  uint16_t type() const { return type_; }
  bool has_interpreter() const { return has_interpreter_; }
  bool is_dynamic() const { return is_dynamic_; }
  const std::vector<uint8_t>& build_id() const { return build_id_; }
  const std::vector<Segment>& segments() const { return segments_; }  // PT_LOAD, flags PF_*
  const std::vector<ElfSection>& sections() const { return sections_; }
  const ElfSection* FindSection(std::string_view name) const;

  // Symbols of .dynsym if `dynamic`, else of .symtab; empty if the section is absent or damaged.
  std::vector<ElfSymbol> Symbols(bool dynamic) const;
  // File bytes of a section; empty for SHT_NOBITS and for a section that extends past the end of the file.
  std::span<const uint8_t> SectionBytes(const ElfSection& section) const;
  // File bytes from `vaddr` to the end of its executable segment, at most `limit`; empty if no such segment contains
  // `vaddr`, and in a debug file.
  std::span<const uint8_t> CodeAt(uint64_t vaddr, size_t limit) const;

 private:
  ElfImage() = default;
  std::string Parse();
  void ParseBuildId(std::span<const uint8_t> notes, uint64_t alignment);
  void ParseSections(uint64_t table_offset, uint16_t entry_bytes, uint16_t count, uint16_t names_index);
  std::string_view StringAt(std::span<const uint8_t> table, uint64_t offset) const;
  template <typename T>
  bool ReadAt(uint64_t offset, T* value) const;

  std::string path_;
  std::span<const uint8_t> bytes_;
  bool is_mapped_ = false;
  std::vector<uint8_t> content_;  // if bytes_ are its own
  uint16_t machine_ = 0;
  uint16_t type_ = 0;
  bool has_interpreter_ = false;
  bool is_dynamic_ = false;
  bool is_debug_only_ = false;
  std::vector<uint8_t> build_id_;
  std::vector<Segment> segments_;
  std::vector<ElfSection> sections_;
};

using ElfImagePtr = std::shared_ptr<const ElfImage>;

// The executable segment that contains `address`, or nullptr.
const Segment* FindExecutableSegment(const std::vector<Segment>& segments, uint64_t address);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_ELF_IMAGE_H_
