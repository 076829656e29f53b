// Fuzzes compaction: for any bytes it either keeps the file as it is, or makes one that is smaller and of which the
// host's reader says the same. The first byte chooses the sizes of the tables.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <variant>

#include "tests/runtime/compact/compact_fixture.h"
#include "toolchain/profile/profile_reader.h"

namespace {

using softlbr::compact::CompactorSizes;
using softlbr::compact::CompactResult;
using softlbr::toolchain::Profile;
using softlbr::toolchain::ReadProfile;

void DemandThat(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> source(data, size);
  const uint8_t choice = size == 0 ? 0 : data[size - 1];
  CompactorSizes small;
  small.rows = 1 + choice % 64;
  small.chunk_rows = 1 + choice / 16;
  small.flow_bytes = 200 + choice * 8;
  for (const CompactorSizes& sizes : {CompactorSizes{}, small}) {
    const auto made = softlbr::test::CompactBytes(source, sizes);
    DemandThat(made.result != CompactResult::kFailed || sizes.rows == small.rows,
               "nothing fails but what does not fit");
    if (made.result != CompactResult::kDone) continue;
    DemandThat(made.bytes.size() < size, "a compact file is smaller");
    const auto original = ReadProfile(source, "original");
    const auto compact = ReadProfile(made.bytes, "compact");
    const auto* before = std::get_if<Profile>(&original);
    const auto* after = std::get_if<Profile>(&compact);
    DemandThat(before != nullptr && after != nullptr, "both can be read");
    DemandThat(softlbr::test::ContentsOf(*before) == softlbr::test::ContentsOf(*after), "both say the same");
  }
  return 0;
}
