// Profiles as many devices would upload them: draws of traces from one distribution of branches. For tests and a bench
// of merge.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_PROFILE_SYNTHETIC_UPLOADS_H_
#define SOFTLBR_TESTS_TOOLCHAIN_PROFILE_SYNTHETIC_UPLOADS_H_

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <utility>

#include "tests/toolchain/profile/synthetic_profile.h"
#include "toolchain/profile/profile.h"

namespace softlbr::testing {

struct UploadShape {
  uint64_t traces = 200;
  uint64_t loops = 400;      // parts of the program; loop i is drawn in proportion to 1 / (i + 1)
  uint64_t first_loop = 0;   // another number: other parts of the program
  uint64_t branches = 4;     // of a loop
  uint64_t per_trace = 128;  // taken branches; all of a trace are of one loop
};

// The number is the session's id and what chance depends on.
inline toolchain::Profile SyntheticUpload(uint64_t number, const UploadShape& shape = {}) {
  using toolchain::Location;
  toolchain::Profile profile = SyntheticProfile();
  profile.modules[0].segments[1] = {0x1790, 0x790, 0x400000, 0x400000, 5};
  profile.modules[0].segments[2].vaddr = 0x500000;
  toolchain::ProfileSession& session = profile.sessions[0];
  session.session_id = number;
  session.branches_per_trace = static_cast<uint32_t>(shape.per_trace);
  session.counters = {};
  session.counters.samples = session.counters.traces_complete = shape.traces;
  session.counters.taken_branches = shape.traces * shape.per_trace;
  profile.counters = session.counters;

  std::mt19937_64 random(number);
  std::uniform_real_distribution<double> uniform(0, std::log(static_cast<double>(shape.loops) + 1));
  std::map<uint64_t, uint64_t> traces_of;  // by loop
  for (uint64_t i = 0; i < shape.traces; ++i)
    ++traces_of[static_cast<uint64_t>(std::exp(uniform(random))) - 1 + shape.first_loop];
  profile.branches.clear();
  profile.ranges.clear();
  profile.samples.clear();
  for (const auto& loop_traces : traces_of) {
    const uint64_t loop = loop_traces.first;
    const uint64_t traces = loop_traces.second;
    // A loop of blocks, each of 16 bytes, which are left by their last byte.
    const uint64_t count = traces * (shape.per_trace / shape.branches);
    for (uint64_t block = 0; block < shape.branches; ++block) {
      const auto at = [&](uint64_t i) { return 0x2000 + 16 * (loop * shape.branches + i % shape.branches); };
      profile.branches.push_back({Location{kProg, at(block) + 15}, Location{kProg, at(block + 1)}, count});
      profile.ranges.push_back({kProg, at(block), at(block) + 15, count});
    }
    profile.samples.push_back({Location{kProg, 0x2000 + 16 * loop * shape.branches}, traces});
  }
  return profile;
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_PROFILE_SYNTHETIC_UPLOADS_H_
