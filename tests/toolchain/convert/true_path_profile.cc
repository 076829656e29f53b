#include "tests/toolchain/convert/true_path_profile.h"

#include <algorithm>
#include <map>

#include "platform/base/elf_machine.h"
#include "platform/base/sample_event.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/binary/elf_image.h"

namespace softlbr::testing {
namespace {

using toolchain::Location;

// In lld's layout two segments can share a page of the file, and the true path may have computed `address` from the
// wrong one. Code is only in executable segments: find the segment from the file offset.
uint64_t InExecutableSegment(const std::vector<toolchain::Segment>& segments, uint64_t address) {
  if (toolchain::FindExecutableSegment(segments, address) != nullptr) return address;
  for (const toolchain::Segment& segment : segments) {
    const uint64_t offset = address - segments[0].vaddr + segments[0].file_offset;
    const bool is_code = toolchain::FindExecutableSegment({segment}, segment.vaddr) != nullptr;
    if (is_code && offset >= segment.file_offset && offset - segment.file_offset < segment.file_bytes) {
      return offset - segment.file_offset + segment.vaddr;
    }
  }
  return address;
}

Location Place(const truth::CodeAddress& address, const toolchain::Profile& profile) {
  if (address.module >= profile.modules.size()) return {};
  return {address.module, InExecutableSegment(profile.modules[address.module].segments, address.address)};
}

}  // namespace

toolchain::Profile ProfileOfTruePath(const truth::TruePath& path, size_t branches_per_trace,
                                     const std::string& main_program) {
  toolchain::Profile profile;
  profile.format_version = kFormatVersion;
  toolchain::ProfileSession session{};
  session.arch = kMachineX86_64;
  session.event = static_cast<uint8_t>(platform::SampleEvent::kTaskClock);
  session.period = 1;
  session.branches_per_trace = static_cast<uint32_t>(branches_per_trace);
  session.session_id = 1;
  for (const truth::TruthModule& truth_module : path.modules.modules()) {
    toolchain::ProfileModule module;
    module.name = truth_module.path;
    module.build_id = truth_module.build_id;
    module.machine = kMachineX86_64;
    module.is_main = truth_module.path == main_program;
    auto opened = toolchain::ElfImage::Open(truth_module.path);
    if (const auto* image = std::get_if<toolchain::ElfImagePtr>(&opened)) {
      module.elf_type = (*image)->type();
      module.segments = (*image)->segments();
    }
    profile.modules.push_back(module);
  }
  std::map<std::pair<Location, Location>, uint64_t> branches;
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, uint64_t> ranges;
  for (const auto& chunk : path.chunks) {
    for (size_t start = 0; start < chunk.size(); start += branches_per_trace) {
      toolchain::Trace trace;
      trace.thread = 1;
      const size_t end = std::min(chunk.size(), start + branches_per_trace);
      for (size_t i = start; i < end; ++i) {
        const truth::TakenBranch& branch = path.branches[chunk[i]];
        const Location from = Place(branch.from, profile);
        const Location to = Place(branch.to, profile);
        ++branches[{from, to}];
        if (!trace.branches.empty()) {
          const Location& before = trace.branches.back().second;
          if (before.module == from.module && from.module != toolchain::kNoModule && before.address <= from.address) {
            ++ranges[{from.module, before.address, from.address}];
          }
        }
        trace.branches.push_back({from, to});
      }
      trace.sampled_pc = trace.branches.front().first;
      profile.traces.push_back(std::move(trace));
    }
  }
  for (const auto& [key, count] : branches) {
    profile.branches.push_back({key.first, key.second, count});
    session.counters.taken_branches += count;
  }
  for (const auto& [key, count] : ranges) {
    profile.ranges.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
  }
  session.counters.samples = session.counters.traces_complete = profile.traces.size();
  profile.sessions.push_back(session);
  profile.counters = session.counters;
  return profile;
}

}  // namespace softlbr::testing
