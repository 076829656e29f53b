// Whether a file's code can have made the branches that were recorded of a module.
//
// Neither a build id (hand-set ids, tools that rewrite a file and keep it) nor equal segments (a rebuilt file of the
// same sizes) prove that a file is the one that ran. At the source of each recorded branch must be a branch, and a
// direct one must go where the record says. Host code.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_CODE_AGREEMENT_H_
#define SOFTLBR_TOOLCHAIN_BINARY_CODE_AGREEMENT_H_

#include <cstdint>
#include <string>

#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// From this share on the file is another, not one with a few places changed (a program that rewrites its own code).
inline constexpr double kOtherCode = 0.1;

struct CodeAgreement {
  uint64_t branches = 0;       // executions of those that could be compared
  uint64_t contradicting = 0;  // of these
  double ContradictingShare() const {
    return branches == 0 ? 0 : static_cast<double>(contradicting) / static_cast<double>(branches);
  }
};

// Nothing is compared without a decoder for the machine.
CodeAgreement CompareWithCode(const Profile& profile, uint32_t module, const ElfImage& image);

// With the remedy; empty if so little contradicts that it need not be said. Safe for a terminal.
std::string DescribeContradiction(const CodeAgreement& agreement, const ElfImage& image);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_CODE_AGREEMENT_H_
