#include "toolchain/optimize/run_agreement.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {

double BranchOverlap(const Profile& a, const Profile& b) {
  const double total_a = static_cast<double>(TotalBranches(a));
  const double total_b = static_cast<double>(TotalBranches(b));
  if (total_a == 0 || total_b == 0) return 0;
  std::map<std::string, uint32_t> numbers;
  std::map<std::pair<Location, Location>, std::pair<double, double>> shares;
  const auto add = [&](const Profile& profile, double total, double std::pair<double, double>::*side) {
    std::vector<uint32_t> number_of;
    for (const ProfileModule& module : profile.modules) {
      number_of.push_back(
          numbers.try_emplace(ModuleIdentity(module), static_cast<uint32_t>(numbers.size())).first->second);
    }
    const auto place = [&number_of](const Location& location) {
      return location.module < number_of.size() ? Location{number_of[location.module], location.address} : Location{};
    };
    for (const BranchCount& branch : profile.branches) {
      shares[{place(branch.from), place(branch.to)}].*side += static_cast<double>(branch.count) / total;
    }
  };
  add(a, total_a, &std::pair<double, double>::first);
  add(b, total_b, &std::pair<double, double>::second);
  double overlap = 0;
  for (const auto& [branch, share] : shares) overlap += std::min(share.first, share.second);
  return overlap;
}

RunAgreement MeasureAgreement(const std::vector<std::string>& profiles, Profile* sum) {
  ProfileBuilder halves[2];
  ProfileBuilder all;
  for (size_t i = 0; i < profiles.size(); ++i) {
    Profile profile = LoadProfile(profiles[i]);
    Profile copy = profile;
    if (!halves[i % 2].AddProfile(std::move(copy), nullptr) || !all.AddProfile(std::move(profile), nullptr)) {
      throw StatedFailure(SafeText(profiles[i]) + ": with the runs before it, more than fits " +
                          std::to_string(kMaxProfileBytes >> 20) + " MiB in memory; record fewer runs");
    }
  }
  RunAgreement result;
  result.overlap_of_halves = BranchOverlap(halves[0].Take(), halves[1].Take());
  result.expected_overlap = 1 - (1 - result.overlap_of_halves) / std::sqrt(2.0);
  *sum = all.Take();
  result.taken_branches = TotalBranches(*sum);
  return result;
}

}  // namespace softlbr::toolchain
