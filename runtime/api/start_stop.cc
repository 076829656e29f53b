#include "runtime/api/start_stop.h"

#include <atomic>

#include "platform/base/attributes.h"
#include "platform/file.h"
#include "platform/helper.h"
#include "platform/memory_map.h"
#include "platform/thread_list.h"
#include "runtime/modules/own_code.h"
#include "runtime/session/session.h"
#include "runtime/session/session_hooks.h"
#include "runtime/session/session_memory.h"
#include "runtime/watch/control_loop.h"
#include "runtime/watch/late_traps.h"
#include "runtime/watch/pacing.h"
#include "runtime/watch/profile_output.h"
#include "runtime/watch/thread_registry.h"
#include "runtime/watch/timer_sampling.h"

namespace softlbr {
namespace {

// For softlbr_get_session_id, of any thread.
SOFTLBR_CONSTINIT std::atomic<uint64_t> g_last_session{0};
SOFTLBR_CONSTINIT std::atomic<int32_t> g_last_process{0};

void DescribeSession(Session* session, platform::SampleEvent event, const softlbr_decoder_plugin* plugin) {
  const SessionSettings& settings = session->settings;
  SessionInfo& info = session->info;
  info.arch = plugin->arch;
  info.event = static_cast<uint8_t>(event);
  info.resolve = settings.resolve;
  info.frequency_hz = settings.options.frequency_hz;
  info.period = WantedPeriod(settings.options, event);
  info.branches_per_trace = settings.options.branches_per_trace;
  info.has_breakpoints = (settings.options.flags & SOFTLBR_NO_BREAKPOINTS) == 0 ? 1 : 0;  // until the self-test
  info.start_time_unix_s = platform::UnixSeconds();
  info.session_id = platform::Ticks() * 0x9e3779b97f4a7c15ull ^ static_cast<uint64_t>(session->process_id) << 32 ^
                    info.start_time_unix_s;
}

void DescribeEnvironment(Session* session, const softlbr_decoder_plugin* plugin) {
  const SessionSettings& settings = session->settings;
  TraceEnvironment& environment = session->environment;
  environment.plugin = plugin;
  environment.forbidden_count = ListOwnCode(plugin, environment.forbidden);
  environment.period.store(session->info.period, std::memory_order_relaxed);
  environment.is_period_random = (settings.options.flags & SOFTLBR_FIXED_PERIOD) == 0;
  environment.branches_per_trace = settings.options.branches_per_trace;
  environment.entries_per_trace = settings.options.branches_per_trace + kTraceParts;
  if (environment.entries_per_trace > kTraceBufferEntries - 1) environment.entries_per_trace = kTraceBufferEntries - 1;
  environment.resolve = settings.resolve;
  environment.distrust.store(kDistrustSamples, std::memory_order_relaxed);
  environment.verify_every = settings.options.verify_every != 0 ? settings.options.verify_every : kDefaultVerifyEvery;
}

Status InitOutput(Session* session, const RegionPlan& plan) {
  void* workspace = reinterpret_cast<uint8_t*>(session) + plan.aggregator;
  const Status status =
      session->output.aggregator.Init(workspace, plan.bytes - plan.aggregator, AggregatorSizesOf(session->settings));
  return status == Status::kOk ? InitWriter(session) : status;
}

enum class ControlPlace { kHelperThatLends, kHelperThatShares, kHost };

// Runs the control thread in one of its places, and waits until it is ready.
Status StartControl(Session* session, ControlPlace place) {
  ControlThread& control = session->control;
  control.tid = platform::CurrentThreadId();
  control.is_ready.store(0, std::memory_order_relaxed);
  control.is_complete.store(0, std::memory_order_relaxed);
  control.thread.is_helper = place != ControlPlace::kHost;
  control.thread.kept_fd = place == ControlPlace::kHelperThatLends ? session->settings.options.sink_fd : -1;
  const Status status = g_session_hooks.start_thread(&control.thread, RunControlLoop, session,
                                                     MemoryOf(session)->control_stack, kControlStackBytes);
  if (status != Status::kOk) return status;
  uint32_t state = 0;
  while ((state = control.is_ready.load(std::memory_order_acquire)) == 0 || state == kControlLends) {
    if (state == kControlLends) {
      const bool is_lent = session->timers.is_active ? platform::MayBorrow(control.thread.kept_fd)
                                                     : platform::IsSamplerOurs(control.trial);
      control.is_ready.store(is_lent ? 0 : kControlRefused, std::memory_order_release);
      platform::WakeWord(&control.is_ready);
      continue;
    }
    constexpr uint64_t kReadyWaitNs = 10000000;
    platform::WaitOnWord(&control.is_ready, 0, kReadyWaitNs);
    if (platform::HasHelperEnded(control.thread)) break;  // killed: a sandbox may do that
  }
  if (state == kControlReady) return status;
  platform::JoinRuntimeThread(&control.thread);
  (void)CloseAllSlots(session);  // of a helper that was killed
  return Status::kPermissionDenied;
}

// Installs the trap handler, publishes the session and starts the control thread. On failure all of it is undone.
Status Launch(Session* session) {
  Status status = platform::InstallTrapHandler(g_session_hooks.dispatch_trap);
  if (status != Status::kOk) return status;
  PublishSession(session);
  const bool is_timer = static_cast<platform::SampleEvent>(session->info.event) == platform::SampleEvent::kThreadTimer;
  for (auto place : {ControlPlace::kHelperThatLends, ControlPlace::kHelperThatShares, ControlPlace::kHost}) {
    if (place != ControlPlace::kHost && is_timer) continue;
    const softlbr_options& options = session->settings.options;
    const bool must_share = options.sink != nullptr || (options.flags & SOFTLBR_SHARE_DESCRIPTORS) != 0;
    if (place == ControlPlace::kHelperThatLends && must_share) continue;
    status = StartControl(session, place);
    if (status != Status::kOk) continue;
    // those of all threads, unless there are hundreds
    for (uint32_t i = kTimersAtOnce; i != 0; --i) ServeTimerWishes(session);
    return status;
  }
  (void)WithdrawSession();
  platform::RestoreTrapHandler();
  return status;
}

void ReleaseRegion(Session* session) {
  platform::ForgetRuntimeThread();
  if (session->mapped_bytes != 0) platform::UnmapMemory(session, session->mapped_bytes);
}

// The caller holds the claim.
Status StartClaimedSession(const SessionSettings& settings, const softlbr_decoder_plugin* plugin, int* system_error) {
  if (plugin == nullptr) return Status::kNoDecoder;
  const int32_t process_id = platform::BecomeHost();
  if (settings.options.sink == nullptr && !platform::IsOpenForWriting(settings.options.sink_fd))
    return Status::kInvalidArgument;
  platform::SampleEvent event{};
  Status status =
      platform::ChooseSampleEvent(static_cast<platform::SampleEvent>(settings.options.event), &event, system_error);
  if (status != Status::kOk) return status;
  const int64_t threads = platform::ThreadCount();
  if (threads < 0) {  // the thread timer needs no descriptor, but the list of threads does
    *system_error = static_cast<int>(-threads);
    return threads == platform::kNoDescriptorLeft ? Status::kNoDescriptor : Status::kSystemError;
  }
  *system_error = 0;

  const RegionPlan plan = PlanRegion(settings);
  void* region = settings.options.region;
  if (region != nullptr) {
    if (reinterpret_cast<uint64_t>(region) % SOFTLBR_REGION_ALIGNMENT != 0) return Status::kMisalignedRegion;
    if (settings.options.region_bytes < plan.bytes) return Status::kNotEnoughMemory;
    ClearRegion(region);
  } else {
    region = platform::MapMemory(plan.bytes, true);
    if (region == nullptr) return Status::kNotEnoughMemory;
  }
  auto* session = static_cast<Session*>(region);
  session->first_seal = session->last_seal = session;
  session->settings = settings;
  if (settings.options.region == nullptr) session->mapped_bytes = plan.bytes;
  session->process_id = process_id;
  if (settings.options.sink == nullptr) session->sink_identity = platform::FileIdentity(settings.options.sink_fd);
  LayOutRegion(session, plan);
  platform::CalibrateTicks();
  DescribeSession(session, event, plugin);
  DescribeEnvironment(session, plugin);
  BeginWithTimers(session, static_cast<uint64_t>(threads));

  status = Status::kIncompatiblePlugin;
  softlbr_decoder** decoder = &session->environment.decoder;
  if (plugin->open(MemoryOf(session)->decoder_arena, kDecoderArenaBytes, SOFTLBR_DECODER_VARIANT_HOST, decoder) ==
      SOFTLBR_DECODER_OK) {
    status = InitOutput(session, plan);
    const uint64_t last = g_last_session.load(std::memory_order_relaxed);
    const int32_t last_process = g_last_process.load(std::memory_order_relaxed);
    // Before the launch: the session may have ended before this thread goes on.
    g_last_session.store(session->info.session_id, std::memory_order_relaxed);
    g_last_process.store(process_id, std::memory_order_release);
    if (status == Status::kOk) status = Launch(session);
    if (status != Status::kOk) {
      g_last_session.store(last, std::memory_order_relaxed);
      g_last_process.store(last_process, std::memory_order_release);
    }
    if (status != Status::kOk) plugin->close(*decoder);
  }
  if (status == Status::kOk) return status;
  if (status == Status::kSystemError) *system_error = session->control.thread.error;
  ReleaseRegion(session);
  return status;
}

}  // namespace

bool LastSessionId(uint64_t* id) {
  const int32_t process = g_last_process.load(std::memory_order_acquire);
  *id = g_last_session.load(std::memory_order_relaxed);
  return process != 0 && process == platform::CurrentProcessId();
}

void LeaveLibraryOut() { OwnWholeLibrary(); }

Status StartSession(const SessionSettings& settings, const softlbr_decoder_plugin* plugin, int* system_error) {
  *system_error = 0;
  if (!ClaimForStart()) return Status::kWrongState;
  const bool were_ticks_forbidden = platform::AllowTicks();  // the control thread inherits what this thread may do
  const Status status = StartClaimedSession(settings, plugin, system_error);
  if (were_ticks_forbidden) platform::ForbidTicks();
  ReleaseClaim();
  return status;
}

Status StopClaimedSession(Session* session) {
  if (!IsIntact(session)) {  // the memory stays mapped and our handler installed: the events may still be on
    (void)WithdrawSession();
    return Status::kSinkFailed;
  }
  session->control.stop_requested.store(1, std::memory_order_release);
  WakeControlThread(&session->environment);
  platform::JoinRuntimeThread(&session->control.thread);
  // Slots that a killed helper left open, or whose thread was in the handler too long.
  const bool were_closed = CloseAllSlots(session);
  const bool is_complete = session->control.is_complete.load(std::memory_order_acquire) != 0;
  if (!is_complete) {
    platform::CloseFilesOfKilledHelper();
    CloseFences(session);
  }
  if (!is_complete || !were_closed) {
    // The kernel closes a helper's events a moment after its end, and nobody else can turn them off.
    for (uint32_t polls = kStopWaitNs / kStopPollNs; polls != 0 && platform::IsHelperAlive(session->control.tid);
         --polls) {
      platform::SleepNs(kStopPollNs);
    }
  }

  const bool is_unused = WithdrawSession();
  const bool is_replaced =
      !platform::IsTrapHandlerInstalled() ||
      (session->environment.sampling_disabled.load(std::memory_order_relaxed) & kDisabledHandlerReplaced) != 0;
  const bool has_sink_failures =
      session->totals.lost[static_cast<uint32_t>(LossReason::kSinkFailed)].load(std::memory_order_relaxed) != 0;
  if (is_unused) {  // else a thread is stuck inside the handler, and the memory must stay mapped
    // A thread may have left the handler only now, and then its events are still on: they would outlive the handler.
    (void)CloseAllSlots(session);
    DeleteTimers(session);
    platform::RestoreTrapHandler(is_complete && were_closed && session->late_traps.is_complete);
    session->environment.plugin->close(session->environment.decoder);
    ReleaseRegion(session);
  }
  if (!is_unused) return Status::kSystemError;
  if (has_sink_failures || !is_complete) return Status::kSinkFailed;
  return is_replaced ? Status::kHandlerReplaced : Status::kOk;
}

}  // namespace softlbr
