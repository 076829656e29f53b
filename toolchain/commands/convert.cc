// `softlbr convert`: chooses the converter, writes the file, and warns about dropped rows and about what the consumer
// will miss. With a folder as output it writes one file for each module.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "toolchain/base/failure.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/convert/consumer_check.h"
#include "toolchain/convert/converters.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/files.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {
namespace {

using Align = TextTable::Align;

struct Format {
  const char* name;
  void (*convert)(const ConvertInput& input, const TextSink& write);
  Consumer consumer;
  bool is_of_traces;  // reads only whole traces: the branch table may be empty
  bool is_of_module;  // the result describes one module, not all
};

template <std::string (*Convert)(const ConvertInput&)>
void Whole(const ConvertInput& input, const TextSink& write) {
  write(Convert(input));
}

void Contexts(const ConvertInput& input, const TextSink& write) {
  const ContextCounts counts = WriteCsspgo(input, write);
  if (counts.are_traces_short)
    Warn(SafeText(input.profile_path) + ": short traces show few callers; record with --branches 1024");
  const std::string losses = DescribeContextLosses(counts);
  if (!losses.empty()) Warn("traces were divided, and callers forgotten, at " + losses);
}

constexpr std::array<Format, 7> kFormats = {{{"bolt", Whole<ToBolt>, Consumer::kBolt, false, true},
                                             {"llvm", Whole<ToLlvm>, Consumer::kSourceProfile, false, true},
                                             {"autofdo", Whole<ToAutofdo>, Consumer::kAutofdo, false, true},
                                             {"propeller", Whole<ToPropeller>, Consumer::kPropeller, false, true},
                                             {"csspgo", Contexts, Consumer::kSourceProfile, true, true},
                                             {"perfscript", WritePerfScript, Consumer::kAny, false, false},
                                             {"perfdata", WritePerfData, Consumer::kAny, true, false}}};
constexpr Format kBoltTraces = {"bolt", Whole<ToBoltTraces>, Consumer::kBolt, false, true};
constexpr Format kFdata = {"fdata", Whole<ToFdata>, Consumer::kBolt, false, true};

const Format& ChooseFormat(const ConvertOptions& options) {
  for (const Format& format : kFormats) {
    if (options.to != format.name) continue;
    if (options.format == "preaggregated") return format;
    if (options.to == "bolt") return options.format == "traces" ? kBoltTraces : kFdata;
    throw UsageFailure("--format " + SafeText(options.format) + ": a form of --to bolt only");
  }
  throw UsageFailure("--to " + SafeText(options.to) +
                     ": no such format; one of bolt, llvm, csspgo, autofdo, propeller, perfscript, perfdata");
}

bool IsFolder(const std::string& path) {
  struct stat info {};
  return path.ends_with("/") || (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode));
}

// Writes one result. StatedFailure if it would be empty or of no use to its consumer.
void ConvertOne(const Format& format, const ConvertInput& input, const std::string& output) {
  if (input.branches.empty() && !format.is_of_traces) throw StatedFailure(DescribeEmptiness(input));
  const std::vector<std::string> warnings = CheckForConsumer(input, format.consumer);
  std::vector<std::string> inputs = {input.profile_path};
  for (const ElfImagePtr& image : {input.image, input.debug}) {
    if (image != nullptr) inputs.push_back(image->path());
  }
  RefuseInputAsOutput(output, inputs);
  ResultWriter result(output);
  format.convert(input, [&result](std::string_view part) { result.Write(part); });
  if (result.is_empty()) throw StatedFailure(DescribeEmptiness(input));
  for (const std::string& warning : warnings) Warn(warning);
  if (input.image == nullptr) {
    const std::string other = ModuleFiles({}, input.profile_path).DescribeOtherBuild(*input.module);
    Warn((other.empty() ? "the file of " + SafeText(BaseName(input.module->name)) + " was not found" : other) +
         ", so ranges could not be checked against its functions; name the file that ran with -b");
  }
  const std::string drops = DescribeDrops(input.dropped);
  if (!drops.empty()) Warn("left out " + drops);
  result.Commit();
}

