// The numbers of `softlbr report`: executed code and taken branches by module, function and branch.
//
// Executed instructions: each range of the profile is decoded once with the module's decoder plugin. Without the module's file or
// a decoder only bytes are known, last - first + 1 of each range (its last instruction counts as one byte).
#ifndef SOFTLBR_TOOLCHAIN_COMMANDS_REPORT_DATA_H_
#define SOFTLBR_TOOLCHAIN_COMMANDS_REPORT_DATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/binary/symbolizer.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

struct ModuleReport {
  uint32_t module = kNoModule;
  uint64_t taken_branches = 0;  // by source
  uint64_t executed_bytes = 0;
  std::optional<uint64_t> executed_instructions;
  std::string file;  // empty if not found
  bool has_symbols = false;
};

struct FunctionReport {
  uint32_t module = kNoModule;
  std::optional<std::string> name;  // nothing for the code of the module that no symbol covers
  uint64_t start = 0;               // link-time address, 0 without a name
  uint64_t executed_bytes = 0;
  uint64_t executed_instructions = 0;  // valid if ReportData::has_instructions
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
  uint64_t taken_branches = 0;
  uint64_t executed_bytes = 0;
  uint64_t executed_instructions = 0;
  bool has_instructions = false;          // every range was decoded
  uint64_t undecodable_ranges = 0;        // ranges that are not decodable or not contiguous code
  std::vector<ModuleReport> modules;      // by taken branches, largest first
  std::vector<FunctionReport> functions;  // by executed instructions (or bytes), largest first
  std::vector<BranchReport> branches;     // by count, largest first, at most `top`
};

ReportData BuildReport(const Profile& profile, Symbolizer* symbolizer, size_t top_branches);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COMMANDS_REPORT_DATA_H_
