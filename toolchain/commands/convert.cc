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
  std::string (*convert)(const ConvertInput& input);
  bool is_of_traces;  // reads only whole traces: the branch table may be empty
};

constexpr std::array<Format, 6> kFormats = {{{"bolt", ToBolt, false},
                                             {"llvm", ToLlvm, false},
                                             {"autofdo", ToAutofdo, false},
                                             {"propeller", ToPropeller, false},
                                             {"perfscript", ToPerfScript, false},
                                             {"perfdata", ToPerfData, true}}};

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
  const std::string result = format->convert(input);
  if (result.empty()) throw StatedFailure(DescribeEmptiness(input));
  if (input.image == nullptr) {
    Warn("the file of " + SafeText(BaseName(input.module->name)) +
         " was not found, so ranges could not be checked against its functions; name it with -b");
  }
  if (input.dropped.Total() != 0) Warn("left out " + DescribeDrops(input.dropped));
  WriteResult(options.output, result);
  return 0;
}

}  // namespace softlbr::toolchain
