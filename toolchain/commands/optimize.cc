// `softlbr optimize`: from a program to a measurably faster one, or the statement that it did not get faster.
//
// Steps, each of which --step can run alone: check (binary and tools), record (until the runs agree), apply (LLVM's
// tools), measure (pairs of runs). All intermediate results are in the work folder, under fixed names: a step reads
// what the one before has left there.
//
// A build of --pgo writes over the program. The program is copied to the work folder before, and put back when the
// build has ended.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "toolchain/base/failure.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/program_check.h"
#include "toolchain/commands/commands.h"
#include "toolchain/convert/consumer_check.h"
#include "toolchain/convert/converters.h"
#include "toolchain/optimize/paired_times.h"
#include "toolchain/optimize/run_agreement.h"
#include "toolchain/optimize/tool_run.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/weights/expected_overlap.h"

namespace softlbr::toolchain {
namespace {

using Json = nlohmann::ordered_json;

// Samples a second of CPU time, with traces as long as they can be (docs/decisions/0016-traces-of-1024-branches.md).
// The program runs only to be recorded, so it may cost more than a session in production.
constexpr char kRecordFrequency[] = "500";
constexpr char kRecordBranches[] = "1024";
constexpr char kProfileFlagVariable[] = "SOFTLBR_PROFILE_FLAG";
constexpr uint32_t kFewestRecordings = 2;
// The least time of the program itself: below it, the start of the process would be most of what is measured.
constexpr double kShortestRunSeconds = 0.05;

std::string Percent(double share) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f%%", 100 * share);
  return buffer;
}

std::string Seconds(double seconds) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3f s", seconds);
  return buffer;
}

void Copy(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  if (error) throw StatedFailure(SafeText(to) + ": cannot be written: " + error.message());
}

// Replaces a file even while it is executed.
void Replace(const std::string& from, const std::string& to) {
  ReplacedFile file(to);
  Copy(from, file.temporary());
  file.Commit();
}

bool IsSameContent(const std::string& a, const std::string& b) {
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(first), {}, std::istreambuf_iterator<char>(second), {});
}

std::string LinesWith(const std::string& path, const std::vector<std::string>& patterns) {
  std::ifstream file(path);
  std::string found;
  for (std::string line; std::getline(file, line);) {
    for (const std::string& pattern : patterns) {
      if (line.find(pattern) != std::string::npos) found += "  " + SafeText(line) + '\n';
    }
  }
  return found;
}

ElfImagePtr OpenBinary(const std::string& path) {
  auto opened = ElfImage::Open(path);
  if (std::holds_alternative<std::string>(opened)) {
    throw StatedFailure(std::get<std::string>(opened) +
                        "; optimize needs the program itself, not a script that starts it");
  }
  return std::get<std::shared_ptr<const ElfImage>>(opened);
}

class Optimization {
 public:
  Optimization(const OptimizeOptions& options, std::ostream& out) : options_(options), out_(out) {
    program_ = std::filesystem::absolute(ResolveProgram(options.program[0])).lexically_normal().string();
    folder_ = std::filesystem::absolute(options.work).lexically_normal().string();
    if (!folder_.ends_with("/")) folder_ += '/';
    output_ = options.output.empty() ? program_ + ".optimized" : options.output;
    RefuseInputAsOutput(output_, {program_, options.input});
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw StatedFailure(SafeText(folder_) + ": cannot be created: " + error.message());
  }

  int Run() {
    Say("intermediate files: " + SafeText(folder_));
    if (IsWanted("check")) Check();
    if (options_.step.empty()) {
      std::string current = program_;
      if (options_.use_pgo) {
        Record(current);
        current = Rebuild(current);
      }
      if (options_.use_bolt) {
        if (options_.use_pgo) CheckForBolt(current);
        Record(current);
        ApplyBolt(current);
      }
    } else if (options_.step == "record") {
      Record(program_);
    } else if (options_.step == "apply") {
      options_.use_pgo ? (void)Rebuild(program_) : ApplyBolt(program_);
    }
    return IsWanted("measure") ? Measure() : 0;
  }

 private:
  std::string File(const std::string& name) const { return folder_ + name; }
  bool IsWanted(const std::string& step) const { return options_.step.empty() || options_.step == step; }

  void CheckForBolt(const std::string& binary) const {
    const ElfImagePtr image = OpenBinary(binary);
    if (HasAddressTranslation(*image)) {
      throw StatedFailure(SafeText(binary) +
                          " is a result of llvm-bolt, which takes only a program as it was linked; name that");
    }
    const std::string why = WhyUnusable(*image, nullptr, Consumer::kBolt, BinaryOption::kNone);
    if (!why.empty()) throw StatedFailure(why);
    if (!HasCodeRelocations(*image)) {
      throw StatedFailure(SafeText(binary) +
                          " was linked without relocations, which llvm-bolt needs to move functions; link with "
                          "-Wl,--emit-relocs");
    }
  }

