// State of the CPU that a program may change for itself, and that our handlers meet.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {
namespace {

class SessionCpuState : public SessionTest {
 protected:
  // Works until 100 samples were taken, or in vain; the number of samples.
  template <typename Function>
  static uint64_t SamplesWhile(Function work) {
    const uint64_t before = Counters().samples;
    uint64_t taken = 0;
    for (int i = 0; i < 1000 && taken < 100; ++i) {
      work();
      taken = Counters().samples - before;
    }
    return taken;
  }
};

#if defined(__x86_64__)
// Nothing but Work runs meanwhile, which accesses no memory but its aligned stack: libc may read unaligned words.
void WorkWithAlignmentChecks() {
  constexpr uint64_t kAlignmentCheck = 1u << 18;
  const uint64_t flags = __builtin_ia32_readeflags_u64();
  __builtin_ia32_writeeflags_u64(flags | kAlignmentCheck);
  (void)Work(500000);
  __builtin_ia32_writeeflags_u64(flags);
}

TEST_F(SessionCpuState, ThreadThatChecksAlignmentIsSampled) {
  START_OR_SKIP();
  EXPECT_GE(SamplesWhile(WorkWithAlignmentChecks), 100u);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GT(SumOfBranches(Read()), 1000u);
}

// Code and stack below 4 GiB, for a loop in a 32-bit segment whose `inc %eax` is a prefix in 64-bit code: read so, it
// takes another path.
class Loop32 {
 public:
  Loop32() {
    if (memory_ == MAP_FAILED) return;
    constexpr uint8_t kEntry[] = {0x48, 0x89, 0xe0,          // mov %rsp, %rax
                                  0x48, 0x89, 0xf4,          // mov %rsi, %rsp
                                  0x50,                      // push %rax
                                  0xff, 0x1f,                // lcall *(%rdi)
                                  0x5c, 0xc3};               // pop %rsp; ret
    constexpr uint8_t kLoop[] = {0xb9, 0,    0x2d, 0x31, 1,  // mov $20000000, %ecx
                                 0x31, 0xc0, 0x40,           // 1: xor %eax, %eax; inc %eax
                                 0x85, 0xc0, 0x74, 0x06,     // test %eax, %eax; jz 2f
                                 0x83, 0xe9, 0x01,           // sub $1, %ecx
                                 0x75, 0xf4, 0xcb,           // jnz 1b; lret
                                 0xeb, 0xf8};                // 2: jmp to the sub, never executed
    auto* bytes = static_cast<uint8_t*>(memory_);
    std::memcpy(bytes, kEntry, sizeof kEntry);
    std::memcpy(bytes + kLoopOffset, kLoop, sizeof kLoop);
    const struct __attribute__((packed)) {
      uint32_t offset;
      uint16_t segment;
    } target = {static_cast<uint32_t>(reinterpret_cast<uintptr_t>(bytes + kLoopOffset)), 0x23};
    std::memcpy(bytes + kTargetOffset, &target, sizeof target);
  }
  ~Loop32() {
    if (IsThere()) munmap(memory_, kBytes);
  }
  bool IsThere() const { return memory_ != MAP_FAILED; }
  // Some virtual machines have no such segment: the far call raises SIGSEGV.
  bool HasSegment() const {
    const pid_t child = fork();
    if (child == 0) {
      Run();
      _exit(0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0;
  }
  void Run() const {
    auto* bytes = static_cast<uint8_t*>(memory_);
    void* target = bytes + kTargetOffset;
    void* stack = bytes + kBytes - 256;
    asm volatile("sub $128, %%rsp; call *%2; add $128, %%rsp"  // keeps the red zone
                 : "+D"(target), "+S"(stack)
                 : "b"(bytes)
                 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
  }

 private:
  static constexpr size_t kBytes = 256 * 1024, kLoopOffset = 64, kTargetOffset = 128;
  void* const memory_ =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
};

TEST_F(SessionCpuState, CodeOfA32BitSegmentIsNotTraced) {
  const Loop32 loop;
  if (!loop.IsThere()) GTEST_SKIP() << "needs executable memory below 4 GiB";
  if (!loop.HasSegment()) GTEST_SKIP() << "needs a 32-bit code segment";
  START_OR_SKIP();
  EXPECT_GE(SamplesWhile([&loop] { loop.Run(); }), 100u);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  const uint64_t ended = profile.counters.traces_aborted[static_cast<size_t>(AbortReason::kUnreadableCode)];
  EXPECT_GE(10 * ended, 9 * profile.counters.samples);
  EXPECT_EQ(profile.counters.verify_mismatches, 0u);
}
#endif

// From now on, reading the tick counter raises SIGSEGV in this thread. Work does not read it.
bool ForbidTickCounter() { return prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0; }
int TickCounterMode() {
  int mode = 0;
  EXPECT_EQ(prctl(PR_GET_TSC, &mode), 0);
  return mode;
}

TEST_F(SessionCpuState, ThreadThatForbidsTheTickCounterIsSampled) {
  START_OR_SKIP();
  if (!ForbidTickCounter()) GTEST_SKIP() << "needs PR_SET_TSC";
  const uint64_t before = Counters().samples;
  (void)Work(20000000);
  const uint64_t samples = Counters().samples - before;
  const int mode = TickCounterMode();
  (void)prctl(PR_SET_TSC, PR_TSC_ENABLE);  // gtest reads the clock
  EXPECT_EQ(mode, PR_TSC_SIGSEGV) << "the thread's own setting is back after each handler";
  EXPECT_GT(samples, 100u);
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  const Profile profile = Read();
  EXPECT_GT(SumOfBranches(profile), 1000u);
  EXPECT_GT(profile.counters.overhead_evaluating_ns, 0u) << "the handlers have read it all the same";
}

TEST_F(SessionCpuState, SessionIsStartedByAThreadThatForbidsTheTickCounter) {
  if (!ForbidTickCounter()) GTEST_SKIP() << "needs PR_SET_TSC";
  const int status = Start();
  const int mode = TickCounterMode();
  (void)prctl(PR_SET_TSC, PR_TSC_ENABLE);
  if (status == SOFTLBR_PERMISSION_DENIED) GTEST_SKIP() << "needs perf_event_open";
  ASSERT_EQ(status, SOFTLBR_OK);
  EXPECT_EQ(mode, PR_TSC_SIGSEGV);
  WorkForCpu(std::chrono::milliseconds(50));
  EXPECT_EQ(softlbr_stop(), SOFTLBR_OK);
  EXPECT_GT(SumOfBranches(Read()), 1000u);
}

}  // namespace
}  // namespace softlbr
