// Adds frames or whole profiles into one Profile, within a memory budget. Host code.
//
// Who: profile_reader.cc adds frames, `merge` adds profiles.
// Memory: at most `budget_bytes`, charged before each allocation. Equal rows are merged before a table grows. Whole
//   traces have no bound in a file: with a visitor, each is handed over and not kept.
// Full: an Add returns false; the builder must not be used any further.
// Modules are equal if their ModuleIdentity is; of different names the first in the alphabet is kept. Counts of equal
// rows are added; sums saturate at 2^64 - 1. Sessions are identified by id. A frame holds a session's settings and
// counters as totals since its start, so a later frame
//   replaces them. Of two profiles with the same session, which may hold different frames of it, the maximum of each
//   setting and counter is kept.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_BUILDER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_BUILDER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_decoder.h"

namespace softlbr::toolchain {

// The memory budget for each profile that a command holds.
inline constexpr uint64_t kMaxProfileBytes = 192ull << 20;

// A key that is equal for equal modules (docs/profile_format.md, "modules").
std::string ModuleIdentity(const ProfileModule& module);

class ProfileBuilder {
 public:
  explicit ProfileBuilder(uint64_t budget_bytes = kMaxProfileBytes) : budget_(budget_bytes) {}
  enum class Rows { kKept, kIgnored };
  // Traces go to `visitor`, which must outlive the builder, and are only counted here.
  explicit ProfileBuilder(const TraceVisitor* visitor, Rows rows = Rows::kKept)
      : budget_(kMaxProfileBytes), visitor_(visitor), rows_(rows) {}

  // False if the frame does not fit the budget.
  bool AddFrame(uint64_t session_id, bool is_end, DecodedFrame frame);
  // Counts a frame of unknown kind as read. False if its session does not fit the budget.
  bool AddUnknownFrame(uint64_t session_id);
  // Names the process of a session. False if that does not fit the budget.
  bool AddProcess(uint64_t session_id, std::optional<DecodedProcess> process);
  // False if the profile does not fit the budget. The ids of sessions added before are appended to *repeated unless it
  // is null. Sets *numbers, unless it is null, to the numbers here of the profile's modules.
  bool AddProfile(Profile profile, std::vector<uint64_t>* repeated, std::vector<uint32_t>* numbers = nullptr);

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
  bool AddContent(ProfileContent content, std::vector<uint32_t>* module_numbers = nullptr);
  bool MapModules(std::vector<ProfileModule>* modules, std::vector<uint32_t>* numbers);
  template <typename Row>
  bool Append(std::vector<Row>* rows, const std::vector<Row>& more);
  template <typename Row>
  bool MakeRoom(std::vector<Row>* rows, size_t more);

  uint64_t budget_;
  uint64_t used_ = 0;
  const TraceVisitor* visitor_ = nullptr;
  Rows rows_ = Rows::kKept;
  std::map<uint64_t, Session> sessions_;
  std::map<std::string, uint32_t> module_numbers_;
  Profile profile_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_BUILDER_H_
