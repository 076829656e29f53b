// Adds decoded frames up to one Profile within a fixed amount of memory. Host code.
//
// Who: profile_reader.cc. Memory: at most `budget_bytes`, counted before each growth; equal rows are merged before a
// table grows. Full: Add returns false and nothing more can be added.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_ACCUMULATOR_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_ACCUMULATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "toolchain/profile/profile.h"
#include "toolchain/profile/profile_decoder.h"

namespace softlbr::toolchain {

class ProfileAccumulator {
 public:
  explicit ProfileAccumulator(uint64_t budget_bytes) : budget_(budget_bytes) {}

  // False if the frame does not fit the budget.
  bool Add(uint64_t session_id, bool is_end, DecodedFrame frame);
  // A frame of a kind this version does not know: it counts as read.
  bool AddUnknown(uint64_t session_id);

  // Everything but format_version and damaged_frames. Call once.
  Profile Take();

 private:
  struct Session {
    SessionInfo info{};
    SessionCounters counters{};
    uint64_t frames_read = 0;
    uint64_t frames_written = 0;
    uint64_t order = 0;
    bool has_end = false;
  };

  bool Charge(uint64_t bytes);
  Session* FindSession(uint64_t session_id);
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

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_PROFILE_ACCUMULATOR_H_
