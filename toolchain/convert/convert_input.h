// What every converter starts from: the checked branches and ranges of one module, or the traces over all modules.
//
// Consumers trust their input (a reversed range makes llvm-profgen count to 2^64), so everything is checked here once:
//   range   first <= last, less than 1 MiB apart, both in one executable segment, in one function where symbols say so, and not
//           contradicted by the decoder (an unconditional transfer inside) where one is at hand
//   branch  a side in this module lies in an executable segment; a side elsewhere is external
// What fails is dropped and counted.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_CONVERT_INPUT_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_CONVERT_INPUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/binary/code_walker.h"
#include "toolchain/binary/module_files.h"
#include "toolchain/binary/symbols.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

struct ConvertBranch {
  std::optional<uint64_t> from;  // link-time address in the module; nothing: external
  std::optional<uint64_t> to;
  uint64_t count = 0;
};

struct ConvertRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t count = 0;
};

struct DropCounts {
  uint64_t reversed = 0;
  uint64_t too_long = 0;
  uint64_t outside_segments = 0;
  uint64_t across_functions = 0;
  uint64_t not_contiguous = 0;
  uint64_t branches_outside_segments = 0;
  uint64_t zero_counts = 0;
  uint64_t Total() const {
    return reversed + too_long + outside_segments + across_functions + not_contiguous + branches_outside_segments + zero_counts;
  }
};

struct ConvertInput {
  const Profile* profile = nullptr;
  std::string profile_path;
  uint32_t module_index = 0;
  const ProfileModule* module = nullptr;
  ElfImagePtr image;                   // nullptr: the file was not found
  SymbolTable symbols;                 // empty without a file
  std::unique_ptr<CodeWalker> walker;  // nullptr: no file or no decoder for its CPU
  std::vector<Segment> segments;       // of the file, or as the profile says
  std::vector<ConvertBranch> branches;
  std::vector<ConvertRange> ranges;
  DropCounts dropped;
};

// Chooses the module (`binary`: a file, or the name of a module; empty: the main module), finds its file, checks.
// `profile` outlives the result. StatedFailure if there is no such module.
ConvertInput PrepareConvertInput(const Profile& profile, const std::string& profile_path, const std::string& binary);

// "2 ranges across functions, 1 branch outside ..." or empty.
std::string DescribeDrops(const DropCounts& dropped);

// Why a conversion has nothing to write: for the message of the failure.
std::string DescribeEmptiness(const ConvertInput& input);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_CONVERT_INPUT_H_
