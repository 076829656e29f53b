#include "runtime/session/session.h"

#include "platform/breakpoint.h"
#include "platform/call_on_stack.h"
#include "platform/file.h"
#include "platform/memory_map.h"
#include "platform/sampler.h"
#include "platform/thread_list.h"
#include "runtime/modules/own_code.h"
#include "runtime/session/calibration.h"
#include "runtime/session/control_loop.h"
#include "runtime/session/thread_registry.h"

namespace softlbr {
namespace {

// The one mutable global of the runtime. All zero: no session.
struct RuntimeState {
  std::atomic<Session*> session;
  std::atomic<uint32_t> handlers_active;  // threads inside DispatchTrap
};
SOFTLBR_CONSTINIT RuntimeState g_runtime{};

constexpr uint64_t kPageBytes = 65536;  // the region is whole pages, of the largest size in use

constexpr uint64_t RoundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

uint64_t DefaultPeriod(platform::SampleEvent event) {
  // Primes, so that the period shares no factor with a loop's length.
  switch (event) {
    case platform::SampleEvent::kTakenBranches:
    case platform::SampleEvent::kBranches: return 500009;
    case platform::SampleEvent::kInstructions:
    case platform::SampleEvent::kCycles: return 2000003;
    default: return 5000011;  // ns: about 200 Hz
  }
}

SOFTLBR_HANDLER_SAFE void CountLoss(Session* session, LossReason reason) {
  // Unowned: losses of this kind are rare, an occasional missed count of a count is borne.
  AddTo(&session->lost[static_cast<uint32_t>(reason)], 1);
}

struct OwnTrap {
  Session* session;
  ThreadSlot* slot;
  const platform::Trap* trap;
};

// The trap is this thread's and this session's.
SOFTLBR_HANDLER_SAFE void Serve(void* own_trap) {
  const auto* own = static_cast<const OwnTrap*>(own_trap);
  ThreadSlot* slot = own->slot;
  if (!TakeOwnership(&slot->owner, SlotOwner::kHandler)) {
    CountLoss(own->session, LossReason::kLateHit);  // the control thread is taking the trace away
    return;
  }
  if (slot->state.load(std::memory_order_relaxed) == SlotState::kLive) {
    if (own->trap->kind == platform::TrapKind::kSample) {
      OnSample(&own->session->environment, slot, *own->trap);
    } else {
      OnHit(&own->session->environment, slot, *own->trap);
    }
  }
  slot->owner.store(SlotOwner::kIdle, std::memory_order_seq_cst);
}

// The same, where the thread has too little stack: on one of ours. Every program in Rust gives its threads an alternate stack of
// 8 KiB, of which the kernel's frame takes up to three and a half.
SOFTLBR_HANDLER_SAFE void ServeOnOurStack(OwnTrap* own) {
  Session* session = own->session;
  const uint32_t free = ~session->busy_stacks.load(std::memory_order_relaxed) & ((1u << kHandlerStacks) - 1);
  const uint32_t bit = free & (0 - free);
  if (bit == 0 || (session->busy_stacks.fetch_or(bit, std::memory_order_acquire) & bit) != 0) {
    CountLoss(session, LossReason::kSmallStack);
    return;
  }
  uint8_t* end = session->stacks + (static_cast<uint64_t>(__builtin_ctz(bit)) + 1) * kHandlerStackBytes;
  softlbr_call_on_stack(end, Serve, own);
  session->busy_stacks.fetch_and(~bit, std::memory_order_release);
}

// Trap callback; see platform/trap_signal.h. Handler.
SOFTLBR_HANDLER_SAFE bool DispatchTrap(const platform::Trap& trap) {
  if (trap.kind == platform::TrapKind::kForeign || !IsOurSigData(trap.sig_data)) return false;
  // Before the session is looked at: StopSession clears it, then waits for this count to fall to zero.
  g_runtime.handlers_active.fetch_add(1, std::memory_order_seq_cst);
  Session* session = g_runtime.session.load(std::memory_order_seq_cst);
  if (session != nullptr) {
    const uint32_t index = SlotOfSigData(trap.sig_data);
    if (index == kCalibrationSlot) {
      OnCalibrationTrap(trap);
    } else if (index < session->slot_count.load(std::memory_order_acquire)) {
      OwnTrap own{session, &session->slots[index], &trap};
      if (own.slot->tid != platform::CurrentThreadId()) {
        // A forked or vforked child holding our memory: inert.
      } else if (trap.is_stack_short) {
        ServeOnOurStack(&own);
      } else {
        Serve(&own);
      }
    }
  }
  g_runtime.handlers_active.fetch_sub(1, std::memory_order_seq_cst);
  return true;
}

AggregatorSizes SizesFor(const SessionSettings& settings) {
  AggregatorSizes sizes;
  if (settings.keep_traces) sizes.trace_entries = kTraceLogEntries;
  return sizes;
}

template <typename T>
T* At(Session* session, uint64_t offset) {
  return reinterpret_cast<T*>(static_cast<uint8_t*>(session->region) + offset);
}

void LayOut(Session* session) {
  const RegionPlan& plan = session->plan;
  session->environment.cache = At<BlockCache>(session, plan.cache);
  InitBlockCache(session->environment.cache, At<uint8_t>(session, plan.cache_store), kBlockCacheBytes);
  session->code_maps = At<CodeMap>(session, plan.code_maps);
  session->environment.code_map.store(&session->code_maps[0], std::memory_order_release);
  session->modules = At<ModuleTable>(session, plan.module_tables);
  session->environment.scratch_states.scratch_states = At<ScratchState>(session, plan.scratch_states);
  session->stacks = At<uint8_t>(session, plan.stacks);
  session->slots = At<ThreadSlot>(session, plan.slots);
  session->buffers = At<uint8_t>(session, plan.buffers);
  InitBufferPool(&session->environment.pool);
  for (uint64_t i = 0; i < kSpareBuffers; ++i) {
    PutFreeBuffer(
        &session->environment.pool,
        reinterpret_cast<TraceBuffer*>(session->buffers + (2ull * session->settings.max_threads + i) * kTraceBufferBytes));
  }
}

void DescribeSession(Session* session, platform::SampleEvent event, uint16_t arch) {
  SessionInfo& info = session->info;
  TraceEnvironment& environment = session->environment;
  const softlbr_options& options = session->settings.options;
  info.arch = arch;
  info.event = static_cast<uint8_t>(event);
  info.resolve = session->settings.resolve;
  info.frequency_hz = options.frequency_hz;
  uint64_t period = options.period != 0 ? options.period : DefaultPeriod(event);
  if (options.frequency_hz != 0 && platform::IsClock(event)) period = 1000000000ull / options.frequency_hz;
  if (period == 0) period = 1;
  info.period = period;
  info.branches_per_trace = session->settings.branches_per_trace;
  info.start_time_unix_s = platform::UnixSeconds();
  info.session_id =
      platform::Ticks() * 0x9e3779b97f4a7c15ull ^ static_cast<uint64_t>(session->process_id) << 32 ^ info.start_time_unix_s;
  environment.period.store(period, std::memory_order_relaxed);
  environment.is_period_random = (options.flags & SOFTLBR_FIXED_PERIOD) == 0;
  environment.branches_per_trace = session->settings.branches_per_trace;
  environment.entries_per_trace = environment.branches_per_trace + kTraceParts;
  if (environment.entries_per_trace > kTraceBufferEntries - 1) environment.entries_per_trace = kTraceBufferEntries - 1;
  environment.resolve = session->settings.resolve;
  environment.verify_every = options.verify_every != 0 ? options.verify_every : kDefaultVerifyEvery;
}

// True if this process may set execution breakpoints on its threads, tried on the calling one.
bool HasBreakpoints() {
  if (platform::IsDebuggerAttached()) return false;
  platform::Breakpoint trial;
  if (platform::OpenBreakpoint(platform::CurrentThreadId(), &trial) != Status::kOk) return false;
  platform::CloseBreakpoint(&trial);
  return true;
}

void ReleaseRegion(Session* session) {
  if (session->is_region_ours) platform::UnmapMemory(session->region, session->plan.bytes);
}

}  // namespace

Status ResolveSettings(const softlbr_options& options, SessionSettings* settings) {
  *settings = SessionSettings{};
  settings->options = options;
  if (options.struct_size != sizeof(softlbr_options)) return Status::kInvalidArgument;
  if (options.event >= platform::kSampleEventCount || options.resolve_plus_one > 1 + SOFTLBR_RESOLVE_LOOKAHEAD) {
    return Status::kInvalidArgument;
  }
  if (options.branches_per_trace > kMaxBranchesPerTrace || options.max_threads > kMaxThreads) {
    return Status::kInvalidArgument;
  }
  if (options.period != 0 && options.frequency_hz != 0) return Status::kInvalidArgument;
  constexpr uint64_t kMaxFrequencyHz = 100000;
  if (options.frequency_hz > kMaxFrequencyHz) return Status::kInvalidArgument;
  settings->max_threads = options.max_threads != 0 ? options.max_threads : kDefaultMaxThreads;
  const bool is_static = options.resolve_plus_one == 1 + SOFTLBR_RESOLVE_STATIC;
  settings->resolve = is_static ? ResolvePolicy::kStatic : ResolvePolicy::kLookahead;
  settings->branches_per_trace = options.branches_per_trace;
  if (settings->branches_per_trace == 0) {
    settings->branches_per_trace = is_static ? kDefaultStaticBranchesPerTrace : kDefaultBranchesPerTrace;
  }
  settings->keep_traces = (options.flags & SOFTLBR_KEEP_TRACES) != 0;
  settings->keep_paths = (options.flags & SOFTLBR_KEEP_PATHS) != 0;
  return Status::kOk;
}

RegionPlan PlanRegion(const SessionSettings& settings) {
  RegionPlan plan{};
  constexpr uint64_t kPartBytes = 4096;
  uint64_t at = RoundUp(sizeof(Session), kPartBytes);
  auto take = [&at](uint64_t bytes) {
    const uint64_t offset = at;
    at = RoundUp(at + bytes, kPartBytes);
    return offset;
  };
  plan.cache = take(sizeof(BlockCache));
  plan.cache_store = take(kBlockCacheBytes);
  plan.code_maps = take(2 * sizeof(CodeMap));
  plan.module_tables = take(2 * sizeof(ModuleTable));
  plan.aggregator = take(Aggregator::WorkspaceBytes(SizesFor(settings)));
  plan.writer = take(ProfileWriter::WorkspaceBytes());
  plan.arena = take(kDecoderArenaBytes);
  plan.control_stack = take(kControlStackBytes);
  plan.scratch_states = take(kScratchStates * sizeof(ScratchState));
  plan.stacks = take(kHandlerStacks * kHandlerStackBytes);
  plan.slots = take(settings.max_threads * sizeof(ThreadSlot));
  plan.buffers = take((2ull * settings.max_threads + kSpareBuffers) * kTraceBufferBytes);
  plan.bytes = RoundUp(at, kPageBytes);
  return plan;
}

Status InitWriter(Session* session) {
  return session->writer.Init(At<void>(session, session->plan.writer), ProfileWriter::WorkspaceBytes(), WriteToSink, session,
                              session->info);
}

Session* CurrentSession() {
  Session* session = g_runtime.session.load(std::memory_order_seq_cst);
  if (session == nullptr || session->process_id != platform::CurrentProcessId()) return nullptr;
  return session;
}

Status StartSession(const SessionSettings& settings, const softlbr_decoder_plugin* plugin, int* system_error) {
  *system_error = 0;
  const int32_t process_id = platform::CurrentProcessId();
  Session* previous = g_runtime.session.load(std::memory_order_seq_cst);
  if (previous != nullptr) {
    // A forked child inherits the pointer, not the session (its region is wiped or the parent's).
    if (previous->process_id == process_id) return Status::kWrongState;
    g_runtime.session.store(nullptr, std::memory_order_seq_cst);
    g_runtime.handlers_active.store(0, std::memory_order_seq_cst);
  }
  if (plugin == nullptr) return Status::kNoDecoder;

  platform::SampleEvent event{};
  const Status chosen =
      platform::ChooseSampleEvent(static_cast<platform::SampleEvent>(settings.options.event), &event, system_error);
  if (chosen != Status::kOk) return chosen;
  *system_error = 0;

  const RegionPlan plan = PlanRegion(settings);
  void* region = settings.options.region;
  if (region != nullptr && settings.options.region_bytes < plan.bytes) return Status::kNotEnoughMemory;
  if (region == nullptr) region = platform::MapMemory(plan.bytes, true);
  if (region == nullptr) return Status::kNotEnoughMemory;

  Session* session = static_cast<Session*>(region);
  session->settings = settings;
  session->plan = plan;
  session->region = region;
  session->is_region_ours = settings.options.region == nullptr;
  session->process_id = process_id;
  if (settings.options.sink == nullptr) session->sink_identity = platform::FileIdentity(settings.options.sink_fd);
  LayOut(session);
  platform::CalibrateTicks();
  DescribeSession(session, event, plugin->arch);
  session->info.has_breakpoints = (settings.options.flags & SOFTLBR_NO_BREAKPOINTS) == 0 && HasBreakpoints() ? 1 : 0;

  TraceEnvironment& environment = session->environment;
  environment.plugin = plugin;
  if (plugin->open(At<void>(session, plan.arena), kDecoderArenaBytes, SOFTLBR_DECODER_VARIANT_HOST, &environment.decoder) !=
      SOFTLBR_DECODER_OK) {
    ReleaseRegion(session);
    return Status::kIncompatiblePlugin;
  }
  environment.forbidden_count = ListOwnCode(plugin, environment.forbidden);

  const AggregatorSizes sizes = SizesFor(settings);
  Status status = session->aggregator.Init(At<void>(session, plan.aggregator), Aggregator::WorkspaceBytes(sizes), sizes);
  if (status == Status::kOk) {
    status = InitWriter(session);
  }
  if (status == Status::kOk) status = platform::InstallTrapHandler(DispatchTrap);
  if (status == Status::kOk) {
    g_runtime.session.store(session, std::memory_order_seq_cst);
    status = platform::StartRuntimeThread(&session->thread, RunControlLoop, session, At<void>(session, plan.control_stack),
                                          kControlStackBytes);
    if (status != Status::kOk) {
      g_runtime.session.store(nullptr, std::memory_order_seq_cst);
      platform::RestoreTrapHandler();
    }
  }
  if (status != Status::kOk) {
    plugin->close(environment.decoder);
    ReleaseRegion(session);
    return status;
  }
  while (session->is_ready.load(std::memory_order_acquire) == 0) {
    constexpr uint64_t kReadyWaitNs = 1000000000;
    platform::WaitOnWord(&session->is_ready, 0, kReadyWaitNs);
  }
  return Status::kOk;
}

Status StopSession() {
  Session* session = CurrentSession();
  if (session == nullptr) return Status::kWrongState;
  session->stop_requested.store(1, std::memory_order_release);
  session->environment.filled_signal.fetch_add(1, std::memory_order_release);
  platform::WakeWord(&session->environment.filled_signal);
  platform::JoinRuntimeThread(&session->thread);

  g_runtime.session.store(nullptr, std::memory_order_seq_cst);
  bool is_drained = true;
  uint64_t polls_left = kStopWaitNs / kStopPollNs;  // not a time: it ends without a clock too
  while (g_runtime.handlers_active.load(std::memory_order_seq_cst) != 0) {
    if (polls_left-- == 0) {
      is_drained = false;  // a thread was stopped inside the handler; its memory must stay
      break;
    }
    platform::SleepNs(kStopPollNs);
  }
  const bool has_sink_failures = session->sink_failures.load(std::memory_order_relaxed) != 0;
  if (is_drained) {
    platform::RestoreTrapHandler();
    session->environment.plugin->close(session->environment.decoder);
    ReleaseRegion(session);
  }
  return has_sink_failures ? Status::kSystemError : Status::kOk;
}

void CollectCounters(const Session& session, SessionCounters* counters) {
  SlotCounters sums{};
  const uint32_t used = session.slot_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < used; ++i) AddSlot(session.slots[i].counters, &sums);
  for (uint32_t i = 0; i < kLossReasonCount; ++i) sums.lost[i] += CounterValue(session.lost[i]);
  static_cast<HandlerCounters&>(*counters) = sums;
  // Ticks to time; rounds that were not timed because the thread was switched out inside count as the others' mean; and the
  // kernel's part of each trap, as measured at start.
  const uint64_t hits = sums.breakpoint_hits + sums.verify_hits;
  const uint64_t traps = sums.samples + hits;
  const uint64_t timed = traps > sums.untimed_rounds ? traps - sums.untimed_rounds : 1;
  auto to_ns = [traps, timed](uint64_t ticks) { return platform::TicksToNs(ticks) / timed * (traps > timed ? traps : timed); };
  counters->overhead_sampling_ns = to_ns(sums.sampling_ticks) + sums.samples * session.costs.sample_ns;
  counters->overhead_evaluating_ns = to_ns(sums.evaluating_ticks);
  counters->overhead_lifting_ns = to_ns(sums.lifting_ticks);
  counters->overhead_breakpoints_ns = to_ns(sums.breakpoint_ticks) + hits * session.costs.hit_ns;
  counters->overhead_total_ns = counters->overhead_sampling_ns + counters->overhead_evaluating_ns + counters->overhead_lifting_ns +
                                counters->overhead_breakpoints_ns;
  counters->threads_traced = CounterValue(session.threads_traced);
  counters->threads_untraced = session.untraced_count;
  counters->duration_ns = platform::MonotonicNs() - session.start_ns;
  counters->app_cpu_ns = platform::ProcessCpuTimeNs() - session.start_cpu_ns;
  counters->lost[static_cast<uint32_t>(LossReason::kSinkFailed)] += session.sink_failures.load(std::memory_order_relaxed);
}

}  // namespace softlbr
