// Weights the counts of a profile sampled by a clock so that traces start and arrive in balance. Host code.
//
// Why: traces start where time is spent, so code that takes long between branches is recorded too often. If traces started evenly among
// executions, as many would start at a branch as arrive there: where a trace ends, another could start. The weights are those that make it
// so, as far as the traces tell.
//
// A trace's start is the branch instruction that it reaches first. The weight of a trace that starts at b is solved by rounds:
//   (weighted arrivals at b + kBalancePrior) / (traces that start at b + kBalancePrior)
// where the arrivals are the branches at 16 evenly spaced places of each trace, in all as many as there are traces. One such round, with all
// later branches as arrivals, is start_weights.h.
// The first branch of a trace is not counted: it is the one that time favours most.
// Not known: how long code takes that hardly any trace leads into or out of. It stays as recorded.
// Docs: docs/decisions/0019-weights-in-balance-are-an-option.md.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_BALANCE_WEIGHTS_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_BALANCE_WEIGHTS_H_

#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {

// Draws the weight of a start with few traces towards 1. 3 to 3000 were measured (decision 0019).
inline constexpr double kBalancePrior = 100;

// As WeightByStarts (start_weights.h). Memory: some 32 bytes a row, and some 60 for each pair of a start and a branch that traces from there
// arrive at.
bool WeightByBalance(const TraceFeed& feed, Profile* profile);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_BALANCE_WEIGHTS_H_
