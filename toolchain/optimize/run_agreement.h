// How well recorded runs of one program agree, which shows whether they suffice.
//
// The runs are divided into two halves. The overlap of the halves is that of two recordings of half the size, including
// noise and the program's own variation. The noise of counts shrinks with the square root of their number, so two
// recordings of the full size would differ by 1/sqrt(2) of that.
#ifndef SOFTLBR_TOOLCHAIN_OPTIMIZE_RUN_AGREEMENT_H_
#define SOFTLBR_TOOLCHAIN_OPTIMIZE_RUN_AGREEMENT_H_

#include <string>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// Overlap of two profiles: the sum over all branches of the smaller share. Modules are matched by identity. 0 if one
// has no branch.
double BranchOverlap(const Profile& a, const Profile& b);

struct RunAgreement {
  double overlap_of_halves = 0;
  double expected_overlap = 0;  // of a second recording as large as all runs together
  uint64_t taken_branches = 0;
};

// At least two profiles, files that LoadProfile reads. Sets *sum to all of them together. StatedFailure if they do not
// fit the memory.
RunAgreement MeasureAgreement(const std::vector<std::string>& profiles, Profile* sum);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_OPTIMIZE_RUN_AGREEMENT_H_
