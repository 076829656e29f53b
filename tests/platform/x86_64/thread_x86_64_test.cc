// The thread area of a runtime thread: what compilers and C libraries expect at fs.
#include <gtest/gtest.h>

#include <atomic>

#include "platform/memory_map.h"
#include "platform/thread.h"

namespace softlbr::platform {
namespace {

uint64_t ReadFs(uint64_t offset) {
  uint64_t value = 0;
  __asm__ volatile("movq %%fs:(%1), %0" : "=r"(value) : "r"(offset));
  return value;
}

struct Area {
  std::atomic<uint64_t> self, self2, stack_guard, pointer_guard, below;
};

TEST(RuntimeThreadArea, HoldsItsOwnAddressAndTheCreatorsGuards) {
  constexpr uint64_t kStackBytes = 65536;
  void* stack = MapMemory(kStackBytes, false);
  ASSERT_NE(stack, nullptr);
  static Area area;
  RuntimeThread thread;
  const auto look = [](void*) {
    area.self.store(ReadFs(0));
    area.self2.store(ReadFs(0x10));
    area.stack_guard.store(ReadFs(0x28));
    area.pointer_guard.store(ReadFs(0x30));
    area.below.store(ReadFs(~uint64_t{0} - 511));  // where a static thread-local variable would be
  };
  ASSERT_EQ(StartRuntimeThread(&thread, look, nullptr, stack, kStackBytes), Status::kOk);
  JoinRuntimeThread(&thread);
  const auto base = reinterpret_cast<uint64_t>(stack);
  EXPECT_GE(area.self.load(), base);
  EXPECT_LT(area.self.load(), base + kStackBytes);
  EXPECT_EQ(area.self2.load(), area.self.load());
  EXPECT_EQ(area.stack_guard.load(), ReadFs(0x28));
  EXPECT_NE(area.stack_guard.load(), 0u);
  EXPECT_EQ(area.pointer_guard.load(), ReadFs(0x30));
  EXPECT_EQ(area.below.load(), 0u);
  UnmapMemory(stack, kStackBytes);
}

}  // namespace
}  // namespace softlbr::platform
