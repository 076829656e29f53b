// Writes Propeller's BranchFrequenciesProto, encoded by hand (three message types, two wire types):
//   repeated TakenBranchCount taken_counts = 1        { uint64 source = 1; uint64 dest = 2; int64 count = 3; }
//   repeated NotTakenBranchCount not_taken_counts = 2 { uint64 address = 1; int64 count = 2; }
// Addresses are link-time addresses. Concatenating two files adds their counts.
#include <algorithm>
#include <limits>
#include <map>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/convert/converters.h"

namespace softlbr::toolchain {
namespace {

void AppendVarint(std::string* bytes, uint64_t value) {
  while (value >= 0x80) {
    *bytes += static_cast<char>(0x80 | (value & 0x7f));
    value >>= 7;
  }
  *bytes += static_cast<char>(value);
}

void AppendNumber(std::string* bytes, uint32_t field, uint64_t value) {
  AppendVarint(bytes, field << 3);  // wire type 0
  AppendVarint(bytes, value);
}

void AppendMessage(std::string* bytes, uint32_t field, const std::string& message) {
  AppendVarint(bytes, (field << 3) | 2);  // wire type 2
  AppendVarint(bytes, message.size());
  *bytes += message;
}

// The proto's counts are signed.
uint64_t SignedCount(uint64_t count) { return std::min<uint64_t>(count, std::numeric_limits<int64_t>::max()); }

}  // namespace

std::string ToPropeller(const ConvertInput& input) {
  if (input.image == nullptr) {
    throw StatedFailure("propeller: the program's file is needed to find branches not taken; name it with -b");
  }
  if (input.walker == nullptr) {
    throw StatedFailure("propeller: no decoder plugin for " + MachineName(input.image->machine()) +
                        "; it is needed to find branches not taken (install its libsoftlbr_decoder_*.so)");
  }
  std::string bytes;
  for (const ConvertBranch& branch : input.branches) {
    if (!branch.from.has_value() || !branch.to.has_value()) continue;
    std::string message;
    AppendNumber(&message, 1, *branch.from);
    AppendNumber(&message, 2, *branch.to);
    AppendNumber(&message, 3, SignedCount(branch.count));
    AppendMessage(&bytes, 1, message);
  }
  std::map<uint64_t, uint64_t> not_taken;
  for (const ConvertRange& range : input.runs) {
    for (uint64_t address : input.walker->Walk(range.first, range.last).not_taken) {
      not_taken[address] = SaturatingAdd(not_taken[address], range.count);
    }
  }
  for (const auto& [address, count] : not_taken) {
    std::string message;
    AppendNumber(&message, 1, address);
    AppendNumber(&message, 2, SignedCount(count));
    AppendMessage(&bytes, 2, message);
  }
  return bytes;
}

}  // namespace softlbr::toolchain
