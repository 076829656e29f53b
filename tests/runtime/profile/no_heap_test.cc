// Folding and writing without one allocation: malloc and its family abort while a scope forbids them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "tests/runtime/profile/profile_fixture.h"

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

bool g_is_forbidden = false;

void Check() {
  if (!g_is_forbidden) return;
  g_is_forbidden = false;
  static const char kText[] = "an allocation where none may be\n";
  if (write(2, kText, sizeof kText - 1) < 0) _exit(3);
  abort();
}

}  // namespace

// operator new of libstdc++.so comes here too, as long as these are visible to it.
#pragma GCC visibility push(default)
extern "C" {
void* malloc(size_t bytes) { return Check(), __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return Check(), __libc_calloc(count, bytes); }
void* realloc(void* memory, size_t bytes) { return Check(), __libc_realloc(memory, bytes); }
void* memalign(size_t alignment, size_t bytes) { return Check(), __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return Check(), __libc_memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  Check();
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? 12 : 0;
}
void free(void* memory) {
  if (memory != nullptr) Check();
  __libc_free(memory);
}
}
#pragma GCC visibility pop

namespace softlbr {
namespace {

class ForbidHeap {
 public:
  ForbidHeap() { g_is_forbidden = true; }
  ~ForbidHeap() { g_is_forbidden = false; }
};

void* volatile g_kept;  // or the compiler leaves the allocations out

void AllocateWhileForbidden(bool with_new) {
  const ForbidHeap forbid;
  g_kept = with_new ? ::operator new(8) : malloc(8);
}

TEST(NoHeapDeathTest, TheTrapWorks) {
  EXPECT_DEATH(AllocateWhileForbidden(false), "an allocation where none may be");
  EXPECT_DEATH(AllocateWhileForbidden(true), "an allocation where none may be");
}

int CountBytes(void* cookie, const void*, size_t count) {
  *static_cast<size_t*>(cookie) += count;
  return 0;
}

TEST(NoHeap, FoldWriteAndRefreshAllocateNothing) {
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
  {
    const ForbidHeap forbid;
    Aggregator aggregator;
    ProfileWriter writer;
    is_started = aggregator.Init(aggregator_memory.data(), aggregator_memory.size() * 8, sizes) == Status::kOk &&
                 writer.Init(writer_memory.data(), writer_memory.size() * 8, CountBytes, &bytes, test::MakeInfo(1)) == Status::kOk;
    RefreshModuleTable(*modules, false, next.get());
    writer.WriteSessionStart();
    for (const auto& buffer : buffers) {
      aggregator.FoldBuffer(*buffer);
      if (!aggregator.IsAboveThreshold()) continue;
      writer.WriteCounts(&aggregator, *made_up, SessionCounters{});
      ++frames_worth;
    }
    writer.WriteCounts(&aggregator, *made_up, SessionCounters{});
    writer.WriteEnd(aggregator, SessionCounters{});
  }
  EXPECT_TRUE(is_started);
  EXPECT_GT(frames_worth, 0u) << "a flush in the middle was meant to happen";
  EXPECT_GT(bytes, 100000u);
  EXPECT_GT(next->count, 2u);
}

}  // namespace
}  // namespace softlbr
