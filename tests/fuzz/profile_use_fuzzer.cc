// Fuzzes the use of profiles: any profile that can be read can be merged and converted to every format, or fails with a
// one-line error. Uses the seeds of profile_reader.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>

#include "tests/toolchain/convert/converted_text.h"
#include "toolchain/base/failure.h"
#include "toolchain/convert/convert_input.h"
#include "toolchain/convert/converters.h"
#include "toolchain/profile/profile_builder.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

uint64_t SumOf(const Profile& profile) {
  uint64_t sum = 0;
  for (const BranchCount& row : profile.branches) sum += row.count;
  return sum;
}

void Convert(const Profile& profile) {
  using Converter = std::string (*)(const ConvertInput&);
  constexpr Converter kConverters[] = {ToBolt, ToLlvm, ToAutofdo, ToPropeller, ToPerfScript, ToPerfData, ToCsspgo};
  for (const Converter convert : kConverters) {
    try {
      const ConvertInput input = PrepareConvertInput(profile, "/nonexistent/fuzz.slbr", "");
      for (const ConvertRange& range : input.ranges) Require(range.first <= range.last, "ranges run forward");
      (void)convert(input);
    } catch (const StatedFailure& failure) {
      Require(std::string(failure.what()).find('\n') == std::string::npos, "a failure is one line");
    }
  }
}

}  // namespace
}  // namespace softlbr::toolchain

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::toolchain;
  const auto result = ReadProfile({data, size}, "fuzz");
  const auto* profile = std::get_if<Profile>(&result);
  if (profile == nullptr) return 0;
  ProfileBuilder builder;
  if (!builder.AddProfile(*profile, nullptr) || !builder.AddProfile(*profile, nullptr)) return 0;
  const Profile sum = builder.Take();
  Require(sum.branches.size() == profile->branches.size(), "a profile merged with itself has the same branches");
  Require(SumOf(sum) == 2 * SumOf(*profile) || SumOf(*profile) >= ~0ull / 2, "counts are added up");
  Convert(*profile);
  return 0;
}
