// Adds profiles up: modules matched by build id, counts summed, sessions listed.
//
// Two modules are one if build ids and machines agree, or, without build ids, if names and segments agree too. Inputs
// are consumed one at a time, so memory is that of the result and one input.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_MERGER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_MERGER_H_

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// Says whether two modules are one file. Equal keys: the same.
std::string ModuleKey(const ProfileModule& module);

class ProfileMerger {
 public:
  // Returns warnings, one line each. Chunks of one session (equal session ids) have their branch counts added but their
  // session counters, which are totals and not deltas, taken once (the larger).
  std::vector<std::string> Add(const Profile& input, const std::string& display_name);
  // The sum; sorted and unique as profile.h promises. Call once.
  Profile Finish();

 private:
  uint32_t MapModule(const ProfileModule& module);

  Profile sum_;
  std::unordered_map<std::string, uint32_t> modules_;
  std::map<std::pair<Location, Location>, uint64_t> branches_;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint64_t> ranges_;
  std::map<Location, uint64_t> samples_;
  // Counters per session id while inputs hold one session each; the sum of the others.
  std::map<uint64_t, SessionCounters> counters_by_session_;
  SessionCounters other_counters_{};
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_MERGER_H_
