// The C API of libsoftlbr_control.a (runtime/include/softlbr/control.h), its thread and its socket's name.
#include <stdlib.h>

#include "platform/base/attributes.h"
#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/folder.h"
#include "platform/local_socket.h"
#include "platform/thread.h"
#include "runtime/include/softlbr/control.h"
#include "runtime/modules/own_build_id.h"
#include "runtime/trigger/control_lock.h"
#include "runtime/trigger/control_schedule.h"
#include "runtime/trigger/control_server.h"

namespace softlbr {
namespace {

constexpr uint32_t kFlags = SOFTLBR_CONTROL_NO_THREAD;
constexpr uint32_t kFewestOptionBytes = offsetof(softlbr_control_options, condition);  // of the first version
constexpr uint32_t kMostOptionBytes = 4096;
constexpr uint32_t kFolderBytes = 1024;
constexpr uint32_t kNameBytes = 80;
constexpr uint32_t kWholePpm = 1000000;
constexpr uint32_t kStackBytes = 65536;  // its pages are touched only if the thread runs
constexpr int kNoDescriptorLeft = 24;    // EMFILE
constexpr int kNotPermitted = 1;         // EPERM
constexpr int kNotThere = 2;             // ENOENT
constexpr int kNoAccess = 13;            // EACCES
constexpr int kIsThere = 17;             // EEXIST
constexpr int kNoSpace = 28;             // ENOSPC
constexpr int kReadOnly = 30;            // EROFS
constexpr int kNameTooLong = 36;         // ENAMETOOLONG
constexpr int kAddressUsed = 98;         // EADDRINUSE
constexpr int kQuotaSpent = 122;         // EDQUOT

struct ControlState {
  std::atomic<bool> is_started;
  bool has_thread;
  std::atomic<uint32_t> is_stopping;
  std::atomic<int32_t> poll_fd_plus_one;  // for softlbr_control_descriptor, of any thread
  platform::RuntimeThread thread;
  char folder[kFolderBytes];
  char name[kNameBytes];
  ControlServer server;
  alignas(64) char stack[kStackBytes];
};
SOFTLBR_CONSTINIT ControlState g_control{};

// Text in a buffer of fixed size, always terminated.
class TextBuffer {
 public:
  TextBuffer(char* to, uint32_t bytes) : to_(to), left_(bytes - 1) { *to_ = '\0'; }
  void Add(const char* text) {
    while (*text != '\0') AddOne(*text++);
  }
  void AddNumber(uint32_t number) {
    if (number >= 10) AddNumber(number / 10);
    AddOne(static_cast<char>('0' + number % 10));
  }
  bool is_whole() const { return is_whole_; }

