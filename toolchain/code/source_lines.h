// Source lines of a module's code, from its DWARF line tables, and what the compiler inlined there. By libdw, which is
// loaded with the first use.
#ifndef SOFTLBR_TOOLCHAIN_CODE_SOURCE_LINES_H_
#define SOFTLBR_TOOLCHAIN_CODE_SOURCE_LINES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace softlbr::toolchain {

struct SourceLine {
  std::string file;  // as the compiler was given it
  int line = 0;
};

// From this address on, up to the next row, the code is that of a line.
struct LineRow {
  uint64_t address = 0;
  std::string file;
  int line = 0;
  bool is_end = false;  // of a run of code; file and line say nothing
};

class SourceLines {
 public:
  // path: an ELF file, the module or its separate debug file. Without line tables there, every answer is nothing.
  // Warns, once for a file, if it has a line table of which no line can be read. StatedFailure if libdw is not
  // installed.
  explicit SourceLines(const std::string& path);
  ~SourceLines();
  SourceLines(const SourceLines&) = delete;
  SourceLines& operator=(const SourceLines&) = delete;

  std::optional<SourceLine> Of(uint64_t address) const;
  // All of the file, by address; at one address the end of a run comes first. Rows that only repeat a line are left
  // out.
  std::vector<LineRow> Rows() const;
  // How many calls deep the code at the address was inlined: 0 if it stands in its own function, or without debug
  // information. Reads the whole compilation unit with the first address in it, with -gsplit-dwarf from its .dwo file.
  uint32_t InlineDepthOf(uint64_t address) const;

 private:
  bool HasLines() const;

  class Units;
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_SOURCE_LINES_H_
