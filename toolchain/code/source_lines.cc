#include "toolchain/code/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "toolchain/host/shared_library.h"

namespace softlbr::toolchain {
namespace {

// Entries of a compilation unit that are read at most: those of a broken file may lead back to each other.
constexpr uint64_t kMostEntries = uint64_t{1} << 24;
constexpr uint32_t kMostLevels = 256;

// Its functions, without their prefix "dwarf_".
struct DwarfLibrary {
  decltype(&::dwarf_begin) begin;
  decltype(&::dwarf_end) end;
  decltype(&::dwarf_addrdie) addrdie;
  decltype(&::dwarf_getsrc_die) getsrc_die;
  decltype(&::dwarf_lineno) lineno;
  decltype(&::dwarf_linesrc) linesrc;
  decltype(&::dwarf_lineaddr) lineaddr;
  decltype(&::dwarf_lineendsequence) lineendsequence;
  decltype(&::dwarf_onesrcline) onesrcline;
  decltype(&::dwarf_getsrclines) getsrclines;
  decltype(&::dwarf_nextcu) nextcu;
  decltype(&::dwarf_offdie) offdie;
  decltype(&::dwarf_child) child;
  decltype(&::dwarf_siblingof) siblingof;
  decltype(&::dwarf_tag) tag;
  decltype(&::dwarf_ranges) ranges;
  decltype(&::dwarf_dieoffset) dieoffset;
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
  library.Find("dwarf_lineaddr", &dwarf.lineaddr);
  library.Find("dwarf_lineendsequence", &dwarf.lineendsequence);
  library.Find("dwarf_onesrcline", &dwarf.onesrcline);
  library.Find("dwarf_getsrclines", &dwarf.getsrclines);
  library.Find("dwarf_nextcu", &dwarf.nextcu);
  library.Find("dwarf_offdie", &dwarf.offdie);
  library.Find("dwarf_child", &dwarf.child);
  library.Find("dwarf_siblingof", &dwarf.siblingof);
  library.Find("dwarf_tag", &dwarf.tag);
  library.Find("dwarf_ranges", &dwarf.ranges);
  library.Find("dwarf_dieoffset", &dwarf.dieoffset);
  return dwarf;
}

const DwarfLibrary& DwarfFunctions() {
  static const DwarfLibrary dwarf = LoadDwarf();
  return dwarf;
}

using DepthChanges = std::vector<std::pair<uint64_t, int64_t>>;  // address, change of the depth there

// Adds 1 where an inlined call begins and -1 where it ends, for all below `parent`. An inlined call lies within the one that has it.
void AddInlinedCalls(Dwarf_Die* parent, uint32_t level, uint64_t* entries, DepthChanges* changes) {
  const DwarfLibrary& library = DwarfFunctions();
  Dwarf_Die entry;
  if (level > kMostLevels || library.child(parent, &entry) != 0) return;
  do {
    if (++*entries > kMostEntries) return;
    if (library.tag(&entry) == DW_TAG_inlined_subroutine) {
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      for (ptrdiff_t at = 0; (at = library.ranges(&entry, at, &base, &begin, &end)) > 0;) {
        if (++*entries > kMostEntries) return;
        changes->emplace_back(begin, 1);
        changes->emplace_back(end, -1);
      }
    }
    AddInlinedCalls(&entry, level + 1, entries, changes);
  } while (library.siblingof(&entry, &entry) == 0);
}

// By address: how many inlined calls deep the code is from there to the next one.
using Depths = std::vector<std::pair<uint64_t, uint32_t>>;

// The unit alone: what two units say of code that the linker kept once does not add up.
Depths DepthsOf(Dwarf_Die* unit) {
  uint64_t entries = 0;
  DepthChanges changes;
  AddInlinedCalls(unit, 0, &entries, &changes);
  std::sort(changes.begin(), changes.end());
  Depths depths;
  int64_t depth = 0;
  for (const auto& [address, change] : changes) {
    depth += change;
    if (depths.empty() || depths.back().first != address) depths.emplace_back(address, 0);
    depths.back().second = static_cast<uint32_t>(std::max(depth, int64_t{0}));
  }
  return depths;
}

}  // namespace

struct SourceLines::Handle {
  int fd = -1;
  Dwarf* dwarf = nullptr;
  std::unordered_map<Dwarf_Off, Depths> depths;  // of the units that were read
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

std::vector<LineRow> SourceLines::Rows() const {
  std::vector<LineRow> rows;
  if (handle_->dwarf == nullptr) return rows;
  const DwarfLibrary& library = DwarfFunctions();
  Dwarf_Off at = 0;
  Dwarf_Off next = 0;
  size_t header_bytes = 0;
  while (library.nextcu(handle_->dwarf, at, &next, &header_bytes, nullptr, nullptr, nullptr) == 0 && next > at) {
    Dwarf_Die unit;
    Dwarf_Lines* lines = nullptr;
    size_t count = 0;
    const bool has_lines =
        library.offdie(handle_->dwarf, at + header_bytes, &unit) != nullptr && library.getsrclines(&unit, &lines, &count) == 0;
    at = next;
    for (size_t i = 0; has_lines && i < count; ++i) {
      Dwarf_Line* line = library.onesrcline(lines, i);
      LineRow row;
      Dwarf_Addr address = 0;
      if (line == nullptr || library.lineaddr(line, &address) != 0) continue;
      row.address = address;
      const char* file = library.linesrc(line, nullptr, nullptr);
      library.lineendsequence(line, &row.is_end);
      if (!row.is_end && (file == nullptr || library.lineno(line, &row.line) != 0)) continue;
      if (!row.is_end) row.file = file;
      rows.push_back(std::move(row));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const LineRow& a, const LineRow& b) {
    return a.address != b.address ? a.address < b.address : a.is_end && !b.is_end;
  });
  const auto repeats = [](const LineRow& a, const LineRow& b) {
    return a.is_end == b.is_end && a.line == b.line && a.file == b.file;
  };
  rows.erase(std::unique(rows.begin(), rows.end(), repeats), rows.end());
  return rows;
}

uint32_t SourceLines::InlineDepthOf(uint64_t address) const {
  if (handle_->dwarf == nullptr) return 0;
  const DwarfLibrary& library = DwarfFunctions();
  Dwarf_Die unit;
  if (library.addrdie(handle_->dwarf, address, &unit) == nullptr) return 0;
  const auto [it, is_new] = handle_->depths.try_emplace(library.dieoffset(&unit));
  if (is_new) it->second = DepthsOf(&unit);
  const Depths& depths = it->second;
  const auto behind = std::upper_bound(depths.begin(), depths.end(), address,
                                       [](uint64_t at, const std::pair<uint64_t, uint32_t>& one) { return at < one.first; });
  return behind == depths.begin() ? 0 : std::prev(behind)->second;
}

}  // namespace softlbr::toolchain
