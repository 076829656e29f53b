#include "toolchain/db/flow/block_neighbours.h"

#include <algorithm>

namespace softlbr::toolchain {
namespace {

// The flow between an instruction and another one.
struct Flow {
  uint64_t address = 0;
  uint64_t other = 0;
  uint64_t count = 0;
};

// The recorded branches inside the binary, by address: of each address the branch taken most.
std::vector<Flow> LargestFlows(const std::vector<RecordedBranch>& branches, uint64_t RecordedBranch::*at,
                               uint64_t RecordedBranch::*other) {
  std::vector<Flow> flows;
  for (const RecordedBranch& branch : branches) {
    if (branch.is_inside) flows.push_back({branch.*at, branch.*other, branch.count});
  }
  std::sort(flows.begin(), flows.end(), [](const Flow& a, const Flow& b) {
    if (a.address != b.address) return a.address < b.address;
    return a.count != b.count ? a.count > b.count : a.other < b.other;
  });
  const auto is_same = [](const Flow& a, const Flow& b) { return a.address == b.address; };
  flows.erase(std::unique(flows.begin(), flows.end(), is_same), flows.end());
  return flows;
}

// Looks addresses up in ascending order.
class FlowCursor {
 public:
  explicit FlowCursor(const std::vector<Flow>& flows) : next_(flows.begin()), end_(flows.end()) {}
  const Flow* At(uint64_t address) {
    while (next_ != end_ && next_->address < address) ++next_;
    return next_ != end_ && next_->address == address ? &*next_ : nullptr;
  }

 private:
  std::vector<Flow>::const_iterator next_;
  std::vector<Flow>::const_iterator end_;
};

// The distance to the other end of the larger flow, or none. Of equal flows the fall-through is taken.
std::optional<int64_t> NeighbourDistance(uint64_t address, const Flow& straight, const Flow* branch) {
  Flow best = straight;
  if (branch != nullptr && branch->count > best.count) best = *branch;
  const auto distance = static_cast<int64_t>(best.other - address);
  const bool fits = (distance < 0) == (best.other < address);
  if (best.count == 0 || !fits) return std::nullopt;
  return distance;
}

}  // namespace

// Only before a block's first instruction and after its last one can there be another block's instruction or a branch.
std::vector<BlockNeighbours> NeighboursOf(const RecoveredBinary& binary) {
  const std::vector<Flow> into = LargestFlows(binary.facts.branches, &RecordedBranch::to, &RecordedBranch::from);
  const std::vector<Flow> out_of = LargestFlows(binary.facts.branches, &RecordedBranch::from, &RecordedBranch::to);
  FlowCursor into_at(into);
  FlowCursor out_of_at(out_of);
  const ExecutedModule& code = binary.module();
  std::vector<BlockNeighbours> neighbours;
  neighbours.reserve(binary.flow.blocks.size());
  size_t end = 0;  // behind the block's last instruction
  for (const BasicBlock& block : binary.flow.blocks) {
    const size_t first = end;
    end += block.instructions;
    const ExecutedInstruction& last = code.instructions[end - 1];
    const ExecutedInstruction* before = first != 0 ? &code.instructions[first - 1] : nullptr;
    const bool follows = before != nullptr && before->address + before->bytes == block.start;
    const Flow straight_in = follows ? Flow{0, before->address, binary.fall_through[first - 1]} : Flow{};
    const Flow straight_out{0, last.address + last.bytes, binary.fall_through[end - 1]};
    neighbours.push_back({NeighbourDistance(block.start, straight_in, into_at.At(block.start)),
                          NeighbourDistance(last.address, straight_out, out_of_at.At(last.address))});
  }
  return neighbours;
}

}  // namespace softlbr::toolchain
