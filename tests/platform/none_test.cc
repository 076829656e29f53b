// The implementations for unsupported systems: every call returns a defined result ("unsupported") and has no effect.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "platform/breakpoint.h"
#include "platform/cpu_context.h"
#include "platform/dynamic_library.h"
#include "platform/file.h"
#include "platform/folder.h"
#include "platform/local_socket.h"
#include "platform/memory_map.h"
#include "platform/safe_read.h"
#include "platform/sampler.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "platform/trap_signal.h"

namespace softlbr::platform {
namespace {

TEST(PlatformNone, ReturnsUnsupported) {
  Breakpoint breakpoint;
  EXPECT_EQ(OpenBreakpoint(1, &breakpoint), Status::kUnsupported);
  EXPECT_EQ(ArmBreakpoint(&breakpoint, 4096, 0), Status::kUnsupported);
  EXPECT_FALSE(breakpoint.is_armed);
  EXPECT_EQ(DisarmBreakpoint(&breakpoint), Status::kUnsupported);
  EXPECT_FALSE(IsBreakpointOurs(breakpoint));
  uint64_t hits = 0;
  EXPECT_EQ(CountBreakpointHits(breakpoint, &hits), Status::kUnsupported);
  CloseBreakpoint(&breakpoint);

  SampleEvent chosen = SampleEvent::kBest;
  int error = -1;
  EXPECT_EQ(ChooseSampleEvent(SampleEvent::kBest, &chosen, &error), Status::kUnsupported);
  EXPECT_EQ(error, 0);
  Sampler sampler;
  EXPECT_EQ(OpenSampler(1, SampleEvent::kTaskClock, 1000, 0, &sampler), Status::kUnsupported);
  EXPECT_EQ(EnableSampler(sampler), Status::kUnsupported);
  EXPECT_FALSE(IsSamplerOurs(sampler));

  EXPECT_EQ(InstallTrapHandler([](const Trap&) { return true; }), Status::kUnsupported);
  EXPECT_FALSE(IsTrapHandlerInstalled());
  EXPECT_LT(ExchangeAppTrapAction(nullptr, nullptr), 0);
  RestoreTrapHandler();
  SetTrapSignalBlocked(true);

  EXPECT_EQ(ForEachThread([](void*, int32_t) { FAIL(); }, nullptr), Status::kUnsupported);
  EXPECT_EQ(ForEachMapping([](void*, const Mapping&) { return true; }, nullptr), Status::kUnsupported);
  EXPECT_EQ(MapMemory(4096, false), nullptr);
  char byte = 0;
  EXPECT_FALSE(IsReadable(reinterpret_cast<uint64_t>(&byte)));
  EXPECT_EQ(CopyFrom(reinterpret_cast<uint64_t>(&byte), &byte, 1), Status::kUnsupported);
  void* address = nullptr;
  EXPECT_EQ(LoadSymbol("libm.so.6", "fabs", &address), Status::kUnsupported);
  EXPECT_LT(OpenForRead("/dev/null"), 0);
  EXPECT_EQ(WriteAll(1, "x", 1), Status::kUnsupported);
  EXPECT_LT(MakeFolder("/tmp/softlbr-none"), 0);
  EXPECT_LT(OpenFolder("/tmp"), 0);
  EXPECT_LT(OpenInFolder(1, "x", FileOpening::kNew), 0);
  EXPECT_LT(WriteAt(1, 0, "x", 1), 0);
  EXPECT_LT(LockFile(1, 0), 0);
  EXPECT_EQ(SysCall(39), -38);
}

TEST(PlatformNone, WaitsReturnAtOnce) {
  RuntimeThread thread;
  EXPECT_EQ(StartRuntimeThread(&thread, nullptr, nullptr, nullptr, 0), Status::kUnsupported);
  JoinRuntimeThread(&thread);
  const std::atomic<uint32_t> word{0};
  WaitOnWord(&word, 0, ~uint64_t{0});
  SleepNs(1000000000000);
  CalibrateTicks();
  EXPECT_EQ(TicksToNs(Ticks()), 0u);
}

TEST(PlatformNone, ContextIsUnknownExceptZero) {
  MachineContext context;
  std::memset(&context, 0xff, sizeof(context));
  LoadMachineContext(nullptr, &context);
  EXPECT_EQ(context.known[0], kAllKnown);
  EXPECT_EQ(context.regs[0], 0u);
  for (uint32_t slot = 1; slot < kRegisterSlotCount; ++slot) ASSERT_EQ(context.known[slot], 0);
  EXPECT_EQ(context.flags_known, 0);
  EXPECT_FALSE(context.rounding_is_default);
  EXPECT_EQ(kHostMachine, EM_NONE);
}

TEST(PlatformNone, HasNoSockets) {
  EXPECT_LT(OpenPrivateFolder("/tmp", false), 0);
  EXPECT_LT(ListenInFolder(0, "name"), 0);
  uint32_t user = 0;
  EXPECT_LT(AcceptPeer(0, &user), 0);
  EXPECT_NE(user, 0u) << "never taken for root";
  int passed = 0;
  EXPECT_LT(ReceivePacket(0, &user, sizeof user, &passed), 0);
  EXPECT_EQ(passed, -1);
  EXPECT_LT(SendPacket(0, &user, sizeof user, nullptr, 0, 0), 0);
  EXPECT_LT(OpenEventSet(), 0);
  EXPECT_LT(AddToEventSet(0, 0, 0, false), 0);
  EXPECT_LT(WaitForEvents(0, &user, 1, -1), 0);
  EXPECT_LT(OpenTimer(), 0);
}

}  // namespace
}  // namespace softlbr::platform
