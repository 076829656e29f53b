#include "runtime/threads/buffer_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace softlbr {
namespace {

TEST(BufferPool, HandsOutEachBufferOnce) {
  auto pool = std::make_unique<BufferPool>();
  InitBufferPool(pool.get());
  auto buffers = std::make_unique<TraceBuffer[]>(2);
  PutFreeBuffer(pool.get(), &buffers[0]);
  PutFreeBuffer(pool.get(), &buffers[1]);
  TraceBuffer* a = TakeFreeBuffer(pool.get());
  TraceBuffer* b = TakeFreeBuffer(pool.get());
  EXPECT_NE(a, nullptr);
  EXPECT_NE(b, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(TakeFreeBuffer(pool.get()), nullptr);
}

TEST(BufferPool, HandsOutTheBufferThatWasPutBackLastWithItsTraces) {
  auto pool = std::make_unique<BufferPool>();
  InitBufferPool(pool.get());
  auto buffers = std::make_unique<TraceBuffer[]>(2);
  PutFreeBuffer(pool.get(), &buffers[0]);
  PutFreeBuffer(pool.get(), &buffers[1]);
  TraceBuffer* taken = TakeFreeBuffer(pool.get());
  ASSERT_NE(taken, nullptr);
  taken->BeginTrace(0x10, 7);
  taken->CommitTrace(AbortReason::kNone);
  PutBackBuffer(pool.get(), taken);
  ASSERT_EQ(TakeFreeBuffer(pool.get()), taken);
  EXPECT_EQ(taken->used, 1u);
  PutFreeBuffer(pool.get(), taken);
  ASSERT_EQ(TakeFreeBuffer(pool.get()), taken);
  EXPECT_EQ(taken->used, 0u) << "emptied";
}

TEST(BufferPool, QueuesFilledBuffersInOrder) {
  auto pool = std::make_unique<BufferPool>();
  InitBufferPool(pool.get());
  auto buffers = std::make_unique<TraceBuffer[]>(3);
  EXPECT_EQ(TakeFilledBuffer(pool.get()), nullptr);
  for (int i = 0; i < 3; ++i) QueueFilledBuffer(pool.get(), &buffers[i]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(TakeFilledBuffer(pool.get()), &buffers[i]);
  EXPECT_EQ(TakeFilledBuffer(pool.get()), nullptr);
}

TEST(BufferPool, KeepsEveryBufferUnderContention) {
  constexpr uint32_t kBuffers = 8;
  constexpr uint32_t kThreads = 6;
  constexpr uint32_t kTakes = 2000;  // by each thread
  auto pool = std::make_unique<BufferPool>();
  InitBufferPool(pool.get());
  auto buffers = std::make_unique<TraceBuffer[]>(kBuffers);
  for (uint32_t i = 0; i < kBuffers; ++i) PutFreeBuffer(pool.get(), &buffers[i]);
  std::atomic<uint64_t> filled{0};
  std::atomic<uint64_t> doubly_owned{0};
  std::atomic<uint32_t> owners[kBuffers] = {};
  std::atomic<bool> is_done{false};
  std::thread control_thread([&] {
    uint64_t drained = 0;
    while (!is_done.load() || drained < filled.load()) {
      if (TraceBuffer* buffer = TakeFilledBuffer(pool.get())) {
        ++drained;
        PutFreeBuffer(pool.get(), buffer);
      }
    }
  });
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (uint32_t taken = 0; taken < kTakes;) {
        TraceBuffer* buffer = TakeFreeBuffer(pool.get());
        if (buffer == nullptr) {
          std::this_thread::yield();
          continue;
        }
        ++taken;
        const auto index = static_cast<uint32_t>(buffer - buffers.get());
        if (owners[index].fetch_add(1) != 0) doubly_owned.fetch_add(1);
        owners[index].fetch_sub(1);
        filled.fetch_add(1);
        QueueFilledBuffer(pool.get(), buffer);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  is_done.store(true);
  control_thread.join();
  EXPECT_EQ(doubly_owned.load(), 0u);
  EXPECT_EQ(filled.load(), uint64_t{kThreads} * kTakes);
  uint32_t left = 0;
  while (TakeFreeBuffer(pool.get()) != nullptr) ++left;
  EXPECT_EQ(left, kBuffers);
}

TEST(TraceBuffer, HoldsLongestTraceAndCountsOnlyCommitted) {
  auto buffer = std::make_unique<TraceBuffer>();
  EXPECT_TRUE(buffer->HasRoomFor(kMaxBranchesPerTrace));
  buffer->BeginTrace(0x10, 7);
  for (uint64_t i = 0; i < kMaxBranchesPerTrace; ++i) buffer->Append(i, i + 1);
  EXPECT_EQ(buffer->used, 0u);
  buffer->CommitTrace(AbortReason::kNone);
  EXPECT_EQ(buffer->used, 1 + kMaxBranchesPerTrace);
  EXPECT_EQ(buffer->entries[0].header.branch_count, kMaxBranchesPerTrace);
  EXPECT_FALSE(buffer->HasRoomFor(kMaxBranchesPerTrace));
}

}  // namespace
}  // namespace softlbr
