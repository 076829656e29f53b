// Writes what was chosen as text, for the program that puts the hints into assembly (scripts/insert_prefetches.pl), and
// reads it again.
//
// Lines of words, one space apart; spaces in names are \x20. After the first line, in this order:
//   softlbr-prefetch 1
//   path INSTRUCTIONS PLAIN MISSES COVERABLE COVERED EXECUTIONS
//                          of the path of traces: instructions; misses without and with the next-line prefetcher; of
//                          the latter those that have a candidate, and those that the hints cover; executions of the
//                          hints
//   given COVERED          of the misses those that the given hints cover, which the choice began with
//   fan-in TARGET MISSES N N N N N N WHERE
//                          of a line that misses often: how many blocks were executed 10, 25, 50, 100, 150, 200
//                          instructions before
//   hint SITE TARGET EXECUTIONS COVERED FILE LINE line FILE LINE
//   hint SITE TARGET EXECUTIONS COVERED FILE LINE symbol NAME OFFSET
//                          a hint before the instruction of FILE LINE, of the code at the other line, or OFFSET bytes
//                          behind a symbol
// SITE and TARGET are link-time addresses (hexadecimal). Host code.
#ifndef SOFTLBR_TOOLCHAIN_PREFETCH_SITE_LIST_H_
#define SOFTLBR_TOOLCHAIN_PREFETCH_SITE_LIST_H_

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "toolchain/code/source_lines.h"
#include "toolchain/prefetch/site_choice.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

// Names places in a program that was assembled with line numbers (`as -g` of files *.s).
class AssemblyPlaces {
 public:
  // debug: the file with the line tables, the image itself or its separate debug file.
  AssemblyPlaces(const ElfImage& image, const std::string& debug);

  // The line of an assembly file that made the instruction; nothing for code from elsewhere.
  std::optional<SourceLine> Line(uint64_t address) const;
  // Its words in a hint as a target; empty if it cannot be named.
  std::string Target(uint64_t address) const;

 private:
  SourceLines lines_;
  std::vector<std::pair<uint64_t, std::string>> symbols_;  // global functions, by address
};

void WriteSiteList(const SiteChoice& choice, const TracePath& path, const AssemblyPlaces& places,
                   Symbolizer* symbolizer, std::ostream& out);

struct ListedHint {
  uint64_t site = 0;
  uint64_t target = 0;
  uint64_t executions = 0;
  uint64_t covered = 0;
  SourceLine place;        // of the site
  SourceLine target_line;  // file empty: the target is named by a symbol
  std::string symbol;      // names as they stand in the list
  uint64_t symbol_offset = 0;
};

// The hints of a list, in its order. StatedFailure, of one line, for any other text; name: of the file, for the
// failure.
std::vector<ListedHint> ReadSiteList(std::istream& in, const std::string& name);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PREFETCH_SITE_LIST_H_
