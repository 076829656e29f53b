// Weights the counts of a profile sampled by time or by instructions, so that a window of long ranges counts no more
// than one of short ones. Host code.
//
// Why: samples meet code as often as it takes time, or has instructions. Each then counts the same number of branches,
// so code that executes much between two branches is counted too often: a loop of 700 instructions is met 70 times as
// often, for each of its branches, as one of 10. If each window counts 1 / its length, shares are those of executed
// code, as far as an instruction takes equally long everywhere; sampled by instructions, they are unbiased.
//
// The length of a trace is that of its ranges in bytes, for each branch of it; the instructions would need the
// program's code. Docs: docs/decisions/0014-windows-weighted-by-length.md.
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_LENGTH_WEIGHTS_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_LENGTH_WEIGHTS_H_

#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {

// As WeightByStarts (start_weights.h), but `feed` gives the traces once.
bool WeightByLength(const TraceFeed& feed, Profile* profile);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_LENGTH_WEIGHTS_H_
