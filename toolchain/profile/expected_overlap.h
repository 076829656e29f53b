// Whether a profile suffices: the overlap that a second, independent recording of the same size would have with it. Host code.
//
// A recording is a number of traces. Within a trace, branches are not independent: one that starts in a loop mostly shows the loop. The
// counts of a profile tell how many traces there were and, as branches and fall-through ranges, what follows what: a chain from branch
// to branch. Two recordings are drawn from that chain, as many traces of the same mean length each, and compared.
// Not accounted for: that a program behaves otherwise in its next run; what is seen so rarely that this recording has none of it, which
// makes the figure too high where most code was seen in one trace only (below 0.7 or so).
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_EXPECTED_OVERLAP_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_EXPECTED_OVERLAP_H_

#include <cstdint>
#include <optional>
#include <string>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// Branches that are drawn for each of the two recordings at most: some 0.1 us each. Of larger profiles fewer traces are drawn, and the
// difference is scaled with the square root of their number.
inline constexpr uint64_t kDrawnBranches = 1u << 20;
// For the end of `record`, where time is part of the overhead. A second of a program's CPU time gives 25,600 branches by default, so a
// short recording is drawn whole, and `stats` says the same of it.
inline constexpr uint64_t kFewDrawnBranches = 1u << 16;

// The same figure each time. Nothing if the profile has no branches, or its sessions count no traces (exact counts).
std::optional<double> ExpectedOverlap(const Profile& profile, uint64_t max_drawn_branches = kDrawnBranches);

// Expected overlaps from which a profile is called enough: code layout needs the hot branches and their direction only; weights of inlining
// come from rarer ones. A choice, not a measurement.
inline constexpr double kEnoughForLayout = 0.90;   // convert --to bolt, propeller
inline constexpr double kEnoughForSources = 0.95;  // convert --to llvm, csspgo, autofdo

// How many times as much must be recorded for `wanted`; 1 if it is reached.
double TimesAsMuch(double expected_overlap, double wanted);

// "a second recording would overlap by 87.3%: enough for neither bolt nor llvm; ..." and what to do.
std::string DescribeExpectedOverlap(double expected_overlap);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_EXPECTED_OVERLAP_H_
