#include "runtime/profile/aggregator.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "tests/runtime/profile/profile_fixture.h"

namespace softlbr {
namespace {

using test::AddTrace;
using test::TestAggregator;
using Key = std::pair<uint64_t, uint64_t>;

struct Model {
  std::map<Key, uint64_t> branches;
  std::map<Key, uint64_t> ranges;
  std::map<uint64_t, uint64_t> samples;
  uint64_t implausible = 0;

  void Add(uint64_t sampled, const test::Trace& trace) {
    ++samples[sampled];
    for (size_t i = 0; i < trace.size(); ++i) {
      ++branches[{trace[i].from, trace[i].to}];
      if (i == 0) continue;
      const uint64_t first = trace[i - 1].to;
      const uint64_t last = trace[i].from;
      if (first <= last && last - first < (1u << 20)) {
        ++ranges[{first, last}];
      } else {
        ++implausible;
      }
    }
  }
};

enum : uint32_t { kBranches, kRanges, kSamples };

std::span<const CountRow> In(const Aggregator::Rows& rows, uint32_t table) {
  return {rows.tables[table].rows, rows.tables[table].count};
}

void ExpectSame(Aggregator* aggregator, const Model& model) {
  const Aggregator::Rows rows = aggregator->TakeRows();
  std::map<Key, uint64_t> branches;
  std::map<Key, uint64_t> ranges;
  std::map<uint64_t, uint64_t> samples;
  for (const CountRow& row : In(rows, kBranches)) branches[{row.first, row.second}] = row.count;
  for (const CountRow& row : In(rows, kRanges)) ranges[{row.first, row.second}] = row.count;
  for (const CountRow& row : In(rows, kSamples)) samples[row.first] = row.count;
  EXPECT_EQ(branches.size(), In(rows, kBranches).size()) << "a key is in two slots";
  EXPECT_EQ(branches, model.branches);
  EXPECT_EQ(ranges, model.ranges);
  EXPECT_EQ(samples, model.samples);
}

TEST(Aggregator, AgreesWithMapOnRandomTraces) {
  const auto modules = test::MakeModules();
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    TestAggregator aggregator;
    test::RandomTraces random(*modules, 1 + seed * seed, seed);
    Model model;
    auto buffer = std::make_unique<TraceBuffer>();
    for (int round = 0; round < 4; ++round) {
      buffer->used = 0;
      for (;;) {
        const test::Trace trace = random.Make(static_cast<uint32_t>(random.Number() % 40));
        const uint64_t sampled = random.Address();
        if (!AddTrace(buffer.get(), sampled, trace)) break;
        model.Add(sampled, trace);
      }
      aggregator->AddBuffer(*buffer);
    }
    EXPECT_EQ(aggregator->losses().table_full, 0u);
    EXPECT_EQ(aggregator->losses().implausible_range, model.implausible);
    EXPECT_GT(model.implausible, 0u);
    ExpectSame(&*aggregator, model);
    aggregator->Clear();
    EXPECT_TRUE(aggregator->IsEmpty());
    ExpectSame(&*aggregator, Model{});
  }
}

TEST(Aggregator, CountsLossesWhenTablesAreFull) {
  AggregatorSizes sizes;
  sizes.branch_slots = sizes.range_slots = sizes.sample_slots = 64;
  TestAggregator aggregator(sizes);
  auto buffer = std::make_unique<TraceBuffer>();
  uint64_t branches = 0;
  for (uint64_t i = 0; AddTrace(buffer.get(), 0x1000 + i, {{i * 64, i * 64 + 32}, {i * 64 + 40, i * 64}}); ++i)
    branches += 2;
  const uint64_t traces = branches / 2;
  ASSERT_GT(traces, 64u);
  aggregator->AddBuffer(*buffer);
  EXPECT_TRUE(aggregator->IsAboveThreshold());
  const Aggregator::Rows rows = aggregator->TakeRows();
  uint64_t kept = 0;
  for (const CountRow& row : In(rows, kBranches)) kept += row.count;
  for (const CountRow& row : In(rows, kRanges)) kept += row.count;
  for (const CountRow& row : In(rows, kSamples)) kept += row.count;
  EXPECT_EQ(In(rows, kBranches).size(), 64u);
  EXPECT_EQ(In(rows, kRanges).size(), 64u);
  EXPECT_EQ(In(rows, kSamples).size(), 64u);
  EXPECT_EQ(kept + aggregator->losses().table_full, branches + traces + traces);
}

TEST(Aggregator, FullTableStillCountsExistingKeys) {
  AggregatorSizes sizes;
  sizes.branch_slots = sizes.range_slots = sizes.sample_slots = 64;
  TestAggregator aggregator(sizes);
  auto buffer = std::make_unique<TraceBuffer>();
  for (uint64_t i = 0; i < 64; ++i) AddTrace(buffer.get(), 0x10, {{0x1000 + i, 0x2000}});
  for (uint64_t i = 0; i < 64; ++i) AddTrace(buffer.get(), 0x10, {{0x1000 + i, 0x2000}});
  AddTrace(buffer.get(), 0x10, {{0x9000, 0x2000}});
  aggregator->AddBuffer(*buffer);
  EXPECT_EQ(aggregator->losses().table_full, 1u);
  const Aggregator::Rows rows = aggregator->TakeRows();
  ASSERT_EQ(In(rows, kBranches).size(), 64u);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(In(rows, kBranches)[i].count, 2u);
}

TEST(Aggregator, RangesDoNotCrossTraces) {
  TestAggregator aggregator;
  auto buffer = std::make_unique<TraceBuffer>();
  AddTrace(buffer.get(), 0x100, {{0x110, 0x200}, {0x210, 0x300}});
  AddTrace(buffer.get(), 0x300, {{0x310, 0x100}});
  aggregator->AddBuffer(*buffer);
  const Aggregator::Rows rows = aggregator->TakeRows();
  ASSERT_EQ(In(rows, kRanges).size(), 1u);
  EXPECT_EQ(In(rows, kRanges)[0].first, 0x200u);
  EXPECT_EQ(In(rows, kRanges)[0].second, 0x210u);
}

TEST(Aggregator, DropsRangesOfOneMebibyteAndMore) {
  TestAggregator aggregator;
  auto buffer = std::make_unique<TraceBuffer>();
  AddTrace(buffer.get(), 1, {{1, 0x100000}, {0x100000, 0x200000}});             // one instruction: kept
  AddTrace(buffer.get(), 1, {{1, 0x100000}, {0x100000 + 0xfffff, 0x200000}});   // longest: kept
  AddTrace(buffer.get(), 1, {{1, 0x100000}, {0x100000 + 0x100000, 0x200000}});  // dropped
  AddTrace(buffer.get(), 1, {{1, 0x100000}, {0xfffff, 0x200000}});              // backwards: dropped
  aggregator->AddBuffer(*buffer);
  EXPECT_EQ(aggregator->losses().implausible_range, 2u);
  EXPECT_EQ(In(aggregator->TakeRows(), kRanges).size(), 2u);
}

TEST(Aggregator, IsAboveThresholdAtThreeQuartersOfAnyTable) {
  for (const bool samples : {false, true}) {
    AggregatorSizes sizes;
    sizes.branch_slots = samples ? 1024 : 64;
    sizes.sample_slots = samples ? 64 : 1024;
    TestAggregator aggregator(sizes);
    auto buffer = std::make_unique<TraceBuffer>();
    for (uint64_t i = 0; i < 47; ++i) AddTrace(buffer.get(), 0x10 + i, {{0x1000 + i, 0x2000}});
    aggregator->AddBuffer(*buffer);
    EXPECT_FALSE(aggregator->IsAboveThreshold());
    buffer->used = 0;
    AddTrace(buffer.get(), 0x10 + 47, {{0x1000 + 47, 0x2000}});
    aggregator->AddBuffer(*buffer);
    EXPECT_TRUE(aggregator->IsAboveThreshold());
  }
}

TEST(Aggregator, LogsWholeTracesAndCountsThoseThatDoNotFit) {
  AggregatorSizes sizes;
  sizes.trace_entries = kTraceBufferEntries;
  TestAggregator aggregator(sizes);
  EXPECT_FALSE(aggregator->IsAboveThreshold());
  auto buffer = std::make_unique<TraceBuffer>();
  AddTrace(buffer.get(), 0x77, {{1, 2}, {3, 4}}, AbortReason::kTooOld, 42);
  aggregator->AddBuffer(*buffer);
  EXPECT_TRUE(aggregator->IsAboveThreshold()) << "a full buffer no longer fits";
  const test::Trace rest(kTraceBufferEntries - 4, BranchRecord{5, 6});
  buffer->used = 0;
  ASSERT_TRUE(AddTrace(buffer.get(), 0x78, rest));
  aggregator->AddBuffer(*buffer);
  EXPECT_EQ(aggregator->losses().table_full, 0u);
  buffer->used = 0;
  AddTrace(buffer.get(), 0x79, {});
  aggregator->AddBuffer(*buffer);
  EXPECT_EQ(aggregator->losses().table_full, 1u);
  const Aggregator::Rows rows = aggregator->TakeRows();
  ASSERT_EQ(rows.trace_entry_count, kTraceBufferEntries);
  EXPECT_EQ(rows.traces[0].header.sampled_pc, 0x77u);
  EXPECT_EQ(rows.traces[0].header.branch_count, 2u);
  EXPECT_EQ(rows.traces[0].header.reason, AbortReason::kTooOld);
  EXPECT_EQ(rows.traces[0].header.thread, 42u);
  EXPECT_EQ(rows.traces[2].branch.to, 4u);
}

TEST(Aggregator, StopsAtFirstCorruptTrace) {
  TestAggregator aggregator;
  auto buffer = std::make_unique<TraceBuffer>();
  AddTrace(buffer.get(), 0x10, {{1, 2}});
  const uint32_t second = buffer->used;
  AddTrace(buffer.get(), 0x20, {{3, 4}});
  buffer->entries[second].header.branch_count = 0xffff;
  buffer->used = 0xffffffff;
  aggregator->AddBuffer(*buffer);
  const Aggregator::Rows rows = aggregator->TakeRows();
  EXPECT_EQ(In(rows, kBranches).size(), 1u);
  EXPECT_EQ(In(rows, kBranches)[0].first, 1u);
}

TEST(Aggregator, InitRefusesInvalidSizes) {
  std::vector<uint64_t> memory(Aggregator::WorkspaceBytes({}) / 8);
  Aggregator aggregator;
  AggregatorSizes odd;
  odd.range_slots = 100;
  EXPECT_EQ(aggregator.Init(memory.data(), memory.size() * 8, odd), Status::kInvalidArgument);
  AggregatorSizes short_log;
  short_log.trace_entries = kTraceBufferEntries - 1;
  EXPECT_EQ(aggregator.Init(memory.data(), memory.size() * 8, short_log), Status::kInvalidArgument);
  EXPECT_EQ(aggregator.Init(memory.data(), memory.size() * 8 - 1, {}), Status::kNotEnoughMemory);
}

// Kilobytes of the mapping that begins at `address` for which the process has pages of its own.
uint64_t OwnKilobytes(const void* address) {
  char begin[32];
  snprintf(begin, sizeof begin, "%lx-", reinterpret_cast<unsigned long>(address));
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  while (std::getline(maps, line) && line.rfind(begin, 0) != 0) {
  }
  while (std::getline(maps, line) && line.rfind("Anonymous:", 0) != 0) {
  }
  return std::strtoull(line.c_str() + strlen("Anonymous:"), nullptr, 10);
}

TEST(Aggregator, CostsMemoryOnlyForRowsInUse) {
  const uint64_t bytes = Aggregator::WorkspaceBytes({});
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  Aggregator aggregator;
  ASSERT_EQ(aggregator.Init(memory, bytes, {}), Status::kOk);
  auto buffer = std::make_unique<TraceBuffer>();
  AddTrace(buffer.get(), 0x100, {{0x110, 0x200}, {0x210, 0x300}});  // four rows
  for (int round = 0; round < 3; ++round) {
    aggregator.AddBuffer(*buffer);
    EXPECT_EQ(In(aggregator.TakeRows(), kBranches).size(), 2u);
    aggregator.Clear();
  }
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024;
  EXPECT_LE(OwnKilobytes(memory), (4 + kCountSections) * page);  // each row's page and the beginning of each table
  EXPECT_GE(OwnKilobytes(memory), page);
  munmap(memory, bytes);
}

// `count` branches, each at an address of its own from `first` on.
test::Trace DistinctBranches(uint64_t first, uint32_t count) {
  test::Trace trace;
  for (uint64_t i = first; i < first + count; ++i) trace.push_back({0x100000 + i * 64, 0x100020 + i * 64});
  return trace;
}

TEST(Aggregator, AShortSessionTouchesFewPages) {
  const uint64_t bytes = Aggregator::WorkspaceBytes({});
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  Aggregator aggregator;
  ASSERT_EQ(aggregator.Init(memory, bytes, {}), Status::kOk);
  auto buffer = std::make_unique<TraceBuffer>();
  constexpr uint32_t kBranches = 500;
  ASSERT_TRUE(AddTrace(buffer.get(), 0x100, DistinctBranches(0, kBranches)));
  aggregator.AddBuffer(*buffer);
  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t row_pages = 2 * (kBranches * sizeof(CountRow) / page + 2);  // branches, and the ranges between them
  EXPECT_LE(OwnKilobytes(memory) * 1024, (row_pages + 2 + kCountSections * 2) * page);
  munmap(memory, bytes);
}

TEST(Aggregator, EachPageFaultsOnce) {
  const uint64_t bytes = Aggregator::WorkspaceBytes({});
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  Aggregator aggregator;
  ASSERT_EQ(aggregator.Init(memory, bytes, {}), Status::kOk);
  auto buffer = std::make_unique<TraceBuffer>();
  ASSERT_TRUE(AddTrace(buffer.get(), 0x100, DistinctBranches(0, 1000)));
  rusage before{};
  rusage after{};
  ASSERT_EQ(getrusage(RUSAGE_THREAD, &before), 0);
  aggregator.AddBuffer(*buffer);
  ASSERT_EQ(getrusage(RUSAGE_THREAD, &after), 0);
  const auto faults = static_cast<uint64_t>(after.ru_minflt - before.ru_minflt);
  const uint64_t pages = OwnKilobytes(memory) * 1024 / static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GE(pages, 3u);
  EXPECT_GE(faults, pages);
  EXPECT_LE(faults, pages + pages / 4 + 4) << "the sanitizer's shadow, and the code";
  munmap(memory, bytes);
}

TEST(Aggregator, HasRoomForABufferBeyondTheThreshold) {
  TestAggregator aggregator;
  auto buffer = std::make_unique<TraceBuffer>();
  constexpr uint32_t kBelow = static_cast<uint32_t>(kBranchTableSlots / 4 * 3 - 1);
  for (uint32_t next = 0; next < kBelow;) {
    const uint32_t count = std::min(kBelow - next, 500u);
    buffer->used = 0;
    ASSERT_TRUE(AddTrace(buffer.get(), 0x100, DistinctBranches(next, count)));
    aggregator->AddBuffer(*buffer);
    next += count;
  }
  ASSERT_FALSE(aggregator->IsAboveThreshold());
  constexpr uint32_t kMore = kTraceBufferEntries - 1;
  buffer->used = 0;
  ASSERT_TRUE(AddTrace(buffer.get(), 0x100, DistinctBranches(kBelow, kMore)));
  aggregator->AddBuffer(*buffer);
  EXPECT_TRUE(aggregator->IsAboveThreshold());
  EXPECT_EQ(In(aggregator->TakeRows(), kBranches).size(), kBelow + kMore);
  // Of the ranges between them, a few find no slot within kMaxTableProbes.
  EXPECT_LT(aggregator->losses().table_full, kMore / 20);
}

TEST(Aggregator, DefaultWorkspacesFitThreeMebibytes) {
  EXPECT_LE(Aggregator::WorkspaceBytes({}) + ProfileWriter::WorkspaceBytes(), 3u << 20);
}

}  // namespace
}  // namespace softlbr
