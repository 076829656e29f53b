// Fuzzes the reader of the list of sites that `softlbr prefetch` begins with. For any text: a failure of one line, or
// hints whose lines are numbers of lines, each with one kind of target, and that read the same when they are written
// again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "toolchain/base/failure.h"
#include "toolchain/prefetch/site_list.h"

namespace softlbr::toolchain {
namespace {

void Demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

std::string Written(const std::vector<ListedHint>& hints) {
  std::ostringstream out;
  out << "softlbr-prefetch 1\n";
  for (const ListedHint& hint : hints) {
    out << "hint " << std::hex << hint.site << " " << hint.target << std::dec << " " << hint.executions << " "
        << hint.covered << " " << hint.place.file << " " << hint.place.line;
    if (hint.symbol.empty()) {
      out << " line " << hint.target_line.file << " " << hint.target_line.line << "\n";
    } else {
      out << " symbol " << hint.symbol << " " << hint.symbol_offset << "\n";
    }
  }
  return out.str();
}

}  // namespace
}  // namespace softlbr::toolchain

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::toolchain;
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const std::vector<ListedHint> hints = ReadSiteList(text, "fuzz");
    for (const ListedHint& hint : hints) {
      Demand(hint.place.line >= 0 && hint.target_line.line >= 0, "lines are not negative");
      Demand(!hint.place.file.empty(), "a site is in a file");
      Demand(hint.symbol.empty() != hint.target_line.file.empty(), "a target is a line or a symbol");
    }
    std::istringstream again(Written(hints));
    Demand(Written(ReadSiteList(again, "fuzz")) == Written(hints), "it reads the same again");
  } catch (const StatedFailure& failure) {
    Demand(std::string(failure.what()).find('\n') == std::string::npos, "a failure is one line");
  }
  return 0;
}
