// Adds frames or whole profiles up to one Profile, within a fixed amount of memory. Host code.
//
// Who: profile_reader.cc adds frames, `merge` adds profiles. Memory: at most `budget_bytes`, counted before each growth; equal rows
// are merged before a table grows. Full: an Add returns false, and nothing more can be added.
// Modules: two are the same by ModuleIdentity. Counts of equal rows are added up; a sum that passes 2^64 - 1 stays there.
// Sessions: told apart by their ids. Settings and counters are totals, not differences. Of one session, a later frame replaces them,
//   and a later profile, which may have read fewer of its frames, the counters that it has larger.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_BUILDER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_decoder.h"

namespace softlbr::toolchain {

// The budget of every profile that a command holds.
inline constexpr uint64_t kMaxProfileBytes = 192ull << 20;

// Equal for modules that are the same (docs/profile_format.md, "modules").
std::string ModuleIdentity(const ProfileModule& module);

class ProfileBuilder {
 public:
  explicit ProfileBuilder(uint64_t budget_bytes = kMaxProfileBytes) : budget_(budget_bytes) {}

  // False if the frame does not fit the budget.
  bool AddFrame(uint64_t session_id, bool is_end, DecodedFrame frame);
  // A frame of a kind that this version does not know: it counts as read.
  bool AddUnknownFrame(uint64_t session_id);
  // False if the profile does not fit the budget. *repeated, if not null, gets the ids of its sessions that were in already.
  bool AddProfile(Profile profile, std::vector<uint64_t>* repeated);

  // Call once.
  Profile Take();

 private:
  struct Session {
    ProfileSession content;
    uint64_t frames_read = 0;
    uint64_t frames_written = 0;
    uint64_t order = 0;  // from 1
    bool has_end = false;
  };

  bool Charge(uint64_t bytes);
  Session* FindSession(uint64_t session_id, bool* is_new);
  bool AddContent(ProfileContent content);
  bool MapModules(std::vector<ProfileModule>* modules, std::vector<uint32_t>* numbers);
  template <typename Row>
  bool Append(std::vector<Row>* rows, const std::vector<Row>& more);
  template <typename Row>
  bool MakeRoom(std::vector<Row>* rows, size_t more);

  uint64_t budget_;
  uint64_t used_ = 0;
  std::map<uint64_t, Session> sessions_;
  std::map<std::string, uint32_t> module_numbers_;
  Profile profile_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_BUILDER_H_
