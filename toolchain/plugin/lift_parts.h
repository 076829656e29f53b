// The parts of the contract that are tried by lifting code: memory, stack, calls, lengths, and the rules of blocks.
#ifndef SOFTLBR_TOOLCHAIN_PLUGIN_LIFT_PARTS_H_
#define SOFTLBR_TOOLCHAIN_PLUGIN_LIFT_PARTS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "decoders/api/plugin.h"
#include "platform/base/limits.h"
#include "toolchain/plugin/plugin_trial.h"

namespace softlbr::toolchain {

inline constexpr uint32_t kMostArenaBytes = kDecoderArenaBytes;
inline constexpr uint32_t kMostStackBytes = kHandlerStackBytes;

struct CodeRun {
  std::vector<uint8_t> bytes;
  uint64_t pc = 0;
};

struct LiftPart {
  const char* name;
  const char* tried;
  // Called in the trial's process. plugin: its table has been checked.
  void (*run)(Trial* trial, const softlbr_decoder_plugin& plugin, const std::vector<CodeRun>& code);
};
extern const std::span<const LiftPart> kLiftParts;

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PLUGIN_LIFT_PARTS_H_
