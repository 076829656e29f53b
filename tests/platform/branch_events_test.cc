// The event for taken branches: the choice by vendor and family, the event that is opened, and what happens if it does
// not count.
#include "platform/base/branch_events.h"

#include <asm/unistd.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <linux/utsname.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "platform/linux/sampling/cpu_events.h"
#include "platform/sampler.h"
#include "platform/syscall_filter.h"

namespace softlbr::platform {
namespace {

X86Identity Cpu(const char* vendor, uint32_t signature) {
  X86Identity cpu = {};
  std::memcpy(&cpu.ebx, vendor, 4);
  std::memcpy(&cpu.edx, vendor + 4, 4);
  std::memcpy(&cpu.ecx, vendor + 8, 4);
  cpu.signature = signature;
  return cpu;
}

constexpr uint64_t kIntelEvent = 0x20c4;
constexpr uint64_t kAmdEvent = 0xc4;

TEST(BranchEvents, AddTheFieldsOfTheFamily) {
  EXPECT_EQ(FamilyOf(0x000906ea), 6u);  // the second field counts only if the first is full
  EXPECT_EQ(FamilyOf(0x00100f42), 0x10u);
  EXPECT_EQ(FamilyOf(0x00600f20), 0x15u);
  EXPECT_EQ(FamilyOf(0x00b40f40), 0x1au);
}

TEST(BranchEvents, AreThoseOfIntelAndOfAmdFrom15h) {
  EXPECT_EQ(TakenBranchEventOf(Cpu("GenuineIntel", 0x000906ea)), kIntelEvent);
  for (const uint32_t signature :
       {0x00600f20u, 0x00730f01u, 0x00800f11u, 0x00870f10u, 0x00a20f10u, 0x00a60f12u, 0x00b40f40u}) {
    EXPECT_EQ(TakenBranchEventOf(Cpu("AuthenticAMD", signature)), kAmdEvent) << std::hex << signature;
  }
  EXPECT_EQ(TakenBranchEventOf(Cpu("AuthenticAMD", 0x00100f42)), kNoBranchEvent);  // 10h
  EXPECT_EQ(TakenBranchEventOf(Cpu("AuthenticAMD", 0x00500f10)), kNoBranchEvent);  // 14h
  EXPECT_EQ(TakenBranchEventOf(Cpu("HygonGenuine", 0x00900f01)), kNoBranchEvent);
  EXPECT_EQ(TakenBranchEventOf(Cpu("CentaurHauls", 0x000006f1)), kNoBranchEvent);
}

// A kernel of version 6.11 with a PMU that accepts every event. g_count is what they count.
constexpr int kFakeDescriptor = 999999;
std::vector<perf_event_attr> g_opened;
uint64_t g_count = 0;
// The most precise variant that the PMU offers, and what it answers to others.
uint32_t g_most_precise = 3;
long g_refusal = -EOPNOTSUPP;

long OpenFakeEvent(const perf_event_attr& attributes) {
  g_opened.push_back(attributes);
  return attributes.precise_ip > g_most_precise ? g_refusal : kFakeDescriptor;
}

long FakePmu(long number, long arguments[6], bool* handled) {
  *handled = true;
  switch (number) {
    case __NR_uname: std::strcpy(reinterpret_cast<new_utsname*>(arguments[0])->release, "6.11.0"); return 0;
    case __NR_perf_event_open: return OpenFakeEvent(*reinterpret_cast<const perf_event_attr*>(arguments[0]));
    default: break;
  }
  *handled = arguments[0] == kFakeDescriptor;
  switch (number) {
    case __NR_fcntl: return kFakeDescriptor;  // as if moved to a high number
    case __NR_ioctl:
      if (*handled && arguments[1] == static_cast<long>(PERF_EVENT_IOC_ID))
        *reinterpret_cast<uint64_t*>(arguments[2]) = 7;
      return 0;
    case __NR_read:
      if (*handled) std::memcpy(reinterpret_cast<void*>(arguments[1]), &g_count, sizeof g_count);
      return sizeof g_count;
    case __NR_close: return 0;
    default: *handled = false; return 0;
  }
}

class BranchEventChoice : public ::testing::Test {
 protected:
  void SetUp() override {
    g_opened.clear();
    if (FindTakenBranchEvent() == kNoBranchEvent)
      GTEST_SKIP() << "skipped: no taken-branch event is known for this CPU";
    if (AreCpusDifferent("/proc/cpuinfo")) GTEST_SKIP() << "skipped: needs CPUs of one kind";
  }
  // The event that is chosen of all if events count `count`.
  SampleEvent Choose(SampleEvent wanted, uint64_t count, Status* status) {
    g_count = count;
    SampleEvent chosen = SampleEvent::kBest;
    SetSyscallFilterForTest(FakePmu);
    *status = ChooseSampleEvent(wanted, &chosen, &error_);
    SetSyscallFilterForTest(nullptr);
    return chosen;
  }
  int error_ = 0;
};

TEST_F(BranchEventChoice, OpensTheRawEventInUserSpaceOnly) {
  Status status = Status::kUnsupported;
  EXPECT_EQ(Choose(SampleEvent::kBest, kTriedBranches, &status), SampleEvent::kTakenBranches);
  EXPECT_EQ(status, Status::kOk);
  ASSERT_EQ(g_opened.size(), 1u);
  EXPECT_EQ(g_opened[0].type, static_cast<uint32_t>(PERF_TYPE_RAW));
  EXPECT_EQ(g_opened[0].config, FindTakenBranchEvent());
  EXPECT_EQ(g_opened[0].exclude_kernel, 1u);
  EXPECT_EQ(g_opened[0].sigtrap, 1u);
  EXPECT_EQ(g_opened[0].disabled, 1u);
}

TEST_F(BranchEventChoice, TakesTheNextEventIfItDoesNotCount) {
  Status status = Status::kUnsupported;
  EXPECT_EQ(Choose(SampleEvent::kBest, 0, &status), SampleEvent::kBranches);
  EXPECT_EQ(status, Status::kOk);
  EXPECT_EQ(error_, ENOENT);
  (void)Choose(SampleEvent::kTakenBranches, 0, &status);
  EXPECT_EQ(status, Status::kUnsupported);
}

// Events are tried as precise as a PMU may offer, then less so.
class PreciseEvents : public ::testing::Test {
 protected:
  void SetUp() override {
    g_opened.clear();
    g_most_precise = 3;
    g_refusal = -EOPNOTSUPP;
  }
  void TearDown() override { SetUp(); }
  // The variants that are tried, in order.
  static std::vector<uint32_t> Tried(SampleEvent event, Status* status) {
    g_opened.clear();
    Sampler sampler;
    SetSyscallFilterForTest(FakePmu);
    *status = OpenSampler(1, event, 1000003, 0, &sampler);
    SetSyscallFilterForTest(nullptr);
    std::vector<uint32_t> tried;
    for (const perf_event_attr& attributes : g_opened) tried.push_back(attributes.precise_ip);
    return tried;
  }
};
using Variants = std::vector<uint32_t>;

TEST_F(PreciseEvents, AreTakenAtTheFirstThatOpens) {
  Status status = Status::kUnsupported;
  EXPECT_EQ(Tried(SampleEvent::kInstructions, &status), Variants({3}));
  EXPECT_EQ(Tried(SampleEvent::kBranches, &status), Variants({2}));
  EXPECT_EQ(status, Status::kOk);
  EXPECT_EQ(g_opened[0].wakeup_events, 1u);  // an interrupt for each record
  EXPECT_EQ(g_opened[0].watermark, 0u);
}

TEST_F(PreciseEvents, FallBackToWhatThePmuHas) {
  Status status = Status::kUnsupported;
  for (const long refusal : {-EOPNOTSUPP, -EINVAL, -ENOENT}) {
    g_refusal = refusal;
    g_most_precise = 1;
    EXPECT_EQ(Tried(SampleEvent::kInstructions, &status), Variants({3, 2, 1}));
    EXPECT_EQ(status, Status::kOk);
    g_most_precise = 0;
    EXPECT_EQ(Tried(SampleEvent::kBranches, &status), Variants({2, 1, 0}));
    EXPECT_EQ(status, Status::kOk);
    EXPECT_EQ(g_opened.back().wakeup_events, 0u);
    if (FindTakenBranchEvent() == kNoBranchEvent) continue;
    EXPECT_EQ(Tried(SampleEvent::kTakenBranches, &status), Variants({2, 1, 0}));
    EXPECT_EQ(status, Status::kOk);
  }
}

// No less precise event would be permitted, or find the thread.
TEST_F(PreciseEvents, AreNotTriedOnAfterAnotherRefusal) {
  Status status = Status::kOk;
  g_most_precise = 0;
  g_refusal = -EACCES;
  EXPECT_EQ(Tried(SampleEvent::kInstructions, &status), Variants({3}));
  EXPECT_EQ(status, Status::kPermissionDenied);
  g_refusal = -ESRCH;
  EXPECT_EQ(Tried(SampleEvent::kBranches, &status), Variants({2}));
  EXPECT_EQ(status, Status::kNoSuchThread);
}

TEST_F(PreciseEvents, AreNotAskedOfCyclesAndClocks) {
  Status status = Status::kUnsupported;
  EXPECT_EQ(Tried(SampleEvent::kCycles, &status), Variants({0}));
  EXPECT_EQ(Tried(SampleEvent::kTaskClock, &status), Variants({0}));
  EXPECT_EQ(status, Status::kOk);
}

}  // namespace
}  // namespace softlbr::platform
