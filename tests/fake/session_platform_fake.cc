// Contract: session_platform_fake.h, and the contracts of platform/ that a session uses over it.
#include "tests/fake/session_platform_fake.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "platform/base/elf_machine.h"
#include "platform/base/registers_x86_64.h"
#include "platform/breakpoint.h"
#include "platform/call_on_stack.h"
#include "platform/cpu_context.h"
#include "platform/helper.h"
#include "platform/rseq.h"
#include "platform/safe_read.h"
#include "platform/sampler.h"
#include "platform/thread.h"
#include "platform/thread_list.h"
#include "platform/trap_signal.h"
#include "runtime/session/calibration.h"

namespace softlbr {
namespace {

// Its index is what the runtime takes for a descriptor. sig_data and address are as last set; they change while the
// event is off, or by the thread itself.
struct Event {
  std::atomic<bool> is_open;
  std::atomic<bool> is_on;
  std::atomic<bool> is_breakpoint;
  std::atomic<int32_t> tid;
  std::atomic<uint64_t> sig_data;
  std::atomic<uint64_t> address;
  std::atomic<uint64_t> hits;
};
constexpr int32_t kEvents = 1024;
Event g_events[kEvents];

std::atomic<platform::TrapCallback> g_callback;
std::function<void()> g_during_stop;
std::function<void()> g_during_scan;
std::atomic<bool> g_has_scan_action{false};
std::atomic<uint64_t> g_wait_ns{0};
thread_local bool t_has_run_scan_action = false;
std::mutex g_threads_mutex;
std::set<int32_t> g_threads;
std::atomic<int32_t> g_next_tid{1000000};  // above all thread ids of the system
thread_local int32_t t_tid = 0;

int32_t OpenEvent(int32_t tid, bool is_breakpoint, uint64_t sig_data) {
  for (int32_t i = 0; i < kEvents; ++i) {
    bool is_free = false;
    if (!g_events[i].is_open.compare_exchange_strong(is_free, true)) continue;
    g_events[i].is_on = false;
    g_events[i].is_breakpoint = is_breakpoint;
    g_events[i].sig_data = sig_data;
    g_events[i].hits = 0;
    g_events[i].tid = tid;  // last: the thread may find the event from now on
    return i;
  }
  std::abort();
}
void CloseEvent(int32_t number) {
  if (number < 0) return;
  g_events[number].tid = 0;
  g_events[number].is_on = false;
  g_events[number].is_open = false;
}

}  // namespace

namespace fake {

TestThread::TestThread() : tid_(g_next_tid.fetch_add(1)) {
  t_tid = tid_;
  const std::lock_guard lock(g_threads_mutex);
  g_threads.insert(tid_);
}
TestThread::~TestThread() {
  const std::lock_guard lock(g_threads_mutex);
  g_threads.erase(tid_);
  t_tid = 0;
}

// One trap of the thread's sampler or breakpoint. False: that is off.
bool TestThread::RaiseTrap(bool is_breakpoint, uint64_t pc) {
  uint64_t frame[64] = {};
  platform::Trap trap = {};
  trap.sp = reinterpret_cast<uint64_t>(frame + 32);
  trap.ucontext = &trap;
  const platform::TrapCallback callback = g_callback.load();
  if (callback == nullptr) return false;
  for (Event& event : g_events) {
    if (event.tid.load() != tid_ || !event.is_on.load() || event.is_breakpoint.load() != is_breakpoint) continue;
    trap.kind = is_breakpoint ? platform::TrapKind::kBreakpoint : platform::TrapKind::kSample;
    trap.pc = is_breakpoint ? event.address.load() : pc;
    trap.sig_data = event.sig_data.load();
    if (is_breakpoint) event.hits.fetch_add(1);
    (void)callback(trap);
    return true;
  }
  return false;
}

uint32_t TestThread::Run(uint64_t pc, uint32_t most_hits) { return RaiseTrap(false, pc) ? 1 + RunOver(most_hits) : 0; }

uint32_t TestThread::RunOver(uint32_t times) {
  uint32_t traps = 0;
  while (traps != times && RaiseTrap(true, 0)) ++traps;
  return traps;
}

bool TestThread::RaiseUnmarked(uint64_t pc, platform::RaisedByProgram raised_by_program) {
  uint64_t frame[64] = {};
  platform::Trap trap = {};
  trap.kind = platform::TrapKind::kUnmarked;
  trap.raised_by_program = raised_by_program;
  trap.sp = reinterpret_cast<uint64_t>(frame + 32);
  trap.pc = trap.raised_pc = pc;
  trap.ucontext = &trap;
  const platform::TrapCallback callback = g_callback.load();
  return callback != nullptr && callback(trap);
}

bool TestThread::IsSampled() const {
  for (const Event& event : g_events) {
    if (event.tid.load() == tid_ && event.is_on.load() && !event.is_breakpoint.load()) return true;
  }
  return false;
}

uint64_t TestThread::ArmedPc() const {
  for (const Event& event : g_events) {
    if (event.tid.load() == tid_ && event.is_on.load() && event.is_breakpoint.load()) return event.address.load();
  }
  return 0;
}

void DuringNextStop(std::function<void()> action) { g_during_stop = std::move(action); }

void DuringNextScan(std::function<void()> action) {
  g_during_scan = std::move(action);
  g_wait_ns = 0;
  g_has_scan_action = true;
}
uint64_t WaitAfterThatScanNs() { return g_wait_ns; }

uint32_t OpenEvents() {
  uint32_t count = 0;
  for (const Event& event : g_events) count += event.is_open.load() ? 1 : 0;
  return count;
}

}  // namespace fake

// The result of the self-test of breakpoints.
TrapCosts MeasureTrapCostsOnce(platform::SampleEvent, bool) { return TrapCosts{1000, 1000, 1000, true}; }
void OnCalibrationTrap(const platform::Trap&) {}
bool IsCalibrationTarget(uint64_t) { return false; }

namespace platform {

const uint32_t kRseqSignature = 0;
bool FindRseqPointer(int64_t*) { return false; }
const uint16_t kHostMachine = kMachineX86_64;

// All general registers are known and never change: a loop ends when the trace is full.
void LoadMachineContext(const void* ucontext, MachineContext* context) {
  const auto* trap = static_cast<const Trap*>(ucontext);
  for (uint32_t i = 0; i < kRegisterSlotCount; ++i) {
    context->regs[i] = 0;
    context->known[i] = 0;
  }
  for (uint32_t i = 0; i < 16; ++i) context->known[SOFTLBR_X86_RAX + i] = kAllKnown;
  context->regs[SOFTLBR_X86_RSP] = trap->sp;
  context->pc = trap->pc;
  context->sp = trap->sp;
  context->flags = 0;
  context->flags_known = 0xff;
}
bool PassBreakpointOnce(void*) { return true; }
void SetResumePc(void*, uint64_t) {}

Status OpenBreakpoint(int32_t tid, Breakpoint* breakpoint) {
  breakpoint->fd = OpenEvent(tid, true, 0);
  breakpoint->id = 1;
  breakpoint->is_armed = false;
  return Status::kOk;
}
void CloseBreakpoint(Breakpoint* breakpoint) {
  CloseEvent(breakpoint->fd);
  *breakpoint = Breakpoint{};
}
Status ArmBreakpoint(Breakpoint* breakpoint, uint64_t address, uint64_t sig_data) {
  Event& event = g_events[breakpoint->fd];
  event.address = address;
  event.sig_data = sig_data;
  event.is_on = true;
  breakpoint->is_armed = true;
  return Status::kOk;
}
Status DisarmBreakpoint(Breakpoint* breakpoint) {
  g_events[breakpoint->fd].is_on = false;
  breakpoint->is_armed = false;
  return Status::kOk;
}
Status CountBreakpointHits(const Breakpoint& breakpoint, uint64_t* hits) {
  *hits = g_events[breakpoint.fd].hits.load();
  return Status::kOk;
}
bool IsBreakpointOurs(const Breakpoint&) { return true; }

Status ChooseSampleEvent(SampleEvent, SampleEvent* chosen, int*) {
  *chosen = SampleEvent::kTaskClock;
  return Status::kOk;
}
bool MayTimersSample() { return fake::g_may_timers_sample; }
Status OpenSingleTimer(int32_t, uint64_t, uint64_t, Sampler*) { return Status::kUnsupported; }
void CloseTimer(Sampler* sampler) { *sampler = Sampler{}; }
Status OpenSampler(int32_t tid, SampleEvent event, uint64_t period, uint64_t sig_data, Sampler* sampler) {
  sampler->fd = OpenEvent(tid, false, sig_data);
  sampler->period = period;
  sampler->event = event;
  return Status::kOk;
}
void CloseSampler(Sampler* sampler) {
  CloseEvent(sampler->fd);
  *sampler = Sampler{};
}
void DisableEventsOfThisThread() {}
Status EnableSampler(const Sampler& sampler) {
  if (sampler.fd >= 0) g_events[sampler.fd].is_on = true;
  return Status::kOk;
}
Status DisableSampler(const Sampler& sampler) {
  if (sampler.fd >= 0) g_events[sampler.fd].is_on = false;
  return Status::kOk;
}
Status SetSamplerPeriod(Sampler* sampler, uint64_t period) {
  sampler->period = period;
  return Status::kOk;
}
bool IsSamplerOurs(const Sampler&) { return true; }
bool MayBorrow(int32_t) { return true; }

Status InstallTrapHandler(TrapCallback callback) {
  g_callback = callback;
  return Status::kOk;
}
void RestoreTrapHandler(bool) { g_callback = nullptr; }
long ExchangeAppTrapAction(const TrapAction*, TrapAction*) { return 0; }
bool IsSignalDue(const void*) { return false; }
bool DoesFrameBlockTraps(const void*) { return false; }
bool MayBlockTraps(uint32_t) { return false; }
void SetTrapSignalBlocked(bool) {}
bool IsTrapHandlerInstalled() { return true; }

Status ForEachThread(ThreadVisitor visit, void* cookie) {
  std::vector<int32_t> tids;
  {
    const std::lock_guard lock(g_threads_mutex);
    tids.assign(g_threads.begin(), g_threads.end());
  }
  for (const int32_t tid : tids) visit(cookie, tid);
  return Status::kOk;
}
int64_t ThreadCount() {
  if (g_has_scan_action.exchange(false)) {
    std::exchange(g_during_scan, nullptr)();
    t_has_run_scan_action = true;
  }
  return 0;
}
bool IsThreadAlive(int32_t tid) {
  const std::lock_guard lock(g_threads_mutex);
  return g_threads.count(tid) != 0;
}
uint64_t ProcessCpuTimeNs() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}
uint64_t ProcessUserTimeNs() { return ProcessCpuTimeNs() * fake::g_user_percent / 100; }
uint64_t ThreadCpuTimeNs(int32_t, uint64_t* switches) {
  if (switches != nullptr) *switches = fake::g_switches;
  return fake::g_thread_cpu_ns;
}
bool IsTrapPending(int32_t) { return fake::g_is_trap_pending; }
bool IsThreadRunnable(int32_t) { return fake::g_is_runnable; }
bool IsTrapBlocked(int32_t) { return fake::g_is_trap_blocked; }
bool IsDebuggerAttached() { return false; }

int32_t BecomeHost() { return CurrentProcessId(); }
int32_t HostProcessId() { return CurrentProcessId(); }
bool IsHostGone() { return false; }
bool MayTraceHost() { return false; }
bool CloseHostDescriptors(int) { return true; }
void FollowHostCredentials() {}
void CloseFilesOfKilledHelper() {}
bool HasHelperEnded(const RuntimeThread&) { return false; }
bool IsHelperAlive(int32_t) { return false; }

// One session at a time.
std::thread g_control;
Status StartRuntimeThread(RuntimeThread* thread, void (*entry)(void*), void* argument, void*, uint64_t) {
  if (thread->is_helper) return Status::kPermissionDenied;
  thread->tid = 1;
  g_control = std::thread([=] {
    entry(argument);
    thread->tid = 0;
  });
  return Status::kOk;
}
void ForgetRuntimeThread() {}
void JoinRuntimeThread(RuntimeThread*) {
  if (g_during_stop) std::exchange(g_during_stop, nullptr)();
  g_control.join();
}

// As the real functions, except that the kernel does not know the test's thread ids.
bool IsReadable(uint64_t address) {
  uint64_t bytes;
  return CopyFrom(address & ~uint64_t{7}, &bytes, sizeof bytes) == Status::kOk;
}
Status CopyFrom(uint64_t address, void* output, uint64_t bytes) {
  const MemoryChunk chunk = {address, bytes};
  return CopyChunks(&chunk, 1, output, bytes);
}
Status CopyChunks(const MemoryChunk* chunks, uint32_t count, void* output, uint64_t bytes) {
  const iovec local = {output, bytes};
  const ssize_t copied = process_vm_readv(getpid(), &local, 1, reinterpret_cast<const iovec*>(chunks), count, 0);
  return copied == static_cast<ssize_t>(bytes) ? Status::kOk : Status::kUnreadable;
}
uint64_t CopyReadable(int32_t, const MemoryChunk* chunks, uint32_t count, void* output, uint64_t bytes) {
  const iovec local = {output, bytes};
  const ssize_t copied = process_vm_readv(getpid(), &local, 1, reinterpret_cast<const iovec*>(chunks), count, 0);
  return copied > 0 ? static_cast<uint64_t>(copied) : 0;
}
uint64_t PageBytes() { return 4096; }
uint64_t LearnPageBytes() { return PageBytes(); }

int32_t CurrentThreadId() { return t_tid != 0 ? t_tid : static_cast<int32_t>(syscall(SYS_gettid)); }
int32_t CurrentProcessId() { return static_cast<int32_t>(getpid()); }
void WaitOnWord(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t timeout_ns) {
  if (std::exchange(t_has_run_scan_action, false)) g_wait_ns = timeout_ns;
  const timespec timeout = {static_cast<time_t>(timeout_ns / 1000000000), static_cast<long>(timeout_ns % 1000000000)};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &timeout, nullptr, 0);
}
void WakeWord(const std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}
void SleepNs(uint64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

}  // namespace platform
}  // namespace softlbr

extern "C" void softlbr_call_on_stack(void*, void (*function)(void*), void* argument) { function(argument); }
