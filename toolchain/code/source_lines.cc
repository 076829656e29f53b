#include "toolchain/code/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "toolchain/base/say.h"
#include "toolchain/base/shared_library.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {
namespace {

// At most this many entries of a compilation unit are read: those of a broken file may lead back to each other.
constexpr uint64_t kMostEntries = uint64_t{1} << 24;
constexpr uint32_t kMostLevels = 256;
// At most this many ranges of code are read, of all units; the largest programs have some millions.
constexpr uint64_t kMostRanges = uint64_t{1} << 26;
// Overlapping ranges examined for one address. Ranges of code that the linker has left out begin at 0 and overlap code
// that is there.
constexpr int kMostOverlapping = 512;

// Its functions, without their prefix "dwarf_".
struct DwarfLibrary {
  decltype(&::dwarf_begin) begin;
  decltype(&::dwarf_end) end;
  decltype(&::dwarf_getsrc_die) getsrc_die;
  decltype(&::dwarf_lineno) lineno;
  decltype(&::dwarf_linesrc) linesrc;
  decltype(&::dwarf_lineaddr) lineaddr;
  decltype(&::dwarf_lineendsequence) lineendsequence;
  decltype(&::dwarf_onesrcline) onesrcline;
  decltype(&::dwarf_getsrclines) getsrclines;
  decltype(&::dwarf_get_units) get_units;
  decltype(&::dwarf_cu_info) cu_info;
  decltype(&::dwarf_child) child;
  decltype(&::dwarf_siblingof) siblingof;
  decltype(&::dwarf_tag) tag;
  decltype(&::dwarf_ranges) ranges;
};

DwarfLibrary LoadDwarf() {
  const SharedLibrary library("blocks", "libdw.so.1", "libdw1");
  DwarfLibrary dwarf{};
  library.Find("dwarf_begin", &dwarf.begin);
  library.Find("dwarf_end", &dwarf.end);
  library.Find("dwarf_getsrc_die", &dwarf.getsrc_die);
  library.Find("dwarf_lineno", &dwarf.lineno);
  library.Find("dwarf_linesrc", &dwarf.linesrc);
  library.Find("dwarf_lineaddr", &dwarf.lineaddr);
  library.Find("dwarf_lineendsequence", &dwarf.lineendsequence);
  library.Find("dwarf_onesrcline", &dwarf.onesrcline);
  library.Find("dwarf_getsrclines", &dwarf.getsrclines);
  library.Find("dwarf_get_units", &dwarf.get_units);
  library.Find("dwarf_cu_info", &dwarf.cu_info);
  library.Find("dwarf_child", &dwarf.child);
  library.Find("dwarf_siblingof", &dwarf.siblingof);
  library.Find("dwarf_tag", &dwarf.tag);
  library.Find("dwarf_ranges", &dwarf.ranges);
  return dwarf;
}

const DwarfLibrary& DwarfFunctions() {
  static const DwarfLibrary dwarf = LoadDwarf();
  return dwarf;
}

using DepthChanges = std::vector<std::pair<uint64_t, int64_t>>;  // address, change of the depth there

// Adds 1 where an inlined call begins and -1 where it ends, for all below `parent`. An inlined call lies within the one
// that has it.
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

// For one unit alone: if the linker kept code of two units once, what both say of it must not be added up.
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

// Where the entries of functions are: of split debug information in the .dwo file, which libdw finds by the skeleton's
// names.
Dwarf_Die EntriesOf(const Dwarf_Die& entry) {
  Dwarf_Die split{};
  uint8_t type = 0;
  const int status = DwarfFunctions().cu_info(entry.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr);
  return status == 0 && type == DW_UT_skeleton && split.addr != nullptr ? split : entry;
}

bool HasLineTable(const std::string& path) {
  const auto opened = ElfImage::Open(path);
  const auto* image = std::get_if<ElfImagePtr>(&opened);
  return image != nullptr &&
         std::any_of((*image)->sections().begin(), (*image)->sections().end(), [](const ElfSection& section) {
           return section.bytes != 0 && (section.name == ".debug_line" || section.name == ".zdebug_line");
         });
}

// Calls visit(lines, count) for the line table of each unit, until it returns false.
template <typename Visit>
void ForEachLineTable(Dwarf* dwarf, Visit visit) {
  const DwarfLibrary& library = DwarfFunctions();
  Dwarf_CU* unit = nullptr;
  Dwarf_Die entry;
  while (library.get_units(dwarf, unit, &unit, nullptr, nullptr, &entry, nullptr) == 0) {
    Dwarf_Lines* lines = nullptr;
    size_t count = 0;
    if (library.getsrclines(&entry, &lines, &count) == 0 && !visit(lines, count)) return;
  }
}

// Once for a file.
void WarnOfUnreadLines(const std::string& path) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::lock_guard lock(mutex);
  if (!warned.insert(path).second) return;
  Warn(SafeText(path) +
       ": has debug information, but libdw cannot read a line of it, so source lines are left out; it may be "
       "compressed in a way "
       "that this libdw does not know: decompress it with `objcopy --decompress-debug-sections`");
}

}  // namespace

