// `softlbr merge`: adds profiles into one, in the same bytes for any order and grouping of them.
//
// Memory: the sum within the budget of ProfileBuilder, one input at a time, and what OutlierFinder and TraceSorter
// keep: some 600 bytes an input, 32 MiB of traces; with --weights, what the weights need (profile/*_weights.h).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "toolchain/base/failure.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/canonical_order.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/record/label_options.h"
#include "toolchain/weights/balance_weights.h"
#include "toolchain/weights/length_weights.h"
#include "toolchain/weights/outliers.h"
#include "toolchain/weights/start_weights.h"
#include "toolchain/weights/trace_sorter.h"

namespace softlbr::toolchain {
namespace {

const TraceVisitor kLeaveOut = [](const Trace&) {};
constexpr char kNothingToWeigh[] = "no trace has two branches of known code";

// The traces of an input, which stay there until they are written.
struct TracesOfInput {
  Profile profile;                // as many modules, and the traces
  std::vector<uint32_t> numbers;  // of its modules in the sum
};

TracesOfInput TakeTraces(Profile* profile) {
  TracesOfInput input;
  if (profile->whole_traces == 0) return input;
  input.profile.traces = std::move(profile->traces);
  input.profile.traces_file = profile->traces_file;
  input.profile.whole_traces = profile->whole_traces;
  input.profile.modules.resize(profile->modules.size());
  return input;
}

void VisitMapped(const TracesOfInput& input, const TraceVisitor& visit) {
  const auto map = [&input](const Location& location) {
    return location.module < input.numbers.size() ? Location{input.numbers[location.module], location.address}
                                                  : Location{};
  };
  VisitTraces(input.profile, [&](const Trace& trace) {
    Trace mapped{trace.thread, map(trace.sampled_pc), trace.reason, {}};
    for (const auto& [from, to] : trace.branches) mapped.branches.emplace_back(map(from), map(to));
    visit(mapped);
  });
}

// The inputs, and the sum of those that are not left out.
class Inputs {
 public:
  explicit Inputs(const MergeOptions& options)
      : options_(options), labels_(LabelsOf(options.labels)), paths_(ListProfiles(options.profiles)) {}

  // Reads all inputs, and a second time if some turn out to be outliers.
  Profile Add() {
    OutlierFinder finder;
    Profile sum = AddOnce(options_.keeps_outliers ? nullptr : &finder, DamageWarnings::kGiven);
    for (const Outlier& outlier : finder.Find()) {
      char text[96];
      std::snprintf(text, sizeof text, "%.0f%% of its largest shares, where the median profile has %.0f%%",
                    100 * outlier.figure, 100 * outlier.median);
      LeaveOut(outlier.number, SafeText(paths_[outlier.number]) + ": unlike the other profiles of its build: shares " +
                                   text + " with them; --keep-outliers takes it");
      ++outliers_;
    }
    if (outliers_ != 0) sum = AddOnce(nullptr, DamageWarnings::kLeftOut);
    const std::vector<uint32_t> numbers = PutInCanonicalOrder(&sum);
    for (TracesOfInput& input : traces_) {
      for (uint32_t& number : input.numbers) number = numbers[number];
      VisitMapped(input, [this](const Trace& trace) { sorter_.Add(trace); });
    }
    return sum;
  }

  void VisitAllTraces(const TraceVisitor& visit) { sorter_.Visit(visit); }
  // Inputs whose counts were weighted while they were added.
  size_t weighed() const { return weighed_; }

  // Reports what was left out, if anything. Returns the exit code.
  int Report() const {
    if (unlabelled_ != 0) {
      Say("took the " + GroupedCount(paths_.size() - unlabelled_) + " of " + GroupedCount(paths_.size()) +
          " profiles whose sessions have " + DescribeLabels(labels_));
    }
    if (left_out_.size() == unlabelled_) return 0;
    std::string causes;
    if (unreadable_ != 0) causes = GroupedCount(unreadable_) + " unreadable";
    if (outliers_ != 0)
      causes += (causes.empty() ? "" : ", ") + GroupedCount(outliers_) + " unlike the rest of their build";
    Say("merged " + GroupedCount(paths_.size() - left_out_.size()) + " of " + GroupedCount(paths_.size()) +
        " profiles; left out: " + causes);
    return kExitLeftOut;
  }

 private:
  void LeaveOut(size_t number, const std::string& why) {
    left_out_.insert(number);
    Warn("left out: " + why);
  }

  Profile AddOnce(OutlierFinder* finder, DamageWarnings warnings) {
    ProfileBuilder builder(&kLeaveOut);
    traces_.clear();
    weighed_ = 0;
    Progress progress("merging", paths_.size());
    for (size_t i = 0; i < paths_.size(); ++i) {
      progress.Step(i);
      if (left_out_.count(i) != 0) continue;
      try {
        AddInput(i, &builder, finder, warnings);
      } catch (const UnreadableProfile& failure) {
        if (paths_.size() == 1) throw;
        LeaveOut(i, failure.what());
        ++unreadable_;
      }
    }
    if (left_out_.size() == paths_.size()) {
      throw StatedFailure(unlabelled_ == 0
                              ? "no profile is left to merge; nothing was written"
                              : "no profile with " + DescribeLabels(labels_) +
                                    " is left to merge; nothing was written. `softlbr stats` shows their labels");
    }
    return builder.Take();
  }

