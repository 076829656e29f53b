// Weights the counts of a profile sampled by a clock so that traces start and arrive in balance. Host code.
//
// Why: traces start where time is spent, so code that takes long between branches is recorded too often. If traces
// started evenly among executions, as many would start at a branch as arrive there: where a trace ends, another could
// start. The weights are those that bring this about.
//
// A trace's start is the branch instruction that it reaches first. The weight of a trace that starts at b is found by
//   iteration: (weighted arrivals at b + kBalancePrior) / (traces that start at b + kBalancePrior)
// where the arrivals are the branches at 16 evenly spaced places of each trace, each a sixteenth of the trace's weight.
// Weights by start (start_weights.h) are much like one iteration with a smaller prior. Code outside every module counts
// as one branch.
// The first branch of a trace is not counted: it is the one that time favours most.
//
// Not known: how long code takes that hardly any trace leads into or out of; it stays as recorded. The way back from
// the end of a run to its beginning; so what a program passes through once loses weight, the more the more runs are
// weighed together. Weigh each run alone. Docs: docs/decisions/0019-weights-in-balance-are-an-option.md.
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_BALANCE_WEIGHTS_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_BALANCE_WEIGHTS_H_

#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {

// Draws the weight of a start with few traces towards 1. 3 to 1000 were measured (decision 0019).
inline constexpr double kBalancePrior = 100;

// As WeightByStarts (start_weights.h). Memory: some 40 bytes for each branch instruction, 8 a row, and 16 for each pair
// of a start and an arrival, at most 256 MiB, and half as much again while it grows. Throws StatedFailure if there are
// more pairs.
bool WeightByBalance(const TraceFeed& feed, Profile* profile);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_BALANCE_WEIGHTS_H_
