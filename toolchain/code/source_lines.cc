#include "toolchain/code/source_lines.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include "toolchain/host/shared_library.h"

namespace softlbr::toolchain {
namespace {

// Its functions, without their prefix "dwarf_".
struct DwarfLibrary {
  decltype(&::dwarf_begin) begin;
  decltype(&::dwarf_end) end;
  decltype(&::dwarf_addrdie) addrdie;
  decltype(&::dwarf_getsrc_die) getsrc_die;
  decltype(&::dwarf_lineno) lineno;
  decltype(&::dwarf_linesrc) linesrc;
};

DwarfLibrary LoadDwarf() {
  const SharedLibrary library("blocks", "libdw.so.1", "libdw1");
  DwarfLibrary dwarf{};
  library.Find("dwarf_begin", &dwarf.begin);
  library.Find("dwarf_end", &dwarf.end);
  library.Find("dwarf_addrdie", &dwarf.addrdie);
  library.Find("dwarf_getsrc_die", &dwarf.getsrc_die);
  library.Find("dwarf_lineno", &dwarf.lineno);
  library.Find("dwarf_linesrc", &dwarf.linesrc);
  return dwarf;
}

const DwarfLibrary& DwarfFunctions() {
  static const DwarfLibrary dwarf = LoadDwarf();
  return dwarf;
}

}  // namespace

struct SourceLines::Handle {
  int fd = -1;
  Dwarf* dwarf = nullptr;
};

SourceLines::SourceLines(const std::string& path) : handle_(std::make_unique<Handle>()) {
  const DwarfLibrary& library = DwarfFunctions();
  handle_->fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (handle_->fd >= 0) handle_->dwarf = library.begin(handle_->fd, DWARF_C_READ);
}

SourceLines::~SourceLines() {
  if (handle_->dwarf != nullptr) DwarfFunctions().end(handle_->dwarf);
  if (handle_->fd >= 0) close(handle_->fd);
}

std::optional<SourceLine> SourceLines::Of(uint64_t address) const {
  if (handle_->dwarf == nullptr) return std::nullopt;
  const DwarfLibrary& library = DwarfFunctions();
  Dwarf_Die unit;
  if (library.addrdie(handle_->dwarf, address, &unit) == nullptr) return std::nullopt;
  Dwarf_Line* line = library.getsrc_die(&unit, address);
  SourceLine result;
  const char* file = line != nullptr ? library.linesrc(line, nullptr, nullptr) : nullptr;
  if (file == nullptr || library.lineno(line, &result.line) != 0) return std::nullopt;
  result.file = file;
  return result;
}

}  // namespace softlbr::toolchain
