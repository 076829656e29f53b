// Aggregating and writing must not allocate: malloc and its family abort in a scope that forbids them.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "tests/checks/heap_guard.h"
#include "tests/runtime/profile/profile_fixture.h"

namespace softlbr {
namespace {

int CountBytes(void* cookie, const void*, size_t count) {
  *static_cast<size_t*>(cookie) += count;
  return 0;
}

TEST(NoHeap, AggregateWriteAndRefreshDoNotAllocate) {
  const auto made_up = test::MakeModules();
  AggregatorSizes sizes;
  sizes.trace_entries = kTraceLogEntries;
  std::vector<uint64_t> aggregator_memory(Aggregator::WorkspaceBytes(sizes) / 8);
  std::vector<uint64_t> writer_memory(ProfileWriter::WorkspaceBytes() / 8 + 1);
  std::vector<std::unique_ptr<TraceBuffer>> buffers;
  test::RandomTraces random(*made_up, 100000, 1);
  for (int i = 0; i < 40; ++i) {
    buffers.push_back(std::make_unique<TraceBuffer>());
    while (test::AddTrace(buffers.back().get(), random.Address(), random.Make(60))) {
    }
  }
  auto modules = std::make_unique<ModuleTable>();
  auto next = std::make_unique<ModuleTable>();
  size_t bytes = 0;
  uint32_t frames_worth = 0;
  bool is_started = false;
  checks::HeapUse use;
  {
    checks::StartHeapGuard();
    Aggregator aggregator;
    ProfileWriter writer;
    is_started = aggregator.Init(aggregator_memory.data(), aggregator_memory.size() * 8, sizes) == Status::kOk &&
                 writer.Init(writer_memory.data(), writer_memory.size() * 8, CountBytes, &bytes, test::MakeInfo(1)) ==
                     Status::kOk;
    RefreshModuleTable(*modules, false, true, next.get());
    writer.WriteSessionStart();
    for (const auto& buffer : buffers) {
      aggregator.AddBuffer(*buffer);
      if (!aggregator.IsAboveThreshold()) continue;
      writer.WriteCounts(&aggregator, *made_up, SessionCounters{});
      ++frames_worth;
    }
    writer.WriteCounts(&aggregator, *made_up, SessionCounters{});
    writer.WriteEnd(aggregator, SessionCounters{});
    use = checks::StopHeapGuard();
  }
  EXPECT_EQ(use.calls, 0u) << use.first_function;
  EXPECT_TRUE(is_started);
  EXPECT_GT(frames_worth, 0u) << "the test needs a flush in the middle";
  EXPECT_GT(bytes, 100000u);
  EXPECT_GT(next->count, 2u);
}

}  // namespace
}  // namespace softlbr
