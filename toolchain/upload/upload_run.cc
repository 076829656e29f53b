#include "toolchain/upload/upload_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <random>
#include <thread>

#include "toolchain/base/text.h"
#include "toolchain/upload/daily_budget.h"
#include "toolchain/upload/spool_folder.h"

namespace softlbr::toolchain {
namespace {

using Steady = std::chrono::steady_clock;

// Sleeps, and looks now and then whether the run is cancelled.
void SleepUntil(Steady::time_point end, const std::function<bool()>& is_cancelled) {
  for (;;) {
    if (is_cancelled && is_cancelled()) throw UploadCancelled();
    const auto now = Steady::now();
    if (now >= end) return;
    std::this_thread::sleep_until(std::min(end, now + std::chrono::milliseconds(is_cancelled ? 50 : 1000)));
  }
}

// Spaces the segments so that no second of the run exceeds the rate by more than one segment. libcurl holds the rate
// within one.
class Pacer {
 public:
  explicit Pacer(uint64_t rate_bytes) : rate_(rate_bytes) {}

  // When `bytes` may be sent.
  Steady::time_point Pace(uint64_t bytes) {
    const auto begin = std::max(next_, Steady::now());
    if (rate_ == 0) return begin;
    const auto takes = std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(rate_));
    next_ = begin + std::chrono::duration_cast<Steady::duration>(takes);
    return begin;
  }

 private:
  uint64_t rate_;
  Steady::time_point next_ = Steady::now();
};

class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

std::unique_ptr<Transport> TransportOf(const HttpOptions& options) {
  try {
    return MakeHttpTransport(options);
  } catch (const StatedFailure& failure) {
    throw InvalidUpload(failure.what());
  }
}

class SpoolRun {
 public:
  SpoolRun(const RunOptions& options, const RunHooks& hooks)
      : options_(options),
        hooks_(hooks),
        spool_(options.folder),
        budget_(options.folder, options.daily_bytes),
        pacer_(options.http.rate_bytes),
        transport_(TransportOf(options.http)) {}

  RunResult Run() {
    const std::vector<SpoolFile> files = spool_.List();
    result_.files = files.size();
    for (const SpoolFile& file : files) all_bytes_ += file.bytes;
    const SendHooks send_hooks = MakeSendHooks();
    uint64_t before = 0;
    try {
      for (const SpoolFile& file : files) {
        done_bytes_ = before;
        if (!SendOne(file, send_hooks)) break;
        before += file.bytes;
      }
    } catch (const UploadCancelled&) {
      result_.stop = StopCause::kCancelled;
      result_.stop_text = "cancelled; the rest can be sent later, nothing is lost";
    }
    return result_;
  }

 private:
  SendHooks MakeSendHooks() {
    SendHooks hooks;
    hooks.before_send = [this](uint64_t bytes) -> std::string {
      const auto now = static_cast<uint64_t>(std::time(nullptr));
      if (!budget_.Take(bytes, now)) {
        if (bytes > options_.daily_bytes) {
          return "a segment has " + ByteSize(bytes) + ", more than --daily-bytes; raise that, nothing is lost";
        }
        return "--daily-bytes is used up; the rest can be sent in " +
               Duration((std::max(budget_.EndSeconds(), now) - now) * 1000000000) + ", nothing is lost";
      }
      SleepUntil(pacer_.Pace(bytes), options_.http.is_cancelled);
      return {};
    };
    hooks.wait = [this](uint64_t ms) {
      SleepUntil(Steady::now() + std::chrono::milliseconds(ms), options_.http.is_cancelled);
    };
    hooks.random = [this] { return random_(); };
    hooks.after_segment = [this](uint64_t bytes, bool was_there) {
      if (hooks_.progress) hooks_.progress(done_bytes_ += bytes, all_bytes_);
      if (was_there) {
        ++result_.present_segments;
      } else {
        ++result_.new_segments;
        result_.new_bytes += bytes;
      }
    };
    return hooks;
  }

  // False if the run must end.
  bool SendOne(const SpoolFile& file, const SendHooks& send_hooks) {
    const std::string shown = SafeText(options_.folder + "/" + file.file_name);
    const OpenFile opened(spool_.Open(file));
    if (opened.fd() < 0) {
      hooks_.warn(shown + ": cannot be opened any more; left out");
      return true;
    }
    const FileResult sent = SendFile(opened.fd(), file.name, options_.send, send_hooks, transport_.get());
    switch (sent.outcome) {
      case FileOutcome::kSent:
        spool_.Delete(file);
        ++result_.sent_files;
        return true;
      case FileOutcome::kUseless:
        useless_bytes_ += file.bytes;
        // More would push the first out of quarantine: a server that refuses everything must not cost the only copies.
        if (result_.useless_files == kMaxQuarantinedFiles ||
            (result_.useless_files != 0 && useless_bytes_ > kMaxQuarantinedBytes)) {
          result_.stop = StopCause::kNotAdmitted;
          result_.stop_text =
              shown + ": " + sent.text + "; quarantine/ is full of this run's files, so this one and the rest stay. " +
              "Is it the right address? Look at the files there, then delete or move back what is there";
          return false;
        }
        ++result_.useless_files;
        hooks_.warn(shown + ": " + sent.text + "; moved to " + SafeText(spool_.Quarantine(file)));
        return true;
      case FileOutcome::kKept:
        ++result_.kept_files;
        hooks_.warn(shown + ": " + sent.text + "; the file stays");
        return true;
      case FileOutcome::kStop: break;
    }
    result_.stop = sent.cause;
    result_.stop_text = sent.text;
    return false;
  }

  const RunOptions& options_;
  const RunHooks& hooks_;
  Spool spool_;
  DailyBudget budget_;
  Pacer pacer_;
  std::unique_ptr<Transport> transport_;
  std::mt19937 random_{std::random_device{}()};
  RunResult result_;
  uint64_t useless_bytes_ = 0;
  uint64_t all_bytes_ = 0;
  uint64_t done_bytes_ = 0;
};

}  // namespace

RunResult UploadSpool(const RunOptions& options, const RunHooks& hooks) { return SpoolRun(options, hooks).Run(); }

}  // namespace softlbr::toolchain
