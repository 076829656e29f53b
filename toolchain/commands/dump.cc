// `softlbr dump`: prints everything in a profile, one record per line, fields separated by one space (docs/cli.md).
//
// Addresses are link-time addresses of their module. Names are printed by SafeWord, so a name is always one field.
#include "platform/base/reasons.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {
namespace {

std::string PlaceText(const std::vector<std::string>& labels, const Location& location) {
  return location.module < labels.size() ? labels[location.module] + "+" + Hex(location.address) : "(outside)";
}

std::string FlagText(uint32_t flags) {
  std::string text = "---";
  if ((flags & 4) != 0) text[0] = 'r';
  if ((flags & 2) != 0) text[1] = 'w';
  if ((flags & 1) != 0) text[2] = 'x';
  return text;
}

}  // namespace

int RunDump(const DumpOptions& options, std::ostream& out) {
  const Profile profile = LoadProfile(options.profile);
  const std::vector<std::string> labels = ModuleLabels(profile);
  out << "profile format_version=" << profile.format_version << " damaged_frames=" << profile.damaged_frames
      << " missing_frames=" << profile.missing_frames << " truncated=" << (profile.is_truncated ? 1 : 0)
      << " repeated_frames=" << profile.repeated_frames << '\n';
  for (size_t i = 0; i < profile.sessions.size(); ++i) {
    const ProfileSession& session = profile.sessions[i];
    out << "session " << i << " id=" << Hex(session.session_id) << " start_time_unix_s=" << session.start_time_unix_s
        << " arch=" << MachineName(session.arch) << " event=" << EventName(session.event)
        << " period=" << session.period << " frequency_hz=" << session.frequency_hz
        << " branches_per_trace=" << session.branches_per_trace
        << " resolve=" << ResolveName(static_cast<uint32_t>(session.resolve))
        << " has_breakpoints=" << (session.has_breakpoints != 0 ? 1 : 0) << " pid=" << session.process_id
        << " program=" << SafeWord(session.program) << '\n';
    for (const auto& [key, value] : session.labels)
      out << "label " << i << ' ' << key << '=' << SafeWord(value) << '\n';
  }
  ForEachCounter(profile.counters,
                 [&](const std::string& name, uint64_t value) { out << "counter " << name << ' ' << value << '\n'; });
  for (size_t i = 0; i < profile.modules.size(); ++i) {
    const ProfileModule& module = profile.modules[i];
    const std::string id = HexBytes(module.build_id);
    out << "module " << labels[i] << " index=" << i << " build_id=" << (id.empty() ? "-" : id)
        << " machine=" << MachineName(module.machine) << " elf_type=" << module.elf_type
        << " main=" << (module.is_main ? 1 : 0) << " name=" << SafeWord(module.name) << '\n';
    for (const Segment& segment : module.segments) {
      out << "segment " << labels[i] << " vaddr=" << Hex(segment.vaddr) << " file_offset=" << Hex(segment.file_offset)
          << " file_bytes=" << Hex(segment.file_bytes) << " memory_bytes=" << Hex(segment.memory_bytes)
          << " flags=" << FlagText(segment.flags) << '\n';
    }
  }
  for (const BranchCount& branch : profile.branches) {
    out << "branch " << branch.count << ' ' << PlaceText(labels, branch.from) << ' ' << PlaceText(labels, branch.to)
        << '\n';
  }
  for (const RangeCount& range : profile.ranges) {
    out << "range " << range.count << ' ' << PlaceText(labels, {range.module, range.first}) << ' '
        << PlaceText(labels, {range.module, range.last}) << '\n';
  }
  for (const SampleCount& sample : profile.samples) {
    out << "sample " << sample.count << ' ' << PlaceText(labels, sample.pc) << '\n';
  }
  if (!options.traces) return 0;
  uint64_t i = 0;
  VisitTraces(profile, [&](const Trace& trace) {
    out << "trace " << i << " thread=" << trace.thread << " sampled_pc=" << PlaceText(labels, trace.sampled_pc)
        << " reason=" << AbortKey(static_cast<uint32_t>(trace.reason)) << " branches=" << trace.branches.size() << '\n';
    for (const auto& [from, to] : trace.branches) {
      out << "trace_branch " << i << ' ' << PlaceText(labels, from) << ' ' << PlaceText(labels, to) << '\n';
    }
    ++i;
  });
  return 0;
}

}  // namespace softlbr::toolchain
