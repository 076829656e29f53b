// The code that a profile saw executing: its instructions and basic blocks, with counts.
//
// An instruction's executions are the sum over the fall-through ranges that contain it, so they come from branch
// records. Its samples are those taken exactly there. Its count is the more trustworthy of what these two tell
// (block_counts.h): what every command shows as executed instructions. Modules whose file or decoder is missing are
// left out and named. Host code.
#ifndef SOFTLBR_TOOLCHAIN_CODE_EXECUTED_CODE_H_
#define SOFTLBR_TOOLCHAIN_CODE_EXECUTED_CODE_H_

#include <cstdint>
#include <vector>

#include "decoders/api/ir.h"
#include "toolchain/profile/profile.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

struct ExecutedInstruction {
  uint64_t address = 0;  // link-time
  uint32_t bytes = 0;
  softlbr_terminator_kind end = SOFTLBR_END_FALLTHROUGH;  // FALLTHROUGH: no branch
  // of a branch in the profile or of a direct branch in executed code
  bool is_target = false;
  uint64_t executions = 0;
  uint64_t samples = 0;
  uint64_t count = 0;
};

struct ExecutedModule {
  uint32_t module = kNoModule;
  ElfImagePtr file;
  std::vector<ExecutedInstruction> instructions;  // by address
};

struct ExecutedCode {
  std::vector<ExecutedModule> modules;
  std::vector<uint32_t> unread_modules;  // executed, but their file or a decoder is missing
  uint64_t undecodable_ranges = 0;       // in modules that were read; not counted
};

// Reads the files of the modules, decodes the profile's ranges, and counts.
ExecutedCode DecodeExecutedCode(const Profile& profile, Symbolizer* symbolizer);

// A run of instructions that is entered at its start and left at its end.
struct BasicBlock {
  uint64_t start = 0;
  uint64_t bytes = 0;
  uint64_t instructions = 0;
  uint64_t executions = 0;
  uint64_t samples = 0;
  uint64_t count = 0;
  softlbr_terminator_kind end = SOFTLBR_END_FALLTHROUGH;  // kind of the last instruction
};

// By address. A block ends at a branch, before a branch's target, and where the executed code ends. Traces begin
// anywhere in a block, so the block's executions and its count are those of its most counted instruction.
std::vector<BasicBlock> BasicBlocks(const ExecutedModule& module);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_EXECUTED_CODE_H_
