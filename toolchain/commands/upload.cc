// `softlbr upload`: sends the finished sessions of a spool to a server.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <thread>

#include "toolchain/commands/commands.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/text.h"
#include "toolchain/profile/files.h"
#include "toolchain/upload/daily_budget.h"
#include "toolchain/upload/http_client.h"
#include "toolchain/upload/send_file.h"
#include "toolchain/upload/spool_folder.h"

namespace softlbr::toolchain {
namespace {

// Spaces the segments so that no second of the run exceeds the rate by more than one segment. libcurl holds the rate within one.
class Pacer {
 public:
  explicit Pacer(uint64_t rate_bytes) : rate_(rate_bytes) {}

  void Pace(uint64_t bytes) {
    if (rate_ == 0) return;
    std::this_thread::sleep_until(next_);
    const auto takes = std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(rate_));
    next_ = std::max(next_, Steady::now()) + std::chrono::duration_cast<Steady::duration>(takes);
  }

 private:
  using Steady = std::chrono::steady_clock;
  uint64_t rate_;
  Steady::time_point next_ = Steady::now();
};

// A run over a spool: its counts, and what it does between the requests.
class UploadRun {
 public:
  explicit UploadRun(const UploadOptions& options)
      : options_(options), spool_(options.folder), budget_(options.folder, options.daily_bytes), pacer_(options.rate_bytes) {
    HttpOptions http;
    http.base_url = options.url;
    http.ca_file = options.ca_file;
    http.rate_bytes = options.rate_bytes;
    http.timeout_s = options.timeout_s;
    if (!options.header_file.empty()) http.headers = ReadHeaderFile(options.header_file);
    transport_ = MakeHttpTransport(http);
  }

  int Run(std::ostream& out) {
    const std::vector<SpoolFile> files = spool_.List();
    uint64_t total = 0;
    for (const SpoolFile& file : files) total += file.bytes;
    std::string stop;
    {
      Progress progress("uploading", total);
      uint64_t done = 0;
      const SendHooks hooks = MakeHooks(&progress, &done);
      uint64_t before = 0;
      for (const SpoolFile& file : files) {
        done = before;
        stop = SendOne(file, hooks);
        if (!stop.empty()) break;
        before += file.bytes;
      }
    }
    out << "sent " << GroupedCount(sent_files_) << " of " << GroupedCount(files.size()) << " files: " << GroupedCount(new_segments_)
        << " segments, " << ByteSize(new_bytes_);
    if (present_segments_ != 0) out << "; " << GroupedCount(present_segments_) << " segments were on the server already";
    out << '\n' << std::flush;
    if (!stop.empty()) throw StatedFailure("upload: " + stop);
    if (useless_files_ == 0) return 0;
    throw StatedFailure("upload: " + GroupedCount(useless_files_) + " of " + GroupedCount(files.size()) +
                        " files are in quarantine; look at the warnings, then delete them or move them back");
  }

 private:
  SendHooks MakeHooks(Progress* progress, uint64_t* done) {
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
      pacer_.Pace(bytes);
      return {};
    };
    hooks.wait = [](uint64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); };
    hooks.random = [this] { return random_(); };
    hooks.after_segment = [this, progress, done](uint64_t bytes, bool was_there) {
      progress->Step(*done += bytes);
      if (was_there) {
        ++present_segments_;
      } else {
        ++new_segments_;
        new_bytes_ += bytes;
      }
    };
    return hooks;
  }

  // The cause if the run must end, else an empty text.
  std::string SendOne(const SpoolFile& file, const SendHooks& hooks) {
    const std::string shown = SafeText(options_.folder + "/" + file.file_name);
    const int fd = spool_.Open(file);
    if (fd < 0) {
      Warn(shown + ": cannot be opened any more; left out");
      return {};
    }
    SendOptions send;
    send.segment_bytes = options_.segment_bytes;
    send.head_first = options_.head_first;
    send.make_collections = options_.make_collections;
    send.retries = options_.retries;
    send.max_wait_ms = static_cast<uint64_t>(std::lround(options_.max_wait_s * 1000));
    const FileResult result = SendFile(fd, file.name, send, hooks, transport_.get());
    close(fd);
    switch (result.outcome) {
      case FileOutcome::kSent:
        spool_.Delete(file);
        ++sent_files_;
        return {};
      case FileOutcome::kUseless:
        ++useless_files_;
        Warn(shown + ": " + result.text + "; moved to " + SafeText(spool_.Quarantine(file)));
        return {};
      case FileOutcome::kStop: return result.text;
    }
    return {};
  }

  const UploadOptions& options_;
  Spool spool_;
  DailyBudget budget_;
  Pacer pacer_;
  std::unique_ptr<Transport> transport_;
  std::mt19937 random_{std::random_device{}()};
  uint64_t sent_files_ = 0;
  uint64_t useless_files_ = 0;
  uint64_t new_segments_ = 0;
  uint64_t new_bytes_ = 0;
  uint64_t present_segments_ = 0;
};

}  // namespace

int RunUpload(const UploadOptions& options, std::ostream& out) { return UploadRun(options).Run(out); }

}  // namespace softlbr::toolchain
