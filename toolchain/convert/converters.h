// One function per output format: returns the content of the file to write, or writes it in parts if it is made of
// traces, which may exceed the memory.
//
// An empty result means that there was nothing to convert; the caller reports that as a failure. Each comment says
// which consumer option reads the format and which kind of address it holds; docs/cli.md lists all flags to use.
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

// The same in BOLT 22's form: T, R, r, F and f lines.
std::string ToBoltTraces(const ConvertInput& input);

// BOLT's fdata (llvm-bolt -data, merge-fdata): function and offset. StatedFailure without the file and a decoder.
std::string ToFdata(const ConvertInput& input);

// llvm-profgen --unsymbolized-profile with --use-offset=0: link-time addresses without 0x, 1 for external.
std::string ToLlvm(const ConvertInput& input);

// AutoFDO text (create_llvm_prof --profiler=text): file offsets; branches from outside the binary are left out.
std::string ToAutofdo(const ConvertInput& input);

// Propeller BranchFrequenciesProto, binary. StatedFailure without the file and a decoder, which its not-taken counts
// need.
std::string ToPropeller(const ConvertInput& input);

// `perf script -F ip,brstack` text for llvm-profgen --perfscript. Made from whole traces if the profile has them;
// otherwise from counts, in which case every branch counts twice (ranges count once).
void WritePerfScript(const ConvertInput& input, const TextSink& write);

// What became of the traces of one module in WriteCsspgo.
struct ContextCounts {
  uint64_t samples = 0;            // written
  uint64_t branches = 0;           // in these samples
  uint64_t unmatched_returns = 0;  // a trace was divided at each, and the callers known before forgotten
  uint64_t broken_ranges = 0;      // the same; the range is not written
  uint64_t unusable_branches = 0;  // the same; the branch is not written
  uint64_t deep_divisions = 0;     // a trace was divided at each, and the innermost callers kept
  bool are_traces_short = false;   // a session's traces are too short to show many callers
};

// `perf script -F ip,brstack` text with call chains, for llvm-profgen --perfscript: a context-sensitive profile.
// StatedFailure without whole traces, the file or a decoder.
ContextCounts WriteCsspgo(const ConvertInput& input, const TextSink& write);

// "2 returns to another place than the call, ..."; empty if no trace was divided.
std::string DescribeContextLosses(const ContextCounts& counts);

// A perf.data file with one LBR sample per whole trace. StatedFailure without traces (record --traces).
void WritePerfData(const ConvertInput& input, const TextSink& write);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_CONVERTERS_H_