  void Check() {
    CheckProgram(program_);
    const ElfImagePtr image = OpenBinary(program_);
    if (image->build_id().empty()) {
      throw StatedFailure(SafeText(program_) +
                          " has no build id, by which its profile is told from that of another build; link with "
                          "-Wl,--build-id");
    }
    if (options_.use_pgo) {
      const ElfImagePtr debug = ModuleFiles({}, program_).FindDebugFile(*image, DebugUse::kLines);
      const std::string why = WhyUnusable(*image, debug.get(), Consumer::kSourceProfile, BinaryOption::kNone);
      if (!why.empty()) throw StatedFailure(why);
      (void)FindLlvmSuffix({"llvm-profgen"}, "llvm");
    }
    if (options_.use_bolt) {
      if (!options_.use_pgo) CheckForBolt(program_);
      (void)FindLlvmSuffix({"llvm-bolt", "perf2bolt"}, "bolt");
    }
    Say("check: " + SafeText(program_) + " and the tools have what is needed");
  }

  ToolRun ProgramRun(const std::string& path, const std::string& stem) const {
    ToolRun run;
    run.path = path;
    run.arguments = options_.program;
    run.input = options_.input;
    run.output = File(stem + ".out");
    run.errors = File(stem + ".err");
    return run;
  }

