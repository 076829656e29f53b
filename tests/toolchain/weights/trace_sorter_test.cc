#include "toolchain/weights/trace_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace softlbr::toolchain {
namespace {

bool IsSame(const Trace& a, const Trace& b) {
  return a.thread == b.thread && a.sampled_pc == b.sampled_pc && a.reason == b.reason && a.branches == b.branches;
}

std::vector<Trace> RandomTraces(size_t count) {
  std::mt19937_64 random(5);
  std::vector<Trace> traces;
  for (size_t i = 0; i < count; ++i) {
    Trace trace;
    trace.thread = static_cast<uint32_t>(random());
    trace.reason = static_cast<AbortReason>(random() % kAbortReasonCount);
    trace.sampled_pc = {static_cast<uint32_t>(random() % 3), random()};
    for (uint64_t branches = random() % 9; branches != 0; --branches) {
      trace.branches.push_back({{static_cast<uint32_t>(random() % 300), random() >> (random() % 64)}, {}});
    }
    traces.push_back(trace);
    if (i % 5 == 0) traces.push_back(trace);
  }
  return traces;
}

std::vector<Trace> Sorted(const std::vector<Trace>& traces, uint64_t budget) {
  TraceSorter sorter(budget);
  for (const Trace& trace : traces) sorter.Add(trace);
  std::vector<Trace> first, second;
  sorter.Visit([&first](const Trace& trace) { first.push_back(trace); });
  sorter.Visit([&second](const Trace& trace) { second.push_back(trace); });
  EXPECT_EQ(first.size(), second.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), second.begin(), IsSame));
  return first;
}

TEST(TraceSorter, GivesTheSameOrderForAnyOrderAndBudget) {
  std::vector<Trace> traces = RandomTraces(500);
  const std::vector<Trace> expected = Sorted(traces, kTraceSorterBytes);
  ASSERT_EQ(expected.size(), traces.size());
  EXPECT_TRUE(std::is_permutation(expected.begin(), expected.end(), traces.begin(), IsSame));
  std::shuffle(traces.begin(), traces.end(), std::mt19937_64(7));
  for (const uint64_t budget : {kTraceSorterBytes, uint64_t{20000}, uint64_t{2000}, uint64_t{1}}) {
    const std::vector<Trace> sorted = Sorted(traces, budget);
    ASSERT_EQ(sorted.size(), expected.size()) << budget;
    EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), IsSame)) << budget;
  }
}

TEST(TraceSorter, HoldsTracesLargerThanItsBuffers) {
  std::vector<Trace> traces(3);
  for (size_t i = 0; i < traces.size(); ++i) {
    traces[i].thread = static_cast<uint32_t>(i);
    for (uint64_t branch = 0; branch < 50000; ++branch) traces[i].branches.push_back({{0, branch << 40}, {1, branch}});
  }
  const std::vector<Trace> sorted = Sorted(traces, 1000);
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_TRUE(std::is_permutation(sorted.begin(), sorted.end(), traces.begin(), IsSame));
}

TEST(TraceSorter, HasNothingWithoutTraces) {
  TraceSorter sorter;
  sorter.Visit([](const Trace&) { ADD_FAILURE(); });
}

}  // namespace
}  // namespace softlbr::toolchain
