// Source lines of a module's code, from its DWARF line tables, and what the compiler inlined there. By libdw, which is loaded with the
// first use.
#ifndef SOFTLBR_TOOLCHAIN_CODE_SOURCE_LINES_H_
#define SOFTLBR_TOOLCHAIN_CODE_SOURCE_LINES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace softlbr::toolchain {

struct SourceLine {
  std::string file;  // as the compiler was given it
  int line = 0;
};

class SourceLines {
 public:
  // path: an ELF file, the module or its separate debug file. Without line tables there, every answer is nothing.
  // StatedFailure if libdw is not installed.
  explicit SourceLines(const std::string& path);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  std::optional<SourceLine> Of(uint64_t address) const;
  // How many calls deep the code at the address was inlined: 0 if it stands in its own function, or without debug information.
  // Reads the whole compilation unit with the first address in it.
  uint32_t InlineDepthOf(uint64_t address) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_SOURCE_LINES_H_