  // Records run after run until the overlap with a second recording of the same size would be as large as wanted.
  void Record(const std::string& binary) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("run-") && name.ends_with(".slbr")) std::filesystem::remove(entry.path());
    }
    std::vector<std::string> profiles;
    RunAgreement agreement;
    Profile sum;
    const auto start = std::chrono::steady_clock::now();
    double seconds = 0;
    Progress progress("recording", static_cast<uint64_t>(options_.record_seconds));
    while (true) {
      profiles.push_back(File("run-" + std::to_string(profiles.size() + 1) + ".slbr"));
      ToolRun run = ProgramRun("/proc/self/exe", "record");
      run.arguments = {"softlbr",
                       "record",
                       "-q",
                       "--no-children",
                       "-F",
                       kRecordFrequency,
                       "--branches",
                       kRecordBranches,
                       "--max-overhead",
                       "100%",
                       "-o",
                       profiles.back(),
                       "--",
                       binary};
      run.arguments.insert(run.arguments.end(), options_.program.begin() + 1, options_.program.end());
      RunRecording(run, binary, profiles.back());
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      progress.Step(std::min(static_cast<uint64_t>(seconds), static_cast<uint64_t>(options_.record_seconds)));
      if (profiles.size() < kFewestRecordings) continue;
      sum = Profile();
      agreement = MeasureAgreement(profiles, &sum);
      if (agreement.taken_branches == 0) {
        throw StatedFailure("no taken branch of " + SafeText(binary) +
                            " was recorded; give it more work, or see softlbr stats " + SafeText(profiles.back()));
      }
      if (agreement.expected_overlap >= options_.enough || seconds >= options_.record_seconds) break;
    }
    const std::string error = WriteProfileFile(sum, File("profile.slbr"));
    if (!error.empty()) throw StatedFailure(error);
    Say("record: " + GroupedCount(agreement.taken_branches) + " taken branches in " + GroupedCount(profiles.size()) +
        " runs; a second recording would overlap by " + Percent(agreement.expected_overlap));
    result_["recorded_runs"] = profiles.size();
    result_["taken_branches"] = agreement.taken_branches;
    result_["expected_overlap"] = agreement.expected_overlap;
    if (agreement.expected_overlap >= options_.enough) return;
    const double more = seconds * (TimesAsMuch(agreement.expected_overlap, options_.enough) - 1);
    Warn("the runs overlap by less than the " + Percent(options_.enough) + " of --enough; about " +
         Counted(static_cast<uint64_t>(more) + 1, "more second", "more seconds") +
         " of recording (--record-seconds) would reach it");
  }

  // The command's exit code is the program's own, which need not be 0: the recording succeeded if it wrote a profile.
  static void RunRecording(const ToolRun& run, const std::string& binary, const std::string& profile) {
    const ToolResult result = RunTool(run);
    if (result.is_success() || (result.has_exited() && std::filesystem::exists(profile))) return;
    throw StatedFailure(DescribeFailure(run, result, "recording " + SafeText(binary)));
  }

  // The recorded profile as a consumer reads it.
  void Convert(const std::string& binary, Consumer consumer, std::string (*convert)(const ConvertInput&),
               const std::string& file) {
    if (!std::filesystem::exists(File("profile.slbr"))) {
      throw StatedFailure(SafeText(File("profile.slbr")) + " is not there; run --step record first");
    }
    const Profile profile = LoadProfile(File("profile.slbr"));
    const ConvertInput input = PrepareConvertInput(profile, File("profile.slbr"), binary);
    if (input.branches.empty()) throw StatedFailure(DescribeEmptiness(input));
    for (const std::string& warning : CheckForConsumer(input, consumer)) Warn(warning);
    const std::string drops = DescribeDrops(input.dropped);
    if (!drops.empty()) Warn("left out " + drops);
    WriteResult(file, convert(input));
  }

  void RunLogged(std::vector<std::string> arguments, const std::string& log,
                 std::vector<std::string> environment = {}) {
    const Waiting waiting("running " + SafeText(arguments[0]));
    ToolRun run;
    run.path = arguments[0];
    run.output = File(log);
    run.environment = std::move(environment);
    run.arguments = std::move(arguments);
    RunToolOrFail(run, SafeText(run.path));
  }

  void ApplyBolt(const std::string& binary) {
    const std::string suffix = FindLlvmSuffix({"llvm-bolt", "perf2bolt"}, "bolt");
    Convert(binary, Consumer::kBolt, ToBolt, File("profile.bolt"));
    RunLogged({"perf2bolt" + suffix, "--aggregate-only", "-pa", "-p", File("profile.bolt"), "-o", File("profile.fdata"),
               binary},
              "perf2bolt.log");
    RunLogged(
        {"llvm-bolt" + suffix, binary, "-data=" + File("profile.fdata"), "-o", File("optimized"),
         "-reorder-blocks=ext-tsp", "-reorder-functions=hfsort", "-split-functions", "-split-all-cold", "-dyno-stats"},
        "llvm-bolt.log");
    Say("apply: llvm-bolt" + suffix + " wrote " + SafeText(File("optimized")));
    std::cerr << LinesWith(File("llvm-bolt.log"), {"have non-empty execution profile", "could not be optimized"});
    if (!LinesWith(File("llvm-bolt.log"), {"with profile could not be optimized", "INFO: 0 out of "}).empty()) {
      Warn(
          "llvm-bolt left functions with a profile as they were; jump tables are the usual cause: compile with "
          "-fno-jump-tables");
    }
  }

  // Returns the new program. The program's place holds the old one again afterwards.
  std::string Rebuild(const std::string& binary) {
    const std::string suffix = FindLlvmSuffix({"llvm-profgen"}, "llvm");
    Convert(binary, Consumer::kSourceProfile, ToLlvm, File("profile.llvm"));
    RunLogged({"llvm-profgen" + suffix, "--unsymbolized-profile=" + File("profile.llvm"), "--use-offset=0",
               "--binary=" + binary, "--output=" + File("profile.prof"), "--format=extbinary"},
              "llvm-profgen.log");
    if (!LinesWith(File("llvm-profgen.log"), {"profile is empty"}).empty()) {
      throw StatedFailure("llvm-profgen wrote an empty profile; " + SafeText(File("llvm-profgen.log")) + " says why");
    }
    Copy(program_, File("before"));
    try {
      RunLogged({"sh", "-c", options_.build}, "build.log",
                {std::string(kProfileFlagVariable) + "=-fprofile-sample-use=" + File("profile.prof")});
      Copy(program_, File("optimized"));
    } catch (const StatedFailure&) {
      Replace(File("before"), program_);
      throw;
    }
    Replace(File("before"), program_);
    if (IsSameContent(File("before"), File("optimized"))) {
      throw StatedFailure("the build gave the same program again; its compiler must be clang and get the flag in $" +
                          std::string(kProfileFlagVariable) + " (see " + SafeText(File("build.log")) +
                          "), and it must compile anew");
    }
    Say("apply: the build with " + SafeText(File("profile.prof")) + " gave " + SafeText(File("optimized")));
    // BOLT's result takes this name, too.
    Copy(File("optimized"), File("rebuilt"));
    return File("rebuilt");
  }

  double TimeOf(const std::string& path, const std::string& stem, ToolResult* end) {
    *end = RunTool(ProgramRun(path, stem));
    return std::max(end->cpu_seconds, 1e-6);
  }

  int Measure() {
    const std::string after = File("optimized");
    if (access(after.c_str(), X_OK) != 0)
      throw StatedFailure(SafeText(after) + " is not there; run --step apply first");
    ToolResult before_end;
    ToolResult after_end;
    const double first = TimeOf(program_, "before", &before_end);  // warm-up
    (void)TimeOf(after, "after", &after_end);
    if (before_end.wait_status != after_end.wait_status) {
      throw StatedFailure("not kept: the program ends with " + before_end.Describe() + " and the optimized one with " +
                          after_end.Describe() + "; see " + SafeText(File("after.err")));
    }
    const bool is_same_output = IsSameContent(File("before.out"), File("after.out"));
    if (!is_same_output) {
      Warn("the two programs print different things (" + SafeText(File("before.out")) + ", " +
           SafeText(File("after.out")) + "); that is right only if the program prints times, addresses and the like");
    }
    if (first < kShortestRunSeconds) {
      Warn("a run takes " + Seconds(first) + " of CPU time, most of which is starting it; give the program more work");
    }
    std::vector<std::pair<double, double>> pairs;
    std::ofstream table(File("times.csv"));
    table << "before_s,after_s\n";
    {
      Progress progress("measuring", options_.pairs);
      for (uint32_t i = 0; i < options_.pairs; ++i) {
        progress.Step(i);
        std::pair<double, double> pair;
        if (i % 2 == 0) pair.first = TimeOf(program_, "before", &before_end);
        pair.second = TimeOf(after, "after", &after_end);
        if (i % 2 != 0) pair.first = TimeOf(program_, "before", &before_end);
        table << pair.first << ',' << pair.second << '\n';
        pairs.push_back(pair);
      }
    }
    return Report(ComparePairs(pairs), after, is_same_output);
  }

  int Report(const PairedTimes& times, const std::string& after, bool is_same_output) {
    if (times.is_faster()) Replace(after, output_);
    Json json{{"program", program_},
              {"work_folder", folder_},
              {"pairs", options_.pairs},
              {"cpu_s_before", times.median_before},
              {"cpu_s_after", times.median_after},
              {"ratio", times.ratio},
              {"ratio_low", times.low},
              {"ratio_high", std::isfinite(times.high) ? Json(times.high) : Json()},
              {"is_same_output", is_same_output},
              {"is_kept", times.is_faster()},
              {"output", times.is_faster() ? Json(output_) : Json()}};
    for (const auto& [key, value] : result_.items()) json[key] = value;
    WriteResult(File("result.json"), JsonText(json) + "\n");
    if (options_.json) {
      out_ << JsonText(json) << '\n';
    } else {
      out_ << "CPU time, median of " << options_.pairs << " pairs: " << Seconds(times.median_before) << " before, "
           << Seconds(times.median_after) << " after\n"
           << "after/before: " << Percent(times.ratio) << ", with 95% confidence between " << Percent(times.low)
           << " and " << (std::isfinite(times.high) ? Percent(times.high) : "no limit (too few pairs)") << '\n'
           << (times.is_faster() ? "Kept: faster beyond noise. " + SafeText(output_)
                                 : std::string("Not kept: not faster beyond noise."))
           << '\n';
    }
    return times.is_faster() ? 0 : kExitFailure;
  }

  const OptimizeOptions& options_;
  std::ostream& out_;
  std::string program_;
  std::string folder_;
  std::string output_;
  Json result_ = Json::object();
};

}  // namespace

