// Counts of branches and ranges in which each whole trace has a weight. Host code.
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_WEIGHTED_COUNTS_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_WEIGHTED_COUNTS_H_

#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

class WeightedCounts {
 public:
  // Memory: 8 bytes for each row of branches and ranges.
  explicit WeightedCounts(const Profile& profile);

  // Adds the branches of a trace and the ranges between them. The first branch is left out: it is the one that time
  // favours most. Locations are those of the profile's modules.
  void Add(const Trace& trace, double weight);

  // Replaces the counts. Rows stay, with at least 1; the sum of the branch counts stays but for rounding. False, and
  // nothing changed, if no branch was added.
  bool Store(Profile* profile) const;

 private:
  const Profile& profile_;
  std::vector<double> branches_, ranges_;  // by row
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_WEIGHTED_COUNTS_H_
