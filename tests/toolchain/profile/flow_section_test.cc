// The flow section: what is encoded is decoded; forged sections are refused.
#include "toolchain/profile/flow_section.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "runtime/format/slbr_format.h"
#include "tests/toolchain/profile/profile_forge.h"

namespace softlbr::toolchain {
namespace {

using test::Bytes;
using test::Varints;

constexpr uint64_t kFlowBase = 0x5001;
constexpr uint64_t kSpan = 0x10000;
constexpr uint64_t kDistance = 0x40;

bool Decode(const Bytes& body, FlowRows* rows) {
  ByteReader in;
  in.Reset(body.data(), body.size());
  return DecodeFlow(in, kSpan, rows);
}

// Encodes and decodes again.
bool Pass(const FlowRows& rows, FlowRows* read) {
  const Bytes body = EncodeFlow(rows, kFlowBase);
  ByteReader in;
  in.Reset(body.data(), body.size());
  return in.GetVarint() == kFlowBase && DecodeFlow(in, kSpan, read);
}

auto KeysOf(const FlowRows& rows) {
  std::map<std::tuple<bool, uint64_t, uint64_t>, uint64_t> keys;
  for (const FlowBranch& row : rows.branches) keys[{false, row.from, row.to}] += row.count;
  for (const FlowRange& row : rows.ranges) keys[{true, row.first, row.last}] += row.count;
  return keys;
}

// Rows of a program that obeys no law: counts, targets and ranges are random, some branches go equally far.
FlowRows RandomRows(uint32_t seed, size_t count) {
  std::minstd_rand random(seed);
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> branches;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> ranges;
  const auto any = [&](uint64_t below) { return static_cast<uint64_t>(random()) % below; };
  const auto any_count = [&] { return any(8) == 0 ? ~0ull - any(3) : 1 + any(100); };
  for (size_t i = 0; i < count; ++i) {
    const uint64_t from = any(kSpan - kDistance);
    branches[{from, from % 4 == 0 && any(2) == 0 ? from + kDistance : any(kSpan)}] = any_count();
    const uint64_t last = any(3) == 0 ? any(kSpan) : from;
    ranges[{last - std::min(last, any(64)), last}] = any_count();
  }
  FlowRows rows;
  for (const auto& [key, value] : branches) rows.branches.push_back({key.first, key.second, value});
  for (const auto& [key, value] : ranges) rows.ranges.push_back({key.first, key.second, value});
  return rows;
}

TEST(FlowSection, DecodesWhatWasEncoded) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    const FlowRows rows = RandomRows(seed, 1 + seed % 50);
    const auto wanted = KeysOf(rows);
    FlowRows read;
    ASSERT_TRUE(Pass(rows, &read)) << seed;
    EXPECT_EQ(KeysOf(read), wanted) << seed;
  }
}

TEST(FlowSection, SidesMayBeMissing) {
  FlowRows rows;
  rows.ranges = {{0, 0, 1}, {0, kSpan - 1, 7}};
  const auto wanted = KeysOf(rows);
  FlowRows read;
  ASSERT_TRUE(Pass(rows, &read));
  EXPECT_EQ(KeysOf(read), wanted);
  rows = {{{0, kSpan - 1, 3}, {0, 0, 1}}, {}};
  const auto branches = KeysOf(rows);
  ASSERT_TRUE(Pass(rows, &read));
  EXPECT_EQ(KeysOf(read), branches);
}

TEST(FlowSection, EverySmallestBreachIsRefused) {
  // flags, sources, targets, branches, ranges; source, target, kind, ranges; target's index, range's, count, residual.
  const std::initializer_list<uint64_t> good = {0, 1, 1, 1, 1, 8, 4, 2, 1, 1, 0, 5, 0};
  FlowRows read;
  ASSERT_TRUE(Decode(Varints(good), &read));
  EXPECT_EQ(read.branches[0].to, 4u);
  EXPECT_EQ(read.ranges[0].first, 4u);
  EXPECT_EQ(read.ranges[0].count, 5u);
  const auto refuses = [&](size_t place, uint64_t value) {
    std::vector<uint64_t> values(good);
    values[place] = value;
    Bytes body;
    for (const uint64_t each : values) test::Append(&body, Varints({each}));
    return !Decode(body, &read);
  };
  EXPECT_TRUE(refuses(0, 1)) << "an unknown flag";
  EXPECT_TRUE(refuses(1, 0)) << "no source";
  EXPECT_TRUE(refuses(1, 1000)) << "more sources than bytes";
  EXPECT_TRUE(refuses(2, ~0ull)) << "more targets than bytes";
  EXPECT_TRUE(refuses(3, 2)) << "another number of branches than the sources have";
  EXPECT_TRUE(refuses(4, 2)) << "another number of ranges than the sources have";
  EXPECT_TRUE(refuses(5, kSpan)) << "a source outside the module";
  EXPECT_TRUE(refuses(6, kSpan)) << "a target outside the module";
  EXPECT_TRUE(refuses(7, 0)) << "a source without its own number of branches";
  EXPECT_TRUE(refuses(7, 9)) << "too many branches";
  EXPECT_TRUE(refuses(8, 9)) << "too many ranges";
  EXPECT_TRUE(refuses(9, 0)) << "a target behind the last";
  EXPECT_TRUE(refuses(10, 1)) << "a range that begins before the first target";
  EXPECT_TRUE(refuses(11, 0)) << "a count of 0";
  EXPECT_TRUE(refuses(12, 9)) << "a range's count of 0";
  for (size_t bytes = 0; bytes < Varints(good).size(); ++bytes) {
    Bytes cut = Varints(good);
    cut.resize(bytes);
    EXPECT_FALSE(Decode(cut, &read)) << bytes;
  }
  Bytes longer = Varints(good);
  longer.push_back(0);
  EXPECT_FALSE(Decode(longer, &read));
}

}  // namespace
}  // namespace softlbr::toolchain