 private:
  void AddOne(char c) {
    is_whole_ = is_whole_ && left_ != 0;
    if (!is_whole_) return;
    *to_++ = c;
    *to_ = '\0';
    --left_;
  }
  char* to_;
  uint32_t left_;
  bool is_whole_ = true;
};

// Of a step of the start, about the socket's folder or the socket.
int StatusOf(long error) {
  switch (error) {
    case platform::kIsNoFolder: return SOFTLBR_FOLDER_IS_LINK;
    case platform::kOfAnother: return SOFTLBR_FOLDER_OF_ANOTHER;
    case platform::kOpenToOthers: return SOFTLBR_FOLDER_OPEN_TO_OTHERS;
    case -kNotThere: return SOFTLBR_FOLDER_MISSING;
    case -kNotPermitted:
    case -kNoAccess:
    case -kNoSpace:
    case -kQuotaSpent:
    case -kReadOnly: return SOFTLBR_FOLDER_NOT_WRITABLE;
    case -kIsThere: return SOFTLBR_SOCKET_NAME_TAKEN;
    case -kAddressUsed: return SOFTLBR_SOCKET_IN_USE;
    case -kNoDescriptorLeft: return SOFTLBR_NO_DESCRIPTOR;
    case -kNameTooLong: return SOFTLBR_INVALID_ARGUMENT;
    default: return SOFTLBR_SYSTEM_ERROR;
  }
}

// The same, about the state file.
int StatusOfState(long error) {
  switch (error) {
    case -kNotThere:
    case platform::kIsNoFolder:
    case platform::kOfAnother:
    case platform::kOpenToOthers: return SOFTLBR_STATE_FOLDER_NOT_PRIVATE;
    case -kNoDescriptorLeft: return SOFTLBR_NO_DESCRIPTOR;
    default: return SOFTLBR_STATE_NOT_KEPT;
  }
}

// As session_settings.cc has it: fields are only ever added at the end.
bool TakeOptions(const softlbr_control_options& from, softlbr_control_options* options) {
  const uint32_t bytes = from.struct_size;
  if (bytes < kFewestOptionBytes || bytes > kMostOptionBytes) return false;
  const auto* source = reinterpret_cast<const unsigned char*>(&from);
  for (uint32_t i = sizeof *options; i < bytes; ++i) {
    if (source[i] != 0) return false;
  }
  *options = {};
  CopyBytes(options, source, bytes < sizeof *options ? bytes : sizeof *options);
  const bool has_output = options->sink != nullptr || options->open_sink != nullptr;
  if (options->sink != nullptr && options->open_sink != nullptr) return false;
  return (options->flags & ~kFlags) == 0 && options->largest_overhead_ppm <= kWholePpm &&
         (options->region == nullptr) == (options->region_bytes == 0) && options->reserved == 0 &&
         options->reserved2 == 0 && (options->schedule == nullptr) == (options->schedule_every_ms == 0) &&
         (options->schedule == nullptr || has_output) &&
         (options->verify == nullptr || (has_output && options->state_file != nullptr));
}

// `softlbr trigger` has the same default folder.
bool NameFolder(const char* given, char* folder) {
  TextBuffer text(folder, kFolderBytes);
  if (given != nullptr) {
    text.Add(given);
  } else {
    const char* runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime != nullptr && runtime[0] == '/') {
      text.Add(runtime);
      text.Add("/softlbr");
    } else {
      text.Add("/tmp/softlbr-");
      text.AddNumber(platform::EffectiveUserId());
    }
  }
  return text.is_whole() && folder[0] == '/';
}

// The program's name with every character that a socket's name may not have replaced, shortened to fit.
void NameProgram(const char* given, char* program) {
  char own[kProgramNameBytes] = {};
  if (given == nullptr) {
    const int fd = static_cast<int>(platform::OpenForRead("/proc/self/comm"));
    if (fd >= 0) {
      const long got = platform::ReadSome(fd, own, sizeof own - 1);
      own[got > 0 ? got - 1 : 0] = '\0';  // without the newline
      platform::CloseFile(fd);
    }
    given = own;
  }
  uint32_t i = 0;
  for (; i < kProgramNameBytes - 1 && given[i] != '\0'; ++i) {
    const char c = given[i];
    const bool is_kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '+';
    program[i] = is_kept ? c : '_';
  }
  if (i == 0) program[i++] = '_';
  FillBytes(program + i, 0, kProgramNameBytes - i);
}

void NameSocket(const char* program, char* name) {
  TextBuffer text(name, kNameBytes);
  text.Add("softlbr.");
  text.Add(program);
  text.Add(".");
  text.AddNumber(static_cast<uint32_t>(platform::CurrentProcessId()));
  text.Add(".sock");
}

// As with softlbr_control_options. False: a value that no session can have.
bool TakeSession(const softlbr_control_session& from, StartRequest* start, uint32_t* skip_ppm) {
  softlbr_control_session session = {};
  if (from.struct_size < sizeof session || from.struct_size > kMostOptionBytes) return false;
  const auto* source = reinterpret_cast<const unsigned char*>(&from);
  for (uint32_t i = sizeof session; i < from.struct_size; ++i) {
    if (source[i] != 0) return false;
  }
  CopyBytes(&session, source, sizeof session);
  *start = StartRequest{session.event,
                        session.branches_per_trace,
                        session.period,
                        session.frequency_hz,
                        session.duration_ms,
                        session.max_overhead_ppm,
                        0};
  *skip_ppm = session.skip_ppm;
  return IsStartInRange(*start) && session.skip_ppm <= kWholePpm && session.reserved == 0;
}

int StatusOfRefusal(Refusal refusal, const RefusalDetail& detail, uint32_t* code) {
  if (code != nullptr) *code = static_cast<uint32_t>(refusal);
  switch (refusal) {
    case Refusal::kNone: return SOFTLBR_OK;
    case Refusal::kNotStarted: return static_cast<int>(detail.status);
    case Refusal::kSessionRuns: return SOFTLBR_WRONG_STATE;
    default: return SOFTLBR_PERMISSION_DENIED;
  }
}

uint64_t OrDefault(uint64_t value, uint64_t otherwise) { return value != 0 ? value : otherwise; }

void ThreadMain(void*) {
  while (g_control.is_stopping.load(std::memory_order_acquire) == 0 && Serve(&g_control.server, -1)) {
  }
}

bool IsStarted() { return g_control.is_started.load(std::memory_order_acquire); }

bool IsOurs() { return IsStarted() && g_control.server.pid == platform::CurrentProcessId(); }

void RemoveOurSocket() {
  const long folder = platform::OpenPrivateFolder(g_control.folder, false);
  if (folder < 0) return;
  platform::RemoveSocket(static_cast<int>(folder), g_control.name);
  platform::CloseFile(static_cast<int>(folder));
}

int Start(const softlbr_control_options& options) {
  if (IsOurs()) return SOFTLBR_WRONG_STATE;
  if (IsStarted()) {  // the parent's
    ForgetServer(&g_control.server);
    g_control.server.lock.store(0, std::memory_order_relaxed);
    g_control.thread.tid.store(0, std::memory_order_relaxed);
    g_control.is_started.store(false, std::memory_order_release);
  }
  if (!NameFolder(options.folder, g_control.folder)) return SOFTLBR_INVALID_ARGUMENT;
  ControlServer& server = g_control.server;
  ControlSession& session = server.session;
  session.every_ms = options.schedule_every_ms;
  if (options.schedule != nullptr) {
    if (!TakeSession(*options.schedule, &session.scheduled, &session.scheduled_skip_ppm))
      return SOFTLBR_INVALID_ARGUMENT;
    const uint32_t duration_ms = session.scheduled.duration_ms;
    // The next session may be due half an interval later; until then this one must have ended.
    if (duration_ms == 0 || duration_ms > session.every_ms / 2 || session.every_ms > kLongestEveryMs)
      return SOFTLBR_INVALID_ARGUMENT;
  }
  if (!SetStatePlace(options.state_file, &session.place)) return SOFTLBR_INVALID_ARGUMENT;
  NameProgram(options.program, server.program);
  NameSocket(server.program, g_control.name);
  session.policy =
      ControlPolicy{static_cast<uint32_t>(OrDefault(options.longest_session_ms, kDefaultLongestSessionMs)),
                    static_cast<uint32_t>(OrDefault(options.largest_overhead_ppm, kDefaultLargestOverheadPpm)),
                    OrDefault(options.densest_period, kDefaultDensestPeriod),
                    OrDefault(options.highest_frequency_hz, kDefaultHighestFrequencyHz)};
  session.budgets = ControlBudgets{options.budget_hour_ms, options.budget_day_ms, options.budget_week_ms};
  session.region = options.region;
  session.region_bytes = options.region_bytes;
  session.condition = options.condition;
  session.condition_cookie = options.condition_cookie;
  session.sink = options.sink;
  session.sink_cookie = options.sink_cookie;
  session.open_sink = options.open_sink;
  session.open_cookie = options.open_cookie;
  session.ended = options.ended;
  session.ended_cookie = options.ended_cookie;
  session.verify = options.verify;
  session.verify_cookie = options.verify_cookie;
  CopyBytes(session.receiver.app, server.program, sizeof session.receiver.app);
  FillBytes(session.receiver.build_id, 0, kBuildIdBytes);
  session.receiver.build_id_bytes = ReadOwnBuildId(session.receiver.build_id, kBuildIdBytes);
  const long folder = platform::OpenPrivateFolder(g_control.folder, options.folder == nullptr);
  if (folder < 0) return StatusOf(folder);
  const long tried = TryState(&session);
  const long opened = tried != 0 ? tried : OpenServer(&server, static_cast<int>(folder), g_control.name);
  platform::CloseFile(static_cast<int>(folder));
  if (tried != 0) return StatusOfState(tried);
  // the socket's address is below /proc
  if (opened < 0) return opened == -kNotThere ? SOFTLBR_SYSTEM_ERROR : StatusOf(opened);
  g_control.is_stopping.store(0, std::memory_order_relaxed);
  g_control.has_thread = (options.flags & SOFTLBR_CONTROL_NO_THREAD) == 0;
  if (g_control.has_thread && platform::StartRuntimeThread(&g_control.thread, ThreadMain, nullptr, g_control.stack,
                                                           kStackBytes) != Status::kOk) {
    CloseServer(&server);
    RemoveOurSocket();
    return SOFTLBR_SYSTEM_ERROR;
  }
  g_control.is_started.store(true, std::memory_order_release);
  g_control.poll_fd_plus_one.store(server.events + 1, std::memory_order_release);
  return SOFTLBR_OK;
}

int Stop() {
  if (!IsOurs()) return SOFTLBR_WRONG_STATE;
  g_control.poll_fd_plus_one.store(0, std::memory_order_release);
  g_control.is_stopping.store(1, std::memory_order_release);
  platform::ShutSocket(g_control.server.listener);  // wakes the thread
  if (g_control.has_thread) platform::JoinRuntimeThread(&g_control.thread);
  {
    const HoldLock hold(&g_control.server.lock);
    CloseServer(&g_control.server);
    g_control.is_started.store(false, std::memory_order_release);
  }
  RemoveOurSocket();
  return SOFTLBR_OK;
}

softlbr_control_counters ReadCounters() {
  const ControlTotals& totals = g_control.server.session.totals;
  const auto read = [](const std::atomic<uint64_t>& count) { return count.load(std::memory_order_relaxed); };
  softlbr_control_counters counters = {};
  counters.connections = read(totals.connections);
  counters.sessions = read(totals.sessions);
  counters.sessions_cancelled = read(totals.cancelled);
#define SOFTLBR_CONTROL_REFUSAL(name, counter, number, meaning, remedy) \
  counters.refused_##counter += read(totals.refused[static_cast<uint32_t>(Refusal::name)]);
#include "runtime/trigger/control_refusals.def"
  counters.sessions_skipped = read(totals.skipped);
  counters.states_lost = read(totals.states_lost);
  for (uint32_t i = 0; i < kRefusalCount; ++i) counters.refused[i] = read(totals.refused[i]);
  return counters;
}

#define SOFTLBR_CONTROL_REFUSAL(name, counter, number, meaning, remedy) \
  static_assert(number < SOFTLBR_CONTROL_REFUSALS, "raise the array in softlbr/control.h");
#include "runtime/trigger/control_refusals.def"
static_assert(SOFTLBR_CONTROL_SINK_NOT_OPENED + 1 == kRefusalCount, "name the refusal in softlbr/control.h");

}  // namespace
}  // namespace softlbr

