#include "toolchain/profile/canonical_order.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {
namespace {

std::vector<bool> ModulesWithRows(const Profile& profile) {
  std::vector<bool> has_rows(profile.modules.size(), profile.whole_traces != 0);
  const auto mark = [&has_rows](uint32_t module) {
    if (module < has_rows.size()) has_rows[module] = true;
  };
  for (const BranchCount& row : profile.branches) {
    mark(row.from.module);
    mark(row.to.module);
  }
  for (const RangeCount& row : profile.ranges) mark(row.module);
  for (const SampleCount& row : profile.samples) mark(row.pc.module);
  return has_rows;
}

}  // namespace

bool IsBeforeInCanonicalOrder(const ProfileModule& a, const ProfileModule& b) {
  if (a.is_main != b.is_main) return a.is_main;
  return a.name != b.name ? a.name < b.name : ModuleIdentity(a) < ModuleIdentity(b);
}

std::vector<uint32_t> PutInCanonicalOrder(Profile* profile) {
  const std::vector<bool> has_rows = ModulesWithRows(*profile);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < profile->modules.size(); ++i) {
    if (has_rows[i]) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return IsBeforeInCanonicalOrder(profile->modules[a], profile->modules[b]); });
  std::vector<uint32_t> numbers(profile->modules.size(), kNoModule);
  std::vector<ProfileModule> modules;
  for (const uint32_t old : order) {
    numbers[old] = static_cast<uint32_t>(modules.size());
    modules.push_back(std::move(profile->modules[old]));
  }
  profile->modules = std::move(modules);

  const auto renumber = [&numbers](Location* location) {
    if (location->module != kNoModule) location->module = numbers[location->module];
  };
  for (BranchCount& row : profile->branches) {
    renumber(&row.from);
    renumber(&row.to);
  }
  for (RangeCount& row : profile->ranges) row.module = numbers[row.module];
  for (SampleCount& row : profile->samples) renumber(&row.pc);
  std::sort(profile->branches.begin(), profile->branches.end(),
            [](const BranchCount& a, const BranchCount& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  std::sort(profile->ranges.begin(), profile->ranges.end(), [](const RangeCount& a, const RangeCount& b) {
    return std::tie(a.module, a.first, a.last) < std::tie(b.module, b.first, b.last);
  });
  std::sort(profile->samples.begin(), profile->samples.end(),
            [](const SampleCount& a, const SampleCount& b) { return a.pc < b.pc; });
  std::sort(profile->sessions.begin(), profile->sessions.end(),
            [](const ProfileSession& a, const ProfileSession& b) { return a.session_id < b.session_id; });
  return numbers;
}

}  // namespace softlbr::toolchain
