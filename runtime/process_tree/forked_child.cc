#include "runtime/process_tree/forked_child.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/call_on_stack.h"
#include "platform/cpu_alarm.h"
#include "platform/helper.h"
#include "platform/memory_map.h"
#include "platform/syscall.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "runtime/libc/next_function.h"
#include "runtime/process_tree/child_alarm.h"
#include "runtime/process_tree/process_recording.h"
#include "runtime/process_tree/process_tree.h"
#include "runtime/session/calibration.h"
#include "runtime/session/trap_dispatch.h"
#include "runtime/trace/sig_data.h"

extern "C" void* __dso_handle;

namespace softlbr {
namespace {

// No thread's slot, and not that of the calibration.
constexpr uint32_t kAlarmSlot = kCalibrationSlot - 1;
constexpr uint64_t kAlarmData = kSigDataMagic | uint64_t{kAlarmSlot} << 32;
constexpr uint64_t kStartStackBytes = 131072;

struct ForkedChild {
  // this process, or one that it was forked from, is the first one of a namespace of process ids
  bool is_in_new_namespace;
  // the process whose alarm is set; 0: none. The thread that sets it to 0 closes the alarm
  std::atomic<int32_t> alarmed_process;
  platform::Sampler alarm;
};
SOFTLBR_CONSTINIT ForkedChild g_child{};

bool TakeAlarm() {
  int32_t process = g_child.alarmed_process.load(std::memory_order_acquire);
  if (process == 0 || process != platform::CurrentProcessId()) return false;
  return g_child.alarmed_process.compare_exchange_strong(process, 0, std::memory_order_acq_rel);
}

void StartOnOwnStack(void*) { StartInForkedChild(); }

void OnAlarm() {
  // The start would have to wait for a thread that this one keeps from running. The alarm comes again after the same
  // CPU time.
  if (platform::IsThreadRealTime()) return;
  if (!TakeAlarm()) return;  // another thread's turn, or a child that shares the memory
  platform::CloseSampler(&g_child.alarm);
  void* stack = platform::MapMemory(kStartStackBytes, true);
  if (stack == nullptr) return;
  softlbr_call_on_stack(static_cast<uint8_t*>(stack) + kStartStackBytes, StartOnOwnStack, nullptr);
  platform::UnmapMemory(stack, kStartStackBytes);
}

bool SetAlarm(platform::SampleEvent event, uint64_t birth_ns) {
  if (platform::InstallAlarmHandler(DispatchTrapOrAlarm) != Status::kOk) return false;
  const uint64_t alarm_ns = ChildAlarmNs(birth_ns, g_child.is_in_new_namespace);
  if (platform::OpenCpuAlarm(event, alarm_ns, kAlarmData, &g_child.alarm) != Status::kOk) return false;
  g_child.alarmed_process.store(platform::CurrentProcessId(), std::memory_order_release);
  return true;
}

void OnForkedChild() {
  if (g_child.alarmed_process.load(std::memory_order_relaxed) != 0) {
    platform::ReleaseCpuAlarm(&g_child.alarm);
    g_child.alarmed_process.store(0, std::memory_order_relaxed);
  }
  // The alarm gets the number of the parent's descriptor, and the session's descriptor will get that of the alarm. So a
  // program that lists its descriptors and then walks the list finds each of them open.
  platform::ForgetRuntimeThread();
  if (platform::CurrentProcessId() == 1) g_child.is_in_new_namespace = true;
  const platform::SampleEvent event = InheritRecording();
  // Without our handler a trap would kill the process. Installing it again makes it this process's own, so that the
  // program's sigaction leaves it in place.
  if (event == platform::SampleEvent::kBest || !platform::IsTrapHandlerInstalled()) return;
  (void)SetAlarm(event, platform::ThreadCpuTimeNs(0));
}

}  // namespace

// glibc links pthread_atfork statically into its caller, and that code calls __register_atfork, which no other libc
// has.
void FollowForks() {
  if (!platform::MayUseCpuAlarm()) return;
  NextFunction<int(void (*)(), void (*)(), void (*)(), void*)> of_glibc("__register_atfork");
  NextFunction<int(void (*)(), void (*)(), void (*)())> of_others("pthread_atfork");
  if (of_glibc.Get() != nullptr) {
    (void)of_glibc.Get()(nullptr, nullptr, OnForkedChild, &__dso_handle);
  } else if (of_others.Get() != nullptr) {
    (void)of_others.Get()(nullptr, nullptr, OnForkedChild);
  }
}

// Not by a thread timer, which would miss a program whose first thread only waits. A tracer would stop at the alarm's
// trap.
bool StartOnceItWorks() {
  if (!platform::MayUseCpuAlarm()) return false;
  const int32_t process = platform::BecomeHost();
  if (platform::IsDebuggerAttached()) return false;
  if (process == 1) g_child.is_in_new_namespace = true;
  if (SetAlarm(platform::SampleEvent::kTaskClock, 0)) return true;
  platform::RestoreTrapHandler();
  return false;
}

bool IsAlarmLost() {
  // In this order: a sandbox closes the alarm first, and may forbid the calls.
  const int32_t process = g_child.alarmed_process.load(std::memory_order_relaxed);
  return process != 0 && process == platform::CurrentProcessId() && !platform::IsSamplerOurs(g_child.alarm);
}

void CloseForkAlarm() {
  if (g_child.alarmed_process.load(std::memory_order_relaxed) != 0 && TakeAlarm())
    platform::CloseSampler(&g_child.alarm);
}

bool DispatchTrapOrAlarm(const platform::Trap& trap) {
  if (trap.kind != platform::TrapKind::kSample || trap.sig_data != kAlarmData) return DispatchTrap(trap);
  OnAlarm();
  return true;
}

}  // namespace softlbr
