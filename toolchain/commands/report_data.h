// The numbers of `softlbr report`: executed code and taken branches by module, function and branch.
//
// Time: the sampled pcs, of which each profile by a clock has one a sample. Executed instructions: each range of the
// profile is decoded once with the module's decoder plugin; the counts are those of block_counts.h. Where the module's
// file or a decoder is missing, or the bytes are no code, only the bytes of a range are known; their instructions are
// estimated by the mean length of those that were decoded. Code of no module has no ranges in a profile: its
// instructions are those that were evaluated and belong to no range. So each share is one of all that was recorded.
#ifndef SOFTLBR_TOOLCHAIN_COMMANDS_REPORT_DATA_H_
#define SOFTLBR_TOOLCHAIN_COMMANDS_REPORT_DATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/profile/profile.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

struct ModuleReport {
  uint32_t module = kNoModule;
  uint64_t samples = 0;
  uint64_t taken_branches = 0;  // by source
  uint64_t executed_bytes = 0;
  uint64_t executed_instructions = 0;
  uint64_t unread_instructions = 0;  // of these, estimated: the code could not be read
  std::string file;                  // empty if not found
  bool has_symbols = false;
};

enum class FunctionKind : uint8_t {
  kNamed,
  kNameless,  // code of the module that no symbol covers
  kUnread,    // code of the module that could not be read
  kUnknown,   // code of no module: generated, or of a module that was not seen
};

struct FunctionReport {
  FunctionKind kind = FunctionKind::kUnknown;
  uint32_t module = kNoModule;
  std::optional<std::string> name;  // of kNamed
  uint64_t start = 0;               // link-time address, 0 without a name
  uint64_t samples = 0;
  uint64_t executed_bytes = 0;
  uint64_t executed_instructions = 0;  // estimated, if kind is kUnread or kUnknown
  uint64_t taken_branches = 0;         // taken branches from its code
  uint64_t entered = 0;                // taken branches to its first instruction
};

struct BranchReport {
  Location from;
  Location to;
  uint64_t count = 0;
  std::string kind;  // BranchKindName; empty if not decoded
};

struct ReportData {
  uint64_t samples = 0;
  uint64_t taken_branches = 0;  // all that were recorded, those of no module, too
  uint64_t executed_bytes = 0;  // in modules
  uint64_t executed_instructions = 0;
  uint64_t undecodable_ranges = 0;        // ranges that are no code of their file,
  uint64_t undecodable_executions = 0;    // and how often they were executed
  uint64_t unknown_taken_branches = 0;    // from code of no module
  std::vector<ModuleReport> modules;      // by taken branches, largest first
  std::vector<FunctionReport> functions;  // by executed instructions, largest first
  std::vector<BranchReport> branches;     // by count, largest first, at most `top`
};

ReportData BuildReport(const Profile& profile, Symbolizer* symbolizer, size_t top_branches);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COMMANDS_REPORT_DATA_H_
