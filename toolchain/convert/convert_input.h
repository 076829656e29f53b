// The input of every converter: the checked branches and ranges of one module.
//
// Consumers trust their input (a reversed range makes llvm-profgen loop up to 2^64), so everything is checked here
// once:
//   range   first <= last, less than 1 MiB apart, both in the same executable segment; no unconditional branch inside
//           if there are a file and a decoder
//   branch  an end in this module is in an executable segment; an end outside the module is external
// Rows that fail are dropped and counted. Traces, over all modules, are read from `profile` unchecked.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_CONVERT_INPUT_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_CONVERT_INPUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/binary/code_walker.h"
#include "toolchain/binary/module_files.h"
#include "toolchain/profile/profile.h"
#include "toolchain/symbols/range_parts.h"
#include "toolchain/symbols/symbols.h"

namespace softlbr::toolchain {

struct ConvertBranch {
  std::optional<uint64_t> from;  // link-time address in the module, or nothing for external
  std::optional<uint64_t> to;
  uint64_t count = 0;
};

struct ConvertRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t count = 0;
};

// Rows of one kind that were dropped, and how often they were executed: one row may be the hottest loop.
struct Dropped {
  uint64_t rows = 0;
  uint64_t executions = 0;
  void Add(uint64_t count);
};

struct DropCounts {
  Dropped reversed;
  Dropped too_long;
  Dropped outside_segments;
  Dropped across_functions;  // that could not be divided
  Dropped not_contiguous;
  Dropped branches_outside_segments;
  uint64_t zero_counts = 0;
};

struct ConvertInput {
  const Profile* profile = nullptr;
  std::string profile_path;
  uint32_t module_index = 0;
  const ProfileModule* module = nullptr;
  ElfImagePtr image;                   // nullptr if the file was not found
  ElfImagePtr debug;                   // the image's separate debug file, or nullptr
  SymbolTable symbols;                 // empty without a file
  OuterFunctions functions;            // of `symbols`; stays valid if both are moved
  std::unique_ptr<CodeWalker> walker;  // nullptr without a file or a decoder for its CPU
  std::vector<Segment> segments;       // from the file; from the profile without one
  std::vector<ConvertBranch> branches;
  std::vector<ConvertRange> runs;  // as executed, by (first, last), also from one function into the next
  // the same, divided where a function ends: consumers that work on functions drop the others
  std::vector<ConvertRange> ranges;
  DropCounts dropped;
};

// Chooses the module, finds its file and checks its rows. binary: a file or a module's name; empty: the main module.
// `profile` must outlive the result. StatedFailure if there is no such module.
ConvertInput PrepareConvertInput(const Profile& profile, const std::string& profile_path, const std::string& binary);

// The same for the module with this index, whose file is looked for among `files`.
ConvertInput PrepareConvertInputOf(const Profile& profile, const std::string& profile_path, uint32_t module_index,
                                   const ModuleFiles& files);

// "19,519 executions of 2 ranges across functions ..., 1 execution of 1 branch outside ..."; empty if nothing was
// dropped.
std::string DescribeDrops(const DropCounts& dropped);

// The failure message for a conversion without output.
std::string DescribeEmptiness(const ConvertInput& input);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_CONVERT_INPUT_H_
