// Fuzzes the profile reader: for any bytes it must return a consistent profile or a one-line error.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <tuple>
#include <variant>

#include "runtime/format/slbr_format.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

void CheckLocation(const Profile& profile, const Location& location) {
  if (location.module == kNoModule) {
    Require(location.address == 0, "an address outside every module is 0");
  } else {
    Require(location.module < profile.modules.size(), "locations name a module");
  }
}

template <typename Rows, typename Key>
void CheckSorted(const Rows& rows, Key key) {
  for (size_t i = 0; i < rows.size(); ++i) {
    Require(rows[i].count != 0, "counts are positive");
    Require(i == 0 || key(rows[i - 1]) < key(rows[i]), "rows are sorted and unique");
  }
}

void CheckProfile(const Profile& profile) {
  for (const BranchCount& row : profile.branches) {
    CheckLocation(profile, row.from);
    CheckLocation(profile, row.to);
  }
  for (const RangeCount& row : profile.ranges) {
    Require(row.module < profile.modules.size(), "ranges are in a module");
    Require(IsRange(row.first, row.last), "ranges are within the format's length");
  }
  for (const SampleCount& row : profile.samples) CheckLocation(profile, row.pc);
  for (const Trace& trace : profile.traces) {
    CheckLocation(profile, trace.sampled_pc);
    Require(static_cast<uint32_t>(trace.reason) < kAbortReasonCount, "reasons have names");
    for (const auto& [from, to] : trace.branches) {
      CheckLocation(profile, from);
      CheckLocation(profile, to);
    }
  }
  CheckSorted(profile.branches, [](const BranchCount& row) { return std::tuple(row.from, row.to); });
  CheckSorted(profile.ranges, [](const RangeCount& row) { return std::tuple(row.module, row.first, row.last); });
  CheckSorted(profile.samples, [](const SampleCount& row) { return row.pc; });
  Require(!profile.sessions.empty(), "a profile has a session");
}

std::string Written(const Profile& profile) {
  char* bytes = nullptr;
  size_t count = 0;
  std::FILE* file = open_memstream(&bytes, &count);
  const std::string error = WriteProfile(profile, file);
  std::fclose(file);
  std::string result = error.empty() ? std::string(bytes, count) : "";
  std::free(bytes);
  return result;
}

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace
}  // namespace softlbr::toolchain

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr::toolchain;
  const auto result = ReadProfile({data, size}, "fuzz");
  if (const auto* error = std::get_if<ReadError>(&result)) {
    Require(error->message.rfind("fuzz: ", 0) == 0 && error->message.find('\n') == std::string::npos,
            "errors are one line");
    return 0;
  }
  const Profile& profile = std::get<Profile>(result);
  CheckProfile(profile);
  // Writing costs far more than reading, so only one input in eight is written; which ones depends on their bytes
  // alone.
  uint32_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum += data[i];
  if (sum % 8 != 0) return 0;
  // A profile that was read can be written, and reading that gives the same profile. The exception are forged files
  // whose modules exceed the linear address space.
  const std::string once = Written(profile);
  if (once.empty()) return 0;
  const auto again = ReadProfile(BytesOf(once), "fuzz");
  Require(std::holds_alternative<Profile>(again), "what was written can be read");
  const Profile& read = std::get<Profile>(again);
  Require(read.damaged_frames == 0 && read.missing_frames == 0 && !read.is_truncated, "what was written is whole");
  Require(Written(read) == once, "writing and reading change nothing");
  return 0;
}
