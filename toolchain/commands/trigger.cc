// `softlbr trigger`: starts a session in a running program and fetches its profile.
//
// The program gets the end of a pipe and writes the profile there (docs/sessions_on_request.md), so the last bytes of a
// program that is killed meanwhile come too: the runtime's helper completes the profile and then closes the pipe.
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <optional>

#include "platform/base/sample_event.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/counters.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/record/compact_file.h"
#include "toolchain/record/record_causes.h"
#include "toolchain/record/record_output.h"
#include "toolchain/trigger/control_client.h"
#include "toolchain/trigger/kernel_preparation.h"

namespace softlbr::toolchain {
namespace {

constexpr int kAnswerMs = 30000;     // a machine may be busy
constexpr int kLastBytesMs = 10000;  // after the program has ended
constexpr int kOverdueMs = 60000;    // after the session should have ended
constexpr uint64_t kMaxReadBackBytes = 64 << 20;

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// The socket of a program that the user names by its process id, its name or the socket's path.
ControlSocket FindProgram(const TriggerOptions& options) {
  const std::string& target = options.target;
  if (target.find('/') != std::string::npos) return ControlSocket{target, target.substr(target.rfind('/') + 1), 0};
  const std::string folder = options.folder.empty() ? DefaultControlFolder() : options.folder;
  std::vector<ControlSocket> matches;
  for (ControlSocket& socket : FindControlSockets(folder)) {
    const bool is_meant = IsNumber(target) ? std::to_string(socket.pid) == target : socket.program == target;
    if (is_meant && IsSocketAlive(socket.path)) matches.push_back(std::move(socket));
  }
  if (matches.empty()) {
    throw StatedFailure("no program " + SafeText(target) + " can be triggered in " + SafeText(folder) +
                        "; `softlbr list` shows those that can");
  }
  if (matches.size() > 1) {
    std::string ids;
    for (const ControlSocket& match : matches) ids += " " + std::to_string(match.pid);
    throw StatedFailure(std::to_string(matches.size()) + " programs are named " + SafeText(target) +
                        "; name one by its process id:" + ids);
  }
  return matches[0];
}

StartRequest MakeRequest(const TriggerOptions& options) {
  StartRequest request;
  request.event = EventFromName(options.event).value_or(0);
  request.branches = options.branches;
  request.period = options.period;
  request.frequency_hz = options.frequency_hz;
  request.duration_ms = static_cast<uint32_t>(options.seconds * 1000 + 0.5);
  if (!options.max_overhead.empty()) request.max_overhead_ppm = PartsPerMillion(options.max_overhead);
  return request;
}

// Ctrl-C and the like as a descriptor, for as long as the object lives.
class EndSignals {
 public:
  EndSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, &before_);
    fd_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int descriptor() const { return fd_.get(); }
  bool Take() const {
    signalfd_siginfo info;
    return read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info);
  }

 private:
  sigset_t before_;
  Descriptor fd_;
};