// A module whose file is missing or of no use is left out with a warning; the result is a failure if none is left.
void ConvertAll(const Format& format, const Profile& profile, const ConvertOptions& options, std::ostream& out) {
  if (!format.is_of_module) {
    throw UsageFailure("--to " + options.to + " holds all modules in one file; name a file with -o, not a folder");
  }
  const std::string folder = options.output.ends_with("/") ? options.output : options.output + "/";
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    throw StatedFailure(SafeText(folder) + ": cannot be created: " + std::strerror(errno));
  }
  const ModuleFiles files(options.binaries, options.profile);
  const std::vector<std::string> labels = ModuleLabels(profile);
  const std::vector<uint64_t> counts = BranchesByModule(profile);
  TextTable table({{"branches", Align::kRight}, {"file", Align::kLeft}, {"binary", Align::kLeft}});
  for (uint32_t i = 0; i < profile.modules.size(); ++i) {
    if (counts[i] == 0) continue;
    const ConvertInput input = PrepareConvertInputOf(profile, options.profile, i, files);
    if (input.image == nullptr) {
      const std::string other = files.DescribeOtherBuild(profile.modules[i]);
      Warn(SafeText(labels[i]) + " (" + Share(counts[i], TotalBranches(profile)) + " of the branches) is left out: " +
           (other.empty() ? "its file was not found; name it with -b" : other + "; name the file that ran with -b"));
      continue;
    }
    // A label is a base name; only as a file's name it could hold more than the table may show.
    const std::string path = folder + SafeWord(labels[i]) + "." + format.name;
    try {
      ConvertOne(format, input, path);
      table.AddRow({GroupedCount(counts[i]), SafeText(path), SafeText(input.image->path())});
    } catch (const StatedFailure& failure) {
      Warn(SafeText(labels[i]) + " (" + Share(counts[i], TotalBranches(profile)) +
           " of the branches) is left out: " + failure.what());
    }
  }
  if (table.empty()) {
    throw StatedFailure(SafeText(options.profile) + ": no module could be converted, for the reasons above");
  }
  table.Print(out);
}

}  // namespace

std::string ConsumerUsage() {
  return R"(Options of the consumers:
  bolt        perf2bolt --aggregate-only -pa -p OUT -o out.fdata BINARY, then llvm-bolt BINARY -data=out.fdata
              with --format fdata: llvm-bolt BINARY -data=OUT at once
  llvm        llvm-profgen --unsymbolized-profile=OUT --use-offset=0 --binary=BINARY --output=out.prof
  csspgo      llvm-profgen --perfscript=OUT --binary=BINARY --output=out.prof (a profile with calling contexts; needs
              record --traces --branches 1024)
  autofdo     create_llvm_prof or create_gcov --profiler=text --profile=OUT --binary=BINARY (file offsets: the
              convention since 2020; Debian's 0.19 reads another one and needs one-page-aligned GNU ld programs)
  propeller   generate_propeller_profiles --profile_type=frequencies_proto (BranchFrequenciesProto, binary)
  perfscript  llvm-profgen --perfscript=OUT --binary=BINARY
  perfdata    llvm-profgen --perfdata=OUT, perf2bolt --aggregate-only -p OUT, perf script -i OUT (needs record
              --traces; perf2bolt before 20 misplaces small position-independent programs of lld: use bolt)
Each file covers one binary; -o FOLDER/ writes one for each module. An empty result is a failure.)";
}

int RunConvert(const ConvertOptions& options, std::ostream& out) {
  const Format& format = ChooseFormat(options);
  const bool is_folder = IsFolder(options.output);
  if (!is_folder && options.binaries.size() > 1) {
    throw UsageFailure(
        "convert: -b was given more than once, and a file describes one binary; with -o FOLDER/ all are written");
  }
  std::vector<std::string> files;  // -b may also name a module
  for (const std::string& binary : options.binaries) {
    if (access(binary.c_str(), F_OK) == 0) files.push_back(binary);
  }
  RefuseInputAsOutput(options.output, files);
  const Profile profile = LoadProfile(options.profile);
  if (is_folder) {
    ConvertAll(format, profile, options, out);
    return 0;
  }
  const ConvertInput input =
      PrepareConvertInput(profile, options.profile, options.binaries.empty() ? "" : options.binaries[0]);
  ConvertOne(format, input, options.output);
  return 0;
}

}  // namespace softlbr::toolchain
