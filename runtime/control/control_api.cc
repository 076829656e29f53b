// The C API of libsoftlbr_control.a (runtime/include/softlbr/control.h), its thread and its socket's name.
#include <stdlib.h>

#include "platform/base/attributes.h"
#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/local_socket.h"
#include "platform/thread.h"
#include "runtime/control/control_server.h"
#include "runtime/include/softlbr/control.h"

namespace softlbr {
namespace {

constexpr uint32_t kFlags = SOFTLBR_CONTROL_NO_THREAD;
constexpr uint32_t kFewestOptionBytes = offsetof(softlbr_control_options, condition);  // of the first version
constexpr uint32_t kMostOptionBytes = 4096;
constexpr uint32_t kFolderBytes = 1024;
constexpr uint32_t kNameBytes = 80;
constexpr uint32_t kWholePpm = 1000000;
constexpr uint32_t kStackBytes = 65536;  // of pages that only a thread that runs touches
constexpr int kNoDescriptorLeft = 24;    // EMFILE
constexpr int kNotPermitted = 1;         // EPERM
constexpr int kNoAccess = 13;            // EACCES
constexpr int kIsNoFolder = 20;          // ENOTDIR, of a symbolic link too
constexpr int kAddressUsed = 98;         // EADDRINUSE
constexpr int kReadOnly = 30;            // EROFS

struct ControlState {
  bool is_started;
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

int StatusOf(long error) {
  switch (-error) {
    case kNotPermitted:
    case kNoAccess:
    case kReadOnly:
    case kIsNoFolder: return SOFTLBR_PERMISSION_DENIED;
    case kAddressUsed: return SOFTLBR_OTHER_RUNTIME;
    case kNoDescriptorLeft: return SOFTLBR_NO_DESCRIPTOR;
    default: return SOFTLBR_SYSTEM_ERROR;
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
  return (options->flags & ~kFlags) == 0 && options->largest_overhead_ppm <= kWholePpm &&
         (options->region == nullptr) == (options->region_bytes == 0);
}

// The default folder is where `softlbr trigger` looks, too.
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

uint64_t OrDefault(uint64_t value, uint64_t otherwise) { return value != 0 ? value : otherwise; }

void ThreadMain(void*) {
  while (g_control.is_stopping.load(std::memory_order_acquire) == 0 && Serve(&g_control.server, -1)) {
  }
}

bool IsOurs() { return g_control.is_started && g_control.server.pid == platform::CurrentProcessId(); }

void RemoveOurSocket() {
  const long folder = platform::OpenPrivateFolder(g_control.folder, false);
  if (folder < 0) return;
  platform::RemoveSocket(static_cast<int>(folder), g_control.name);
  platform::CloseFile(static_cast<int>(folder));
}

int Start(const softlbr_control_options& options) {
  if (IsOurs()) return SOFTLBR_WRONG_STATE;
  if (g_control.is_started) {  // the parent's
    ForgetServer(&g_control.server);
    g_control.thread.tid.store(0, std::memory_order_relaxed);
    g_control.is_started = false;
  }
  if (!NameFolder(options.folder, g_control.folder)) return SOFTLBR_INVALID_ARGUMENT;
  ControlServer& server = g_control.server;
  NameProgram(options.program, server.program);
  NameSocket(server.program, g_control.name);
  server.policy = ControlPolicy{static_cast<uint32_t>(OrDefault(options.longest_session_ms, kDefaultLongestSessionMs)),
                                static_cast<uint32_t>(OrDefault(options.largest_overhead_ppm, kDefaultLargestOverheadPpm)),
                                OrDefault(options.densest_period, kDefaultDensestPeriod),
                                OrDefault(options.highest_frequency_hz, kDefaultHighestFrequencyHz)};
  server.region = options.region;
  server.region_bytes = options.region_bytes;
  server.condition = options.condition;
  server.condition_cookie = options.condition_cookie;
  const long folder = platform::OpenPrivateFolder(g_control.folder, options.folder == nullptr);
  if (folder < 0) return StatusOf(folder);
  const long opened = OpenServer(&server, static_cast<int>(folder), g_control.name);
  platform::CloseFile(static_cast<int>(folder));
  if (opened < 0) return StatusOf(opened);
  g_control.is_stopping.store(0, std::memory_order_relaxed);
  g_control.has_thread = (options.flags & SOFTLBR_CONTROL_NO_THREAD) == 0;
  if (g_control.has_thread &&
      platform::StartRuntimeThread(&g_control.thread, ThreadMain, nullptr, g_control.stack, kStackBytes) != Status::kOk) {
    CloseServer(&server);
    RemoveOurSocket();
    return SOFTLBR_SYSTEM_ERROR;
  }
  g_control.is_started = true;
  g_control.poll_fd_plus_one.store(server.events + 1, std::memory_order_release);
  return SOFTLBR_OK;
}

int Stop() {
  if (!IsOurs()) return SOFTLBR_WRONG_STATE;
  g_control.poll_fd_plus_one.store(0, std::memory_order_release);
  g_control.is_stopping.store(1, std::memory_order_release);
  platform::ShutSocket(g_control.server.listener);  // wakes the thread
  if (g_control.has_thread) platform::JoinRuntimeThread(&g_control.thread);
  CloseServer(&g_control.server);
  RemoveOurSocket();
  g_control.is_started = false;
  return SOFTLBR_OK;
}

softlbr_control_counters ReadCounters() {
  const ControlTotals& totals = g_control.server.totals;
  const auto read = [](const std::atomic<uint64_t>& count) { return count.load(std::memory_order_relaxed); };
  softlbr_control_counters counters = {};
  counters.connections = read(totals.connections);
  counters.sessions = read(totals.sessions);
  counters.sessions_cancelled = read(totals.cancelled);
#define SOFTLBR_CONTROL_REFUSAL(name, counter, number, meaning, remedy) \
  counters.refused_##counter += read(totals.refused[static_cast<uint32_t>(Refusal::name)]);
#include "runtime/control/control_refusals.def"
  return counters;
}

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
