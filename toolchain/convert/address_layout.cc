#include "toolchain/convert/address_layout.h"

#include <elf.h>

#include <algorithm>

#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kPageMask = 0xfff;
constexpr uint64_t kFirstBias = 0x550000000000;
constexpr uint64_t kEndOfBiases = 0x7f0000000000;
constexpr uint64_t kGap = 0x40000000;
// No program that ran has segments beyond this address.
constexpr uint64_t kMaxModuleEnd = uint64_t{1} << 46;

}  // namespace

AddressLayout::AddressLayout(const ConvertInput& input) {
  const Profile& profile = *input.profile;
  biases_.resize(profile.modules.size());
  std::vector<bool> is_used(profile.modules.size());
  const auto use = [&](const Location& location) {
    if (location.module < is_used.size()) is_used[location.module] = true;
  };
  VisitTraces(profile, [&](const Trace& trace) {
    for (const auto& [from, to] : trace.branches) {
      use(from);
      use(to);
    }
  });
  for (const BranchCount& branch : profile.branches) {
    use(branch.from);
    use(branch.to);
  }
  const ModuleFiles files({}, input.profile_path);
  uint64_t next_bias = kFirstBias;
  for (uint32_t i = 0; i < profile.modules.size(); ++i) {
    if (!is_used[i]) continue;
    const ProfileModule& module = profile.modules[i];
    const bool is_chosen = i == input.module_index;
    const std::vector<Segment>& segments = is_chosen ? input.segments : module.segments;
    uint64_t end = 0;
    bool is_plausible = !segments.empty();
    for (const Segment& segment : segments) {
      is_plausible = is_plausible && segment.vaddr < kMaxModuleEnd && segment.memory_bytes < kMaxModuleEnd;
      end = std::max(end, segment.vaddr + segment.memory_bytes);
    }
    const uint16_t elf_type = is_chosen && input.image != nullptr ? input.image->type() : module.elf_type;
    uint64_t bias = 0;
    if (elf_type != ET_EXEC) {
      bias = next_bias;
      if (!is_plausible || kEndOfBiases - next_bias < end + 2 * kGap) continue;
      next_bias = (next_bias + end + 2 * kGap) & ~(kGap - 1);
    }
    if (!is_plausible) continue;
    biases_[i] = bias;
    const ElfImagePtr file = is_chosen ? input.image : files.Find(module);
    for (const Segment& segment : segments) {
      if ((segment.flags & PF_X) == 0) continue;
      Mapping mapping;
      mapping.start = (bias + segment.vaddr) & ~kPageMask;
      mapping.bytes = ((bias + segment.vaddr + segment.memory_bytes + kPageMask) & ~kPageMask) - mapping.start;
      mapping.file_offset = segment.file_offset & ~kPageMask;
      mapping.module = i;
      mapping.path = file != nullptr ? file->path() : module.name;
      mapping.build_id = module.build_id;
      mappings_.push_back(std::move(mapping));
    }
  }
  std::sort(mappings_.begin(), mappings_.end(), [](const Mapping& a, const Mapping& b) { return a.start < b.start; });
}

uint64_t AddressLayout::RuntimeAddress(const Location& location) const {
  if (location.module >= biases_.size() || !biases_[location.module].has_value()) return kOutside;
  return *biases_[location.module] + location.address;
}

std::string PerfMappingLine(const Mapping& mapping) {
  const std::string id = std::to_string(kProcess);
  // SafeText: with a line break in its name, a module could forge records.
  const std::string identity = mapping.build_id.empty() ? "00:00 0 0" : "<" + HexBytes(mapping.build_id) + ">";
  return " PERF_RECORD_MMAP2 " + id + "/" + id + ": [0x" + HexDigits(mapping.start) + "(0x" + HexDigits(mapping.bytes) +
         ") @ 0x" + HexDigits(mapping.file_offset) + " " + identity + "]: r-xp " + SafeText(mapping.path) + "\n";
}

}  // namespace softlbr::toolchain
