// One function per output format: returns the content of the file to write, or writes it in parts if it is made of traces, which
// may exceed the memory.
//
// An empty result means that there was nothing to convert; the caller reports that as a failure. Each comment says which
// consumer option reads the format and which kind of address it holds; docs/cli.md lists all flags to use.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_CONVERTERS_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_CONVERTERS_H_

#include <functional>
#include <string>
#include <string_view>

#include "toolchain/convert/convert_input.h"

namespace softlbr::toolchain {

// Receives the parts of a result in order.
using TextSink = std::function<void(std::string_view)>;

// BOLT pre-aggregated profile (perf2bolt -pa): B, F and f lines, link-time addresses without 0x, X:0 for external.
std::string ToBolt(const ConvertInput& input);

// BOLT's fdata (llvm-bolt -data, merge-fdata): function and offset. StatedFailure without the file and a decoder.
std::string ToFdata(const ConvertInput& input);

// llvm-profgen --unsymbolized-profile with --use-offset=0: link-time addresses without 0x, 1 for external.
std::string ToLlvm(const ConvertInput& input);

// AutoFDO text (create_llvm_prof --profiler=text): file offsets; branches from outside the binary are left out.
std::string ToAutofdo(const ConvertInput& input);

// Propeller BranchFrequenciesProto, binary. StatedFailure without the file and a decoder, which its not-taken counts need.
std::string ToPropeller(const ConvertInput& input);

// `perf script -F ip,brstack` text for llvm-profgen --perfscript. Made from whole traces if the profile has them; otherwise from
// counts, in which case every branch counts twice (ranges count once).
void WritePerfScript(const ConvertInput& input, const TextSink& write);

// A perf.data file with one LBR sample per whole trace. StatedFailure without traces (record --traces).
void WritePerfData(const ConvertInput& input, const TextSink& write);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_CONVERTERS_H_