extern "C" {

SOFTLBR_EXPORT int softlbr_control_start(const softlbr_control_options* given) {
  softlbr_control_options options;
  if (given == nullptr || !softlbr::TakeOptions(*given, &options)) return SOFTLBR_INVALID_ARGUMENT;
  return softlbr::Start(options);
}

SOFTLBR_EXPORT int softlbr_control_stop(void) { return softlbr::Stop(); }

SOFTLBR_EXPORT int softlbr_control_descriptor(void) {
  return softlbr::g_control.poll_fd_plus_one.load(std::memory_order_acquire) - 1;
}

SOFTLBR_EXPORT int softlbr_control_poll(void) {
  using namespace softlbr;
  if (!IsOurs() || g_control.has_thread) return SOFTLBR_WRONG_STATE;
  return Serve(&g_control.server, 0) ? SOFTLBR_OK : SOFTLBR_SYSTEM_ERROR;
}

SOFTLBR_EXPORT int softlbr_control_run(const softlbr_control_session* given, uint32_t* code) {
  using namespace softlbr;
  if (code != nullptr) *code = 0;
  if (!IsOurs()) return SOFTLBR_WRONG_STATE;
  StartRequest start;
  uint32_t skip_ppm;
  if (given == nullptr || !TakeSession(*given, &start, &skip_ppm)) return SOFTLBR_INVALID_ARGUMENT;
  const HoldLock hold(&g_control.server.lock);
  if (!IsStarted()) return SOFTLBR_WRONG_STATE;
  const ControlSession& session = g_control.server.session;
  if (session.sink == nullptr && session.open_sink == nullptr) return SOFTLBR_INVALID_ARGUMENT;
  RefusalDetail detail;
  const Refusal refusal = BeginOrSkip(&g_control.server.session, start, skip_ppm, &detail);
  return StatusOfRefusal(refusal, detail, code);
}

SOFTLBR_EXPORT int softlbr_control_request(const void* bytes, size_t size, uint32_t* code) {
  using namespace softlbr;
  if (code != nullptr) *code = 0;
  if (!IsOurs()) return SOFTLBR_WRONG_STATE;
  if (bytes == nullptr) return SOFTLBR_INVALID_ARGUMENT;
  const HoldLock hold(&g_control.server.lock);
  if (!IsStarted()) return SOFTLBR_WRONG_STATE;
  RefusalDetail detail;
  const Refusal refusal = TakeServerRequest(&g_control.server.session, bytes, size, &detail);
  return StatusOfRefusal(refusal, detail, code);
}

SOFTLBR_EXPORT int softlbr_control_get_counters(softlbr_control_counters* counters) {
  constexpr uint32_t kFewestBytes = offsetof(softlbr_control_counters, connections) + sizeof(uint64_t);
  if (counters == nullptr || counters->struct_size < kFewestBytes) return SOFTLBR_INVALID_ARGUMENT;
  const uint32_t bytes = counters->struct_size;
  softlbr_control_counters all = softlbr::ReadCounters();
  all.struct_size = bytes;
  softlbr::CopyBytes(counters, &all, bytes < sizeof all ? bytes : sizeof all);
  return SOFTLBR_OK;
}

}  // extern "C"