// The units of the file and their code, by address; read with the first address. Not by dwarf_addrdie: it finds units
// by .debug_aranges only, a section that clang does not write.
class SourceLines::Units {
 public:
  struct Unit {
    Dwarf_Die entry;  // has the lines; of split debug information the skeleton
    std::optional<Depths> depths;
  };

  explicit Units(Dwarf* dwarf) {
    const DwarfLibrary& library = DwarfFunctions();
    Dwarf_CU* unit = nullptr;
    Dwarf_Die entry;
    uint8_t type = 0;
    while (library.get_units(dwarf, unit, &unit, nullptr, &type, &entry, nullptr) == 0) {
      if (type != DW_UT_compile && type != DW_UT_skeleton) continue;
      const size_t number = units_.size();
      const size_t before = ranges_.size();
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      for (ptrdiff_t at = 0;
           ranges_.size() < kMostRanges && (at = library.ranges(&entry, at, &base, &begin, &end)) > 0;) {
        if (begin < end) ranges_.push_back({begin, end, 0, number});
      }
      if (ranges_.size() > before) units_.push_back({entry, std::nullopt});
    }
    std::stable_sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    uint64_t reach = 0;
    for (Range& range : ranges_) range.reach = reach = std::max(reach, range.end);
  }

  // The unit whose range with this address begins last, or nullptr.
  Unit* Find(uint64_t address) {
    auto it = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                               [](uint64_t wanted, const Range& range) { return wanted < range.begin; });
    for (int step = 0; it != ranges_.begin() && step < kMostOverlapping; ++step) {
      --it;
      if (address < it->end) return &units_[it->unit];
      if (it->reach <= address) break;
    }
    return nullptr;
  }

 private:
  // Code of a unit: [begin, end).
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t reach = 0;  // the largest end of this range and those before it
    size_t unit = 0;
  };

  std::vector<Unit> units_;    // that have code
  std::vector<Range> ranges_;  // by begin
};

struct SourceLines::Handle {
  int fd = -1;
  Dwarf* dwarf = nullptr;
  std::unique_ptr<Units> units;
};

SourceLines::SourceLines(const std::string& path) : handle_(std::make_unique<Handle>()) {
  const DwarfLibrary& library = DwarfFunctions();
  handle_->fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (handle_->fd >= 0) handle_->dwarf = library.begin(handle_->fd, DWARF_C_READ);
  if (!HasLines() && HasLineTable(path)) WarnOfUnreadLines(path);
}

SourceLines::~SourceLines() {
  if (handle_->dwarf != nullptr) DwarfFunctions().end(handle_->dwarf);
  if (handle_->fd >= 0) close(handle_->fd);
}

// Whether a unit has a line. Most often the first has one.
bool SourceLines::HasLines() const {
  bool has_lines = false;
  if (handle_->dwarf == nullptr) return false;
  ForEachLineTable(handle_->dwarf, [&has_lines](Dwarf_Lines*, size_t count) {
    has_lines = count != 0;
    return !has_lines;
  });
  return has_lines;
}

std::optional<SourceLine> SourceLines::Of(uint64_t address) const {
  if (handle_->dwarf == nullptr) return std::nullopt;
  const DwarfLibrary& library = DwarfFunctions();
  if (handle_->units == nullptr) handle_->units = std::make_unique<Units>(handle_->dwarf);
  Units::Unit* unit = handle_->units->Find(address);
  if (unit == nullptr) return std::nullopt;
  Dwarf_Line* line = library.getsrc_die(&unit->entry, address);
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
  ForEachLineTable(handle_->dwarf, [&library, &rows](Dwarf_Lines* lines, size_t count) {
    for (size_t i = 0; i < count; ++i) {
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
    return true;
  });
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
  if (handle_->units == nullptr) handle_->units = std::make_unique<Units>(handle_->dwarf);
  Units::Unit* unit = handle_->units->Find(address);
  if (unit == nullptr) return 0;
  if (!unit->depths.has_value()) {
    Dwarf_Die entries = EntriesOf(unit->entry);
    unit->depths = DepthsOf(&entries);
  }
  const Depths& depths = *unit->depths;
  const auto behind =
      std::upper_bound(depths.begin(), depths.end(), address,
                       [](uint64_t at, const std::pair<uint64_t, uint32_t>& one) { return at < one.first; });
  return behind == depths.begin() ? 0 : std::prev(behind)->second;
}

}  // namespace softlbr::toolchain