// Bytes from a pipe to the profile.
class ProfilePipe {
 public:
  explicit ProfilePipe(int output) : output_(output) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw StatedFailure(std::string("no pipe: ") + std::strerror(errno));
    from_ = Descriptor(ends[0]);
    to_ = Descriptor(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  int read_end() const { return is_open_ ? from_.get() : -1; }
  int write_end() const { return to_.get(); }
  void GiveAway() { to_ = Descriptor(); }
  int write_error() const { return write_error_; }

  // Copies what is in the pipe now. False at the end: nobody has the other end any more.
  bool Copy() {
    std::vector<char> buffer(65536);
    for (;;) {
      const ssize_t got = read(from_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return true;
      if (got <= 0) return is_open_ = false;
      Write(buffer.data(), static_cast<size_t>(got));
    }
  }
  // Copies the rest, after the program has ended.
  void CopyToEnd() {
    pollfd waits{from_.get(), POLLIN, 0};
    while (Copy() && poll(&waits, 1, kLastBytesMs) != 0) {
    }
  }

 private:
  void Write(const char* bytes, size_t size) {
    while (size != 0 && write_error_ == 0) {
      const ssize_t written = write(output_, bytes, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        write_error_ = errno;
        return;
      }
      bytes += written;
      size -= static_cast<size_t>(written);
    }
  }
  int output_;
  int write_error_ = 0;
  bool is_open_ = true;
  Descriptor from_;
  Descriptor to_;
};

// One line on a terminal, updated in place.
class StatusLine {
 public:
  ~StatusLine() {
    if (is_shown_) std::cerr << "\r\x1b[K" << std::flush;
  }
  void Show(const SessionProgress& progress, uint32_t duration_ms) {
    if (isatty(STDERR_FILENO) != 1) return;
    is_shown_ = true;
    std::cerr << "\r\x1b[Ksoftlbr: " << Duration(progress.elapsed_ms * 1000000) << " of "
              << Duration(uint64_t{duration_ms} * 1000000) << ", " << Counted(progress.samples, "sample") << ", "
              << Counted(progress.taken_branches, "taken branch", "taken branches") << std::flush;
  }

 private:
  bool is_shown_ = false;
};

// How a session ended, in the words for the user.
struct Outcome {
  std::string failure;  // empty: as it should
  std::string note;     // why it ended early
  EndReply end{};
};

StartedReply Start(const TriggerOptions& options, const std::string& shown, ControlClient* client, ProfilePipe* pipe) {
  const StartRequest request = MakeRequest(options);
  std::optional<KernelPreparation> preparation;  // until the program has events of its own
  if (request.event != static_cast<uint32_t>(SampleEvent::kThreadTimer)) preparation.emplace();
  client->Send(MessageKind::kStart, &request, sizeof request, pipe->write_end());
  pipe->GiveAway();
  for (;;) {
    const ControlClient::Event event = client->Receive(kAnswerMs);
    if (event == ControlClient::Event::kClosed)
      throw StatedFailure(shown + ": the program has closed the connection; it may have ended");
    if (event == ControlClient::Event::kTimeout)
      throw StatedFailure(shown + ": the program does not answer; it may be stopped");
    if (client->kind() == MessageKind::kRefused)
      throw StatedFailure(shown + ": " + RefusalText(client->As<RefusedReply>()));
    if (client->kind() == MessageKind::kStarted) return client->As<StartedReply>();
  }
}

Outcome Follow(const StartedReply& started, const std::string& shown, const EndSignals& signals, ControlClient* client,
               ProfilePipe* pipe) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point overdue =
      Clock::now() + std::chrono::milliseconds(started.duration_ms + uint64_t{kOverdueMs});
  Outcome outcome;
  StatusLine line;
  bool is_cancelled = false;
  for (;;) {
    pollfd waits[3] = {
        {client->descriptor(), POLLIN, 0}, {pipe->read_end(), POLLIN, 0}, {signals.descriptor(), POLLIN, 0}};
    (void)poll(waits, 3, 1000);
    if (waits[1].revents != 0) (void)pipe->Copy();
    if (waits[2].revents != 0 && signals.Take()) {
      if (is_cancelled) {
        outcome.failure = shown + ": did not end when asked to; what came is kept";
        return outcome;
      }
      is_cancelled = true;
      client->Send(MessageKind::kCancel);
    }
    if (pipe->write_error() != 0 && !is_cancelled) {
      is_cancelled = true;
      client->Send(MessageKind::kCancel);
    }
    const ControlClient::Event event = client->Receive(0);
    if (event == ControlClient::Event::kMessage && client->kind() == MessageKind::kProgress) {
      line.Show(client->As<SessionProgress>(), started.duration_ms);
    } else if (event == ControlClient::Event::kMessage && client->kind() == MessageKind::kEnd) {
      outcome.end = client->As<EndReply>();
      (void)pipe->Copy();
      break;
    } else if (event == ControlClient::Event::kClosed) {
      pipe->CopyToEnd();
      outcome.failure = shown + ": the program ended during the session; what it had recorded is kept";
      return outcome;
    } else if (event == ControlClient::Event::kTimeout && Clock::now() > overdue) {
      outcome.failure = shown + ": the program does not end the session; what came is kept";
      return outcome;
    }
  }
  switch (static_cast<SessionEnd>(outcome.end.why)) {
    case SessionEnd::kStoppedByApp: outcome.note = "the program stopped the session itself"; break;
    case SessionEnd::kControlStopped: outcome.note = "the program takes no more requests and ended the session"; break;
    default: break;
  }
  if (outcome.end.status != 0) outcome.failure = shown + ": " + StatusText(outcome.end.status) + "; what came is kept";
  return outcome;
}

std::optional<Profile> ReadProfileOf(const RecordOutput& output) {
  if (!output.is_file() || output.content_bytes() == 0 || output.content_bytes() > kMaxReadBackBytes)
    return std::nullopt;
  auto read = ReadProfileFile(output.content_path(), [](const Trace&) {});
  if (!std::holds_alternative<Profile>(read)) return std::nullopt;
  return std::move(std::get<Profile>(read));
}

// Keeps or removes the profile and prints what is in it. Returns the exit code.
int Conclude(const TriggerOptions& options, const std::string& shown, const Outcome& outcome, int write_error,
             RecordOutput* output) {
  if (!outcome.failure.empty()) Say(outcome.failure);
  if (write_error != 0) {
    Say(output->shown() + ": cannot be written: " + std::strerror(write_error) + "; free space there");
  }
  const bool has_failed = !outcome.failure.empty() || write_error != 0;
  const std::optional<Profile> profile = ReadProfileOf(*output);
  const std::string kept = output->has_earlier() ? "; the earlier profile in " + output->shown() + " is kept" : "";
  const bool is_empty = output->is_file() && output->content_bytes() == 0;
  const bool is_without_branch =
      profile.has_value() && profile->branches.empty() && profile->counters.taken_branches == 0;
  if (is_empty || is_without_branch) {
    const std::string why =
        is_without_branch ? WhyNoBranch(*profile, profile->counters.app_cpu_ns) : "the program sent nothing";
    Say(why + kept);
    if (is_empty || output->has_earlier()) {
      output->Discard();
    } else {
      output->Keep();
    }
    return kExitFailure;
  }
  // The pipe has ended, so nobody writes any more.
  if (profile.has_value() && write_error == 0 && CanCompact(*profile)) {
    const std::string source = output->content_path();
    (void)output->Rewrite([&](const std::string& path) { return WriteCompact(*profile, source, path); });
  }
  if (!options.quiet) {
    const uint64_t branches =
        profile.has_value() ? profile->counters.taken_branches : outcome.end.totals.taken_branches;
    const uint64_t samples = profile.has_value() ? profile->counters.samples : outcome.end.totals.samples;
    const std::string size = output->is_file() ? " (" + ByteSize(output->content_bytes()) + ")" : "";
    Say(Counted(branches, "taken branch", "taken branches") + " from " + Counted(samples, "sample") + " of " + shown +
        " in " + output->shown() + size + (outcome.note.empty() ? "" : "; " + outcome.note));
  }
  output->Keep();
  return has_failed ? kExitFailure : 0;
}

}  // namespace

int RunTrigger(const TriggerOptions& options) {
  const ControlSocket socket = FindProgram(options);
  const std::string shown = SafeText(socket.program) + (socket.pid != 0 ? " (" + std::to_string(socket.pid) + ")" : "");
  ControlClient client(socket.path);
  RecordOutput output(options.output);
  ProfilePipe pipe(output.descriptor());
  std::signal(SIGPIPE, SIG_IGN);  // if nobody reads the output, writing fails instead
  const EndSignals signals;
  const StartedReply started = Start(options, shown, &client, &pipe);
  const Outcome outcome = Follow(started, shown, signals, &client, &pipe);
  return Conclude(options, shown, outcome, pipe.write_error(), &output);
}

}  // namespace softlbr::toolchain
