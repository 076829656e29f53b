// Whether a profile suffices: the overlap that a second, independent recording of the same size would have with it.
// Host code.
//
// A recording is a number of traces. Within a trace, branches are not independent: one that starts in a loop mostly
// shows the loop. The counts of a profile tell how many traces there were and, as branches and fall-through ranges,
// what follows what: a chain from branch to branch. Two recordings are drawn from that chain, as many traces of the
// same mean length each, and compared.
// Not accounted for: that a program behaves otherwise in its next run; what is seen so rarely that this recording has
// none of it, which makes the figure too high where most code was seen in one trace only (below 0.7 or so).
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_EXPECTED_OVERLAP_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_EXPECTED_OVERLAP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// Branches that are drawn for each of the two recordings at most: 30 ms in all for a small program, 100 ms for one of
// 60,000 branches, which `record` spends after the program has ended. Of larger profiles fewer traces are drawn, and
// the difference is scaled with the square root of their number.
inline constexpr uint64_t kDrawnBranches = 1u << 20;

// With fewer traces no figure is given: it would tell how often these few repeat themselves. Drawn from 40 loops,
// recordings of 10 traces overlap by 0.36 where 0.60 would be expected; of 30, by 0.52 and 0.64; of 100, by 0.70 and
// 0.74.
inline constexpr uint64_t kLeastTraces = 30;

// The same figure for the same content, whatever the order of its modules. Nothing if the profile has no branches or
// too few traces, or if its sessions count none (exact counts).
std::optional<double> ExpectedOverlap(const Profile& profile, uint64_t max_drawn_branches = kDrawnBranches);

// Expected overlaps from which a profile is called enough: code layout needs the hot branches and their direction only;
// weights of inlining come from rarer ones. A choice, not a measurement.
inline constexpr double kEnoughForLayout = 0.90;   // convert --to bolt, propeller
inline constexpr double kEnoughForSources = 0.95;  // convert --to llvm, csspgo, autofdo

// How many times as much must be recorded for `wanted`; 1 if it is reached.
double TimesAsMuch(double expected_overlap, double wanted);

// "a second recording would overlap by 87%: too little; ..." and what to do. The percentage is cut, not rounded, so
// that 90% always is what is called enough; its error is about a point.
std::string DescribeExpectedOverlap(double expected_overlap);

// A profile with a larger share of its branches in code of no module is of no use, however well a second recording
// would agree.
inline constexpr double kMostOutside = 0.5;

// That of the profile's own figure, or why it has none: most branches are outside every module, or there are too few
// samples. Empty if the profile has nothing to tell from. `record` and `stats` both print this, so they agree.
std::string DescribeSufficiency(const Profile& profile);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_EXPECTED_OVERLAP_H_
