// One function per output format; each documents the address it writes and the consumer's flags.
//
// Pure: input in, bytes out. An empty string means that nothing was convertible; the caller turns it into a failure.
// Formats as their consumers read them: docs/cli.md has the flags to use.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_CONVERTERS_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_CONVERTERS_H_

#include <string>

#include "toolchain/convert/convert_input.h"

namespace softlbr::toolchain {

// BOLT pre-aggregated profile (perf2bolt -pa): B, F and f lines, link-time addresses without 0x, X:0 for external.
std::string ToBolt(const ConvertInput& input);

// llvm-profgen --unsymbolized-profile with --use-offset=0: link-time addresses without 0x, 1 for external.
std::string ToLlvm(const ConvertInput& input);

// AutoFDO text (create_llvm_prof --profiler=text): file offsets; branches from outside cannot be expressed.
std::string ToAutofdo(const ConvertInput& input);

// Propeller BranchFrequenciesProto, binary. Needs the file and a decoder (not-taken counts): StatedFailure without.
std::string ToPropeller(const ConvertInput& input);

// `perf script -F ip,brstack` text for llvm-profgen --perfscript. From whole traces where the profile has them; else
// two-entry stacks with repeat counts, in which every branch counts exactly twice (ranges count once).
std::string ToPerfScript(const ConvertInput& input);

// A perf.data file with one LBR sample per whole trace. StatedFailure without traces (record --traces).
std::string ToPerfData(const ConvertInput& input);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_CONVERTERS_H_
