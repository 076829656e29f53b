// Turns the counts of exact_counts_plugin.cc into profiles that softlbr reads.
#ifndef SOFTLBR_TESTS_REFERENCE_EXACT_PROFILE_H_
#define SOFTLBR_TESTS_REFERENCE_EXACT_PROFILE_H_

#include <cstdint>
#include <istream>
#include <string>

#include "toolchain/profile/profile.h"

namespace softlbr::reference {

struct ExactProfiles {
  uint64_t instructions = 0;   // executed; a repeated string instruction once for each block that QEMU makes of it
  uint64_t branches = 0;       // taken
  uint64_t unmapped = 0;       // of these, from or to code in no file
  toolchain::Profile exact;    // every taken branch and straight run, each with its count
  toolchain::Profile sampled;  // what the simulated LBR and the sampled pcs of the plugin show; empty without sampling
};

// Reads the plugin's output (its grammar stands there) and the ELF files it names. main_program: the file whose module
// is the main one. Throws StatedFailure with cause and remedy.
ExactProfiles ReadExactCounts(std::istream& counts, const std::string& main_program);

}  // namespace softlbr::reference

#endif  // SOFTLBR_TESTS_REFERENCE_EXACT_PROFILE_H_
