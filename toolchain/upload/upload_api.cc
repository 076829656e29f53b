// The C API of libsoftlbr_upload.a, softlbr/upload.h, over upload_run.h. The one part of the toolchain that is linked
// into apps.
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <exception>

#include "runtime/include/softlbr/upload.h"
#include "toolchain/base/text.h"
#include "toolchain/upload/spool_folder.h"
#include "toolchain/upload/upload_run.h"

namespace softlbr::toolchain {
namespace {

// TLS libraries write to sockets without MSG_NOSIGNAL. While an object lives, their SIGPIPE stays pending on this
// thread; it is removed at the end. A SIGPIPE that was pending before stays, and the app's action and mask are as
// before.
class PipeSignalBlock {
 public:
  PipeSignalBlock() {
    sigset_t pending;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
  }
  PipeSignalBlock(const PipeSignalBlock&) = delete;
  PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;
  ~PipeSignalBlock() {
    constexpr timespec kNow = {0, 0};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &kNow) == SIGPIPE) continue;
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t old_;
  bool was_pending_ = false;
};

// The options in full, with 0 for what an older app did not know. False: they are invalid.
bool CopyOptions(const softlbr_upload_options* given, softlbr_upload_options* options) {
  if (given == nullptr || given->struct_size < offsetof(softlbr_upload_options, ca_file)) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (std::any_of(bytes + std::min<size_t>(given->struct_size, sizeof *options), bytes + given->struct_size,
                  [](unsigned char byte) { return byte != 0; })) {
    return false;
  }
  std::memset(options, 0, sizeof *options);
  std::memcpy(options, given, std::min<size_t>(given->struct_size, sizeof *options));
  constexpr uint32_t kKnownFlags =
      SOFTLBR_UPLOAD_HEAD_FIRST | SOFTLBR_UPLOAD_MAKE_COLLECTIONS | SOFTLBR_UPLOAD_TRUST_ANSWERS;
  return options->folder != nullptr && options->url != nullptr && (options->flags & ~kKnownFlags) == 0 &&
         options->reserved == 0;
}

// Throws InvalidUpload for a malformed header.
RunOptions RunOptionsOf(const softlbr_upload_options& options) {
  RunOptions run;
  run.folder = options.folder;
  run.daily_bytes = options.daily_bytes;
  run.http.base_url = options.url;
  if (options.ca_file != nullptr) run.http.ca_file = options.ca_file;
  for (const char* const* header = options.headers; header != nullptr && *header != nullptr; ++header) {
    if (!IsHeaderLine(*header)) throw InvalidUpload("upload: a header is not of the form 'Name: value'");
    run.http.headers.emplace_back(*header);
  }
  run.http.rate_bytes = options.rate_bytes;
  if (options.timeout_s != 0) run.http.timeout_s = options.timeout_s;
  if (const int* cancel = options.cancel) {
    run.http.is_cancelled = [cancel] { return __atomic_load_n(cancel, __ATOMIC_RELAXED) != 0; };
  }
  if (options.segment_bytes != 0) run.send.segment_bytes = options.segment_bytes;
  run.send.head_first = (options.flags & SOFTLBR_UPLOAD_HEAD_FIRST) != 0;
  run.send.make_collections = (options.flags & SOFTLBR_UPLOAD_MAKE_COLLECTIONS) != 0;
  run.send.trust_answers = (options.flags & SOFTLBR_UPLOAD_TRUST_ANSWERS) != 0;
  if (options.retries_plus_one != 0) run.send.retries = options.retries_plus_one - 1;
  if (options.max_wait_ms != 0) run.send.max_wait_ms = options.max_wait_ms;
  return run;
}

int StatusOf(const RunResult& run) {
  switch (run.stop) {
    case StopCause::kNone:
      return run.kept_files != 0      ? SOFTLBR_UPLOAD_UNPROVEN
             : run.useless_files != 0 ? SOFTLBR_UPLOAD_QUARANTINED
                                      : SOFTLBR_UPLOAD_OK;
    case StopCause::kUnproven: return SOFTLBR_UPLOAD_UNPROVEN;
    case StopCause::kUnavailable: return SOFTLBR_UPLOAD_UNAVAILABLE;
    case StopCause::kNotAdmitted: return SOFTLBR_UPLOAD_NOT_ADMITTED;
    case StopCause::kBudget: return SOFTLBR_UPLOAD_BUDGET_USED;
    case StopCause::kFile: return SOFTLBR_UPLOAD_SPOOL_FAILED;
    case StopCause::kCancelled: return SOFTLBR_UPLOAD_CANCELLED;
  }
  return SOFTLBR_UPLOAD_SYSTEM_ERROR;
}

int Run(const softlbr_upload_options* given, softlbr_upload_result* result) {
  std::string warning;  // the first
  RunResult run;
  const auto finish = [&](int status, const char* text) {  // allocates nothing
    result->files = run.files;
    result->files_sent = run.sent_files;
    result->files_quarantined = run.useless_files;
    result->segments_sent = run.new_segments;
    result->segments_present = run.present_segments;
    result->bytes_sent = run.new_bytes;
    const size_t bytes = std::min(std::strlen(text), sizeof result->message - 1);
    std::memcpy(result->message, text, bytes);
    result->message[bytes] = '\0';
    return status;
  };
  softlbr_upload_options options;
  if (!CopyOptions(given, &options)) {
    return finish(SOFTLBR_UPLOAD_INVALID_ARGUMENT,
                  "upload: folder or url is NULL, a flag is unknown, or struct_size is wrong");
  }
  try {
    const PipeSignalBlock no_pipe_signals;
    RunHooks hooks;
    hooks.warn = [&warning](const std::string& text) {
      if (warning.empty()) warning = text;
    };
    if (options.progress != nullptr) {
      hooks.progress = [&options](uint64_t done, uint64_t all) {
        options.progress(options.progress_cookie, done, all);
      };
    }
    run = UploadSpool(RunOptionsOf(options), hooks);
    return finish(StatusOf(run), run.stop != StopCause::kNone ? run.stop_text.c_str() : warning.c_str());
  } catch (const InvalidUpload& failure) {
    return finish(SOFTLBR_UPLOAD_INVALID_ARGUMENT, failure.what());
  } catch (const SpoolBusy& failure) {
    return finish(SOFTLBR_UPLOAD_BUSY, failure.what());
  } catch (const StatedFailure& failure) {
    return finish(SOFTLBR_UPLOAD_SPOOL_FAILED, failure.what());
  } catch (const std::exception& failure) {
    return finish(SOFTLBR_UPLOAD_SYSTEM_ERROR, failure.what());
  }
}

}  // namespace
}  // namespace softlbr::toolchain

extern "C" int softlbr_upload_run(const softlbr_upload_options* options, softlbr_upload_result* result) {
  softlbr_upload_result whole{};
  if (result != nullptr && result->struct_size < offsetof(softlbr_upload_result, files_sent))
    return SOFTLBR_UPLOAD_INVALID_ARGUMENT;
  const int status = softlbr::toolchain::Run(options, &whole);
  if (result != nullptr) {
    whole.struct_size = result->struct_size;
    std::memcpy(result, &whole, std::min<size_t>(result->struct_size, sizeof whole));
    if (whole.struct_size > offsetof(softlbr_upload_result, message) && whole.struct_size < sizeof whole) {
      reinterpret_cast<char*>(result)[whole.struct_size - 1] = '\0';
    }
  }
  return status;
}
