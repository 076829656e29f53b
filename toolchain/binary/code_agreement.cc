#include "toolchain/binary/code_agreement.h"

#include <cstdio>

#include "toolchain/base/text.h"
#include "toolchain/binary/code_walker.h"

namespace softlbr::toolchain {
namespace {

// Kernels and programs change single instructions while they run.
constexpr double kWorthSaying = 0.001;

bool Contradicts(const BranchCount& branch, const BranchInstruction& instruction) {
  if (BranchKindName(instruction.kind).empty()) return true;
  return instruction.target.has_value() && branch.to.module == branch.from.module &&
         *instruction.target != branch.to.address;
}

}  // namespace

CodeAgreement CompareWithCode(const Profile& profile, uint32_t module, const ElfImage& image) {
  CodeAgreement agreement;
  const std::shared_ptr<Decoder> decoder = image.is_debug_only() ? nullptr : Decoder::ForMachine(image.machine());
  if (decoder == nullptr) return agreement;
  for (const BranchCount& branch : profile.branches) {
    if (branch.from.module != module) continue;
    agreement.branches = SaturatingAdd(agreement.branches, branch.count);
    if (Contradicts(branch, DecodeBranch(image, *decoder, branch.from.address))) {
      agreement.contradicting = SaturatingAdd(agreement.contradicting, branch.count);
    }
  }
  return agreement;
}

std::string DescribeContradiction(const CodeAgreement& agreement, const ElfImage& image) {
  if (agreement.ContradictingShare() < kWorthSaying) return "";
  return SafeText(image.path()) + ": its code cannot have made " + Share(agreement.contradicting, agreement.branches) +
         " of the recorded branches; it is another build, or was rewritten: name the very file that ran with -b";
}

}  // namespace softlbr::toolchain
