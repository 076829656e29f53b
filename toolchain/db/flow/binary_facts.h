// The facts of one binary: what the profiles said of it, with equal rows of several uploads added up.
#ifndef SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_FACTS_H_
#define SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_FACTS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolchain/db/flow/binary_flow.h"
#include "toolchain/db/store/database.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

struct BinaryFacts {
  uint32_t binary = 0;
  // The binary is its only module; of its branches, only targets inside it. Its session tells if all samples are by
  // instructions.
  Profile profile;
  std::vector<RecordedBranch> branches;              // from the binary, by (from, to)
  std::vector<uint32_t> to_modules;                  // of each branch
  std::vector<std::pair<uint64_t, uint64_t>> ended;  // by instruction: how often a range ended there
};

BinaryFacts LoadFacts(const Connection& connection, uint32_t binary);

// A session sampled by instructions, for BinaryFacts::profile.
ProfileSession InstructionSession();

// Sorts BinaryFacts::ended and adds up what has one address.
void AddEqualEnds(std::vector<std::pair<uint64_t, uint64_t>>* ended);

// Leaves one row for each range and sample of the binary that was loaded, and no row for its branches, which `edge`
// has.
void CompactFacts(const Connection& connection, const BinaryFacts& facts);

// Segments as a text of the table `module`, and back.
std::string SegmentsText(const std::vector<Segment>& segments);
std::vector<Segment> SegmentsOf(std::string_view text);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_FACTS_H_