  void AddInput(size_t number, ProfileBuilder* builder, OutlierFinder* finder, DamageWarnings warnings) {
    const std::string& path = paths_[number];
    Profile profile = LoadProfile(path, warnings);
    const auto has_labels = [this](const ProfileSession& session) { return HasLabels(session, labels_); };
    if (!std::all_of(profile.sessions.begin(), profile.sessions.end(), has_labels)) {
      if (std::any_of(profile.sessions.begin(), profile.sessions.end(), has_labels)) {
        Warn(SafeText(path) + ": only some of its sessions have " + DescribeLabels(labels_) +
             ", and their counts cannot be told apart; not taken. Merge the sessions' own files");
      }
      left_out_.insert(number);
      ++unlabelled_;
      return;
    }
    if (options_.weights != "none" && profile.whole_traces == 0 && !profile.branches.empty()) {
      throw StatedFailure(SafeText(path) + ": holds no whole traces, which --weights needs; record it with --traces");
    }
    if (finder != nullptr) finder->Add(number, profile);
    if (options_.weights == "balance") WeighAlone(path, &profile, warnings);
    TracesOfInput input = TakeTraces(&profile);
    std::vector<uint64_t> repeated;
    if (!builder->AddProfile(std::move(profile), &repeated, &input.numbers)) {
      throw StatedFailure(SafeText(path) + ": with the profiles named before it, more than fits " +
                          std::to_string(kMaxProfileBytes >> 20) + " MiB in memory; merge fewer");
    }
    if (input.profile.whole_traces != 0) traces_.push_back(std::move(input));
    if (warnings == DamageWarnings::kLeftOut) return;
    for (const uint64_t session : repeated) {
      Warn(SafeText(path) + ": session " + Hex(session) +
           " is already in; branch counts are added, session counters taken once. Was it named twice?");
    }
  }

  // By balance: no trace shows how one run ends and another begins, so each input is weighted by itself.
  void WeighAlone(const std::string& path, Profile* profile, DamageWarnings warnings) {
    if (profile->branches.empty()) return;
    const bool warns = warnings == DamageWarnings::kGiven;
    if (profile->sessions.size() > 1 && warns) {
      Warn(SafeText(path) + ": --weights balance on " + std::to_string(profile->sessions.size()) +
           " sessions at once: what a program passes through once loses weight with each; name a profile for each "
           "session");
    }
    if (WeightByBalance([profile](const TraceVisitor& visit) { VisitTraces(*profile, visit); }, profile)) {
      ++weighed_;
    } else if (paths_.size() > 1 && warns) {
      Warn(SafeText(path) + ": " + kNothingToWeigh + "; its counts stay as recorded");
    }
  }

  const MergeOptions& options_;
  const Labels labels_;
  const std::vector<std::string> paths_;
  std::set<size_t> left_out_;  // numbers of paths
  size_t unreadable_ = 0;
  size_t unlabelled_ = 0;  // without the labels that were asked for
  size_t outliers_ = 0;
  size_t weighed_ = 0;
  std::vector<TracesOfInput> traces_;
  TraceSorter sorter_;
};

// Reading needs more memory than adding up, because tables grow. A sum that no command could read must not be written.
void CheckReadable(const std::string& path, const std::string& shown) {
  const auto read = ReadProfileFile(path, kLeaveOut);
  if (std::holds_alternative<Profile>(read)) return;
  throw StatedFailure(shown + ": the sum could not be read again in " + std::to_string(kMaxReaderBytes >> 20) +
                      " MiB of memory; merge fewer profiles");
}

void WriteToStandardOutput(const Profile& sum, const TraceFeed& feed) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (file == nullptr)
    throw StatedFailure(std::string("no temporary file: ") + std::strerror(errno) + "; free space in /tmp");
  std::string error = WriteProfile(sum, file.get(), feed);
  if (std::fflush(file.get()) != 0 && error.empty()) error = std::strerror(errno);
  if (!error.empty()) throw StatedFailure("the temporary file cannot be written: " + error);
  const std::string path = "/proc/self/fd/" + std::to_string(fileno(file.get()));
  CheckReadable(path, "standard output");
  CopyToStandardOutput(path);
}

using Weigher = bool (*)(const TraceFeed&, Profile*);

// Weights that are found from the sum. nullptr: counts stay as they were added.
Weigher WeigherOf(const std::string& weights) {
  if (weights == "start") return WeightByStarts;
  return weights == "length" ? WeightByLength : nullptr;
}

}  // namespace

int RunMerge(const MergeOptions& options, std::ostream& out) {
  (void)out;
  // The sum may replace one of the profiles, because it is complete before it is renamed.
  Inputs inputs(options);
  Profile sum = inputs.Add();
  const std::string differing = DescribeDifferingLabels(sum.sessions);
  if (!differing.empty()) {
    Warn("the sessions differ in labels: " + differing +
         ". The sum has each session's labels, but its counts cannot be told apart by them; merge each value by itself "
         "with "
         "--label");
  }
  const auto feed = [&inputs](const TraceVisitor& visit) { inputs.VisitAllTraces(visit); };
  const Weigher weigh = WeigherOf(options.weights);
  const bool is_weighed = weigh != nullptr ? weigh(feed, &sum) : inputs.weighed() != 0;
  if (options.weights != "none" && !is_weighed) {
    throw StatedFailure(std::string(kNothingToWeigh) + ", so there is nothing to weigh; merge without --weights");
  }
  if (options.output == "-") {
    WriteToStandardOutput(sum, feed);
    return inputs.Report();
  }
  ReplacedFile file(options.output);
  const std::string error = WriteProfileFile(sum, file.temporary(), feed);
  if (!error.empty()) throw StatedFailure(error);
  if (file.temporary() != options.output) CheckReadable(file.temporary(), SafeText(options.output));
  file.Commit();
  return inputs.Report();
}

}  // namespace softlbr::toolchain
