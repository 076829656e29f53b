// `softlbr convert`: chooses the converter, writes the file, and warns about dropped rows.
#include <array>

#include "toolchain/commands/commands.h"
#include "toolchain/convert/converters.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

struct Format {
  const char* name;
  void (*convert)(const ConvertInput& input, const TextSink& write);
  bool is_of_traces;  // reads only whole traces: the branch table may be empty
};

template <std::string (*Convert)(const ConvertInput&)>
void Whole(const ConvertInput& input, const TextSink& write) {
  write(Convert(input));
}

constexpr std::array<Format, 6> kFormats = {{{"bolt", Whole<ToBolt>, false},
                                             {"llvm", Whole<ToLlvm>, false},
                                             {"autofdo", Whole<ToAutofdo>, false},
                                             {"propeller", Whole<ToPropeller>, false},
                                             {"perfscript", WritePerfScript, false},
                                             {"perfdata", WritePerfData, true}}};

}  // namespace

int RunConvert(const ConvertOptions& options, std::ostream& out) {
  (void)out;
  const Format* format = nullptr;
  for (const Format& candidate : kFormats) {
    if (options.to == candidate.name) format = &candidate;
  }
  if (format == nullptr) {
    throw UsageFailure("--to " + SafeText(options.to) +
                       ": no such format; one of bolt, llvm, autofdo, propeller, perfscript, perfdata");
  }
  const Profile profile = LoadProfile(options.profile);
  const ConvertInput input = PrepareConvertInput(profile, options.profile, options.binary);
  if (input.branches.empty() && !format->is_of_traces) throw StatedFailure(DescribeEmptiness(input));
  ResultWriter result(options.output);
  format->convert(input, [&result](std::string_view part) { result.Write(part); });
  if (result.is_empty()) throw StatedFailure(DescribeEmptiness(input));
  if (input.image == nullptr) {
    Warn("the file of " + SafeText(BaseName(input.module->name)) +
         " was not found, so ranges could not be checked against its functions; name it with -b");
  }
  if (input.dropped.Total() != 0) Warn("left out " + DescribeDrops(input.dropped));
  result.Commit();
  return 0;
}

}  // namespace softlbr::toolchain
