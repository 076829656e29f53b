// `softlbr merge`: adds several profiles into one.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "toolchain/binary/module_branches.h"
#include "toolchain/commands/commands.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/profile/start_weights.h"

namespace softlbr::toolchain {
namespace {

const TraceVisitor kLeaveOut = [](const Trace&) {};

// The traces of an input, which stay there until they are written.
struct TracesOfInput {
  Profile profile;                // its modules and traces only
  std::vector<uint32_t> numbers;  // of its modules in the sum
};

TracesOfInput TakeTraces(Profile* profile) {
  TracesOfInput input;
  if (profile->whole_traces == 0) return input;
  input.profile.traces = std::move(profile->traces);
  input.profile.traces_file = profile->traces_file;
  input.profile.whole_traces = profile->whole_traces;
  input.profile.modules = profile->modules;
  return input;
}

void VisitMapped(const TracesOfInput& input, const TraceVisitor& visit) {
  const auto map = [&input](const Location& location) {
    return location.module < input.numbers.size() ? Location{input.numbers[location.module], location.address} : Location{};
  };
  VisitTraces(input.profile, [&](const Trace& trace) {
    Trace mapped{trace.thread, map(trace.sampled_pc), trace.reason, {}};
    for (const auto& [from, to] : trace.branches) mapped.branches.emplace_back(map(from), map(to));
    visit(mapped);
  });
}

// Reading needs more memory than adding up, as tables grow: what no command could read must not be written.
void CheckReadable(const std::string& path, const std::string& shown, CodeFinder* code) {
  const auto read = ReadProfileFile(path, kLeaveOut, code);
  if (const auto* profile = std::get_if<Profile>(&read)) {
    if (profile->missing_code.empty()) return;
    throw StatedFailure(shown + ": " + DescribeMissingCode(*profile));
  }
  throw StatedFailure(shown + ": the sum could not be read again in " + std::to_string(kMaxReaderBytes >> 20) +
                      " MiB of memory; merge fewer profiles");
}

void WriteToStandardOutput(const Profile& sum, const TraceFeed& feed, const WriteOptions& options) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (file == nullptr) throw StatedFailure(std::string("no temporary file: ") + std::strerror(errno) + "; free space in /tmp");
  std::string error = WriteProfile(sum, file.get(), feed, options);
  if (std::fflush(file.get()) != 0 && error.empty()) error = std::strerror(errno);
  if (!error.empty()) throw StatedFailure("the temporary file cannot be written: " + error);
  const std::string path = "/proc/self/fd/" + std::to_string(fileno(file.get()));
  CheckReadable(path, "standard output", options.code);
  CopyToStandardOutput(path);
}

// Their targets stay in the profile, which is larger but complete.
void WarnOfExplicitModules(const Profile& sum, CodeFinder* code) {
  std::string names;
  std::vector<bool> has_rows(sum.modules.size());
  for (const RangeCount& row : sum.ranges) has_rows[row.module] = true;
  for (size_t i = 0; i < sum.modules.size(); ++i) {
    if (has_rows[i] && code->Find(sum.modules[i]) == nullptr) names += (names.empty() ? "" : ", ") + SafeText(sum.modules[i].name);
  }
  if (!names.empty())
    Warn("--lean: no file with the build id of, or no decoder for, " + names + "; not leaner there. Name it with -b");
}

}  // namespace

int RunMerge(const MergeOptions& options, std::ostream& out) {
  (void)out;
  std::vector<TracesOfInput> inputs;
  ProfileBuilder builder(&kLeaveOut);
  const std::vector<std::string> paths = ListProfiles(options.profiles);
  {
    Progress progress("merging", paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
      progress.Step(i);
      const std::string& path = paths[i];
      std::vector<uint64_t> repeated;
      ModuleBranches code(options.binaries, path);
      Profile profile = LoadProfile(path, &code);
      if (options.weights == "start" && profile.whole_traces == 0 && !profile.branches.empty()) {
        throw StatedFailure(SafeText(path) + ": holds no whole traces, which --weights start needs; record it with --traces");
      }
      TracesOfInput input = TakeTraces(&profile);
      if (!builder.AddProfile(std::move(profile), &repeated, &input.numbers)) {
        throw StatedFailure(SafeText(path) + ": with the profiles named before it, more than fits " +
                            std::to_string(kMaxProfileBytes >> 20) + " MiB in memory; merge fewer");
      }
      if (input.profile.whole_traces != 0) inputs.push_back(std::move(input));
      for (const uint64_t session : repeated) {
        Warn(SafeText(path) + ": session " + Hex(session) +
             " is already in; branch counts are added, session counters taken once. Was it named twice?");
      }
    }
  }
  Profile sum = builder.Take();
  const auto feed = [&inputs](const TraceVisitor& visit) {
    for (const TracesOfInput& input : inputs) VisitMapped(input, visit);
  };
  if (options.weights == "start" && !WeightByStarts(feed, &sum)) {
    throw StatedFailure("no trace has two branches, so there is nothing to weigh; merge without --weights");
  }
  ModuleBranches code(options.binaries, options.profiles[0]);
  const WriteOptions form = {!options.is_explicit, options.is_lean ? &code : nullptr};
  if (options.is_lean) WarnOfExplicitModules(sum, &code);
  if (options.output == "-") {
    WriteToStandardOutput(sum, feed, form);
    return 0;
  }
  ReplacedFile file(options.output);
  const std::string error = WriteProfileFile(sum, file.temporary(), feed, form);
  if (!error.empty()) throw StatedFailure(error);
  if (file.temporary() != options.output) CheckReadable(file.temporary(), SafeText(options.output), form.code);
  file.Commit();
  return 0;
}

}  // namespace softlbr::toolchain
