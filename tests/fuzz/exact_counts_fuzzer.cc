// Fuzzes the reader of exact counts (tests/reference). For any text: a failure of one line, or profiles whose rows lie
// in the executable segments of their modules, that add up to what the text says, and that a profile file holds.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <variant>

#include "tests/reference/exact_profile.h"
#include "toolchain/base/failure.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::reference {
namespace {

using toolchain::kNoModule;
using toolchain::Location;
using toolchain::Profile;

void Demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

bool IsCode(const Profile& profile, uint32_t module, uint64_t address) {
  if (module >= profile.modules.size()) return false;
  const auto& segments = profile.modules[module].segments;
  return toolchain::FindExecutableSegment(segments, address) != nullptr;
}

bool IsPlace(const Profile& profile, const Location& place) {
  return place.module == kNoModule ? place.address == 0 : IsCode(profile, place.module, place.address);
}

void CheckRows(const Profile& profile) {
  for (const auto& branch : profile.branches) {
    Demand(IsPlace(profile, branch.from) && IsPlace(profile, branch.to), "a branch is in the code of its modules");
    Demand(branch.from.module != kNoModule || branch.to.module != kNoModule, "a branch has an end in a module");
    Demand(branch.count != 0, "a branch was taken");
  }
  for (const auto& range : profile.ranges) {
    Demand(IsCode(profile, range.module, range.first) && IsCode(profile, range.module, range.last),
           "a range is in code");
    Demand(range.first <= range.last && range.count != 0, "a range was executed, forward");
  }
  for (const auto& sample : profile.samples) {
    Demand(IsPlace(profile, sample.pc) && sample.count != 0, "a sampled pc is in the code of its module");
  }
}

void CheckFile(const Profile& profile) {
  char* bytes = nullptr;
  size_t size = 0;
  std::FILE* file = open_memstream(&bytes, &size);
  Demand(file != nullptr && toolchain::WriteProfile(profile, file).empty() && std::fclose(file) == 0,
         "it can be written");
  const auto read = toolchain::ReadProfile({reinterpret_cast<const uint8_t*>(bytes), size}, "fuzz");
  const auto* again = std::get_if<Profile>(&read);
  Demand(again != nullptr && again->damaged_frames == 0 && !again->is_truncated, "it can be read again");
  uint64_t before = 0;
  uint64_t after = 0;
  for (const auto& branch : profile.branches) before += branch.count;
  for (const auto& branch : again->branches) after += branch.count;
  Demand(before == after, "no branch is lost in the file");
  std::free(bytes);
}

}  // namespace
}  // namespace softlbr::reference

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::reference;
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const ExactProfiles profiles = ReadExactCounts(text, "/proc/self/exe");
    CheckRows(profiles.exact);
    CheckRows(profiles.sampled);
    CheckFile(profiles.exact);
    CheckFile(profiles.sampled);
    uint64_t mapped = 0;
    for (const auto& branch : profiles.exact.branches) mapped += branch.count;
    Demand(mapped <= profiles.branches && profiles.unmapped <= profiles.branches, "no more branches than in all");
  } catch (const softlbr::toolchain::StatedFailure& failure) {
    Demand(std::string(failure.what()).find('\n') == std::string::npos, "a failure is one line");
  }
  return 0;
}
