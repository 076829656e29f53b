// Weights the counts of a profile sampled by a clock, so that its shares come closer to those of executions. Host code.
//
// Why: traces start where time is spent, so code that takes long between branches is recorded too often. How many
// traces start at a branch is proportional to its executions times the time it takes to reach it; how often it follows
// in traces that started elsewhere depends less on that time. The ratio of the two estimates what a trace that starts
// there is worth.
//
// A trace's start is the branch instruction that it reaches first. The weight of a trace that starts at b, of n traces:
//   (n * share of b among all later branches + kStartWeightPrior) / (traces that start at b + kStartWeightPrior)
// The first branch of a trace is not counted: it is the one that time favours most.
// Docs: docs/decisions/0009-weights-by-start-are-an-option.md.
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_START_WEIGHTS_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_START_WEIGHTS_H_

#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {

// Draws the weight of a start with few traces towards 1. 3, 10 and 30 were measured (decision 0009).
inline constexpr double kStartWeightPrior = 10;

// Replaces the counts of the profile's branches and ranges by weighted ones. Their rows stay, with at least 1; the sum
// of the branch counts stays but for rounding. `feed` gives the whole traces, with locations of this profile's modules,
// twice. Sampled pcs and traces stay as recorded. Memory: some 24 bytes a row. False, and nothing changed, if no trace
// has two branches.
bool WeightByStarts(const TraceFeed& feed, Profile* profile);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_START_WEIGHTS_H_