int RunOptimize(const OptimizeOptions& wanted, std::ostream& out) {
  OptimizeOptions options = wanted;
  if (options.program.empty())
    throw UsageFailure("optimize: name a program after --, as in softlbr optimize --bolt -- ./app arguments");
  if (options.use_both) options.use_bolt = options.use_pgo = true;
  if (!options.use_pgo) options.use_bolt = true;
  if (options.use_pgo && options.build.empty()) {
    throw UsageFailure(
        "optimize: --pgo needs --build 'COMMAND', which builds the program and passes $SOFTLBR_PROFILE_FLAG to clang");
  }
  if (!options.use_pgo && !options.build.empty()) throw UsageFailure("optimize: --build belongs to --pgo or --both");
  if (!options.step.empty() && options.use_bolt && options.use_pgo) {
    throw UsageFailure("optimize: --step does one of --bolt and --pgo; run --pgo first, then --bolt on its result");
  }
  if (options.pairs < kFewestPairs) {
    throw UsageFailure("optimize: --pairs " + std::to_string(options.pairs) +
                       ": noise cannot be told from a gain with fewer than " + std::to_string(kFewestPairs));
  }
  try {
    return Optimization(options, out).Run();
  } catch (const StatedFailure& failure) {
    throw StatedFailure(failure.what());  // 126 and 127 are exit codes of `record`, which has those of a program
  }
}

}  // namespace softlbr::toolchain
