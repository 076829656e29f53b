// Labels given on the command line, as KEY=VALUE.
#ifndef SOFTLBR_TOOLCHAIN_RECORD_LABEL_OPTIONS_H_
#define SOFTLBR_TOOLCHAIN_RECORD_LABEL_OPTIONS_H_

#include <string>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// UsageFailure if one is no label within the limits (runtime/format/labels.h), a key is given twice, or there are too
// many.
Labels LabelsOf(const std::vector<std::string>& options);

// True if the session has each of these labels.
bool HasLabels(const ProfileSession& session, const Labels& labels);

// "arm (A in 3 sessions, B in 2, none in 1), ..." for the labels on which the sessions differ; empty if they differ on
// none.
std::string DescribeDifferingLabels(const std::vector<ProfileSession>& sessions);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_RECORD_LABEL_OPTIONS_H_
