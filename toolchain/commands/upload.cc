// `softlbr upload`: sends the finished sessions of a spool to a server.
#include <cmath>

#include "toolchain/base/failure.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/upload/upload_run.h"

namespace softlbr::toolchain {

int RunUpload(const UploadOptions& options, std::ostream& out) {
  RunOptions run;
  run.folder = options.folder;
  run.daily_bytes = options.daily_bytes;
  run.http.base_url = options.url;
  run.http.ca_file = options.ca_file;
  run.http.rate_bytes = options.rate_bytes;
  run.http.timeout_s = options.timeout_s;
  if (!options.header_file.empty()) run.http.headers = ReadHeaderFile(options.header_file);
  run.send.segment_bytes = options.segment_bytes;
  run.send.head_first = options.head_first;
  run.send.trust_answers = options.trust_answers;
  run.send.make_collections = options.make_collections;
  run.send.retries = options.retries;
  run.send.max_wait_ms = static_cast<uint64_t>(std::lround(options.max_wait_s * 1000));

  std::unique_ptr<Progress> progress;
  RunHooks hooks;
  hooks.progress = [&progress](uint64_t done, uint64_t all) {
    if (progress == nullptr) progress = std::make_unique<Progress>("uploading", all);
    progress->Step(done);
  };
  hooks.warn = Warn;
  const RunResult result = UploadSpool(run, hooks);
  progress.reset();
  out << "sent " << GroupedCount(result.sent_files) << " of " << GroupedCount(result.files)
      << (result.files == 1 ? " file: " : " files: ") << Counted(result.new_segments, "segment") << ", "
      << ByteSize(result.new_bytes);
  if (result.present_segments != 0) {
    out << "; " << Counted(result.present_segments, "segment was", "segments were") << " on the server already";
  }
  out << '\n' << std::flush;
  if (result.stop != StopCause::kNone) throw StatedFailure("upload: " + result.stop_text);
  if (result.kept_files != 0) {
    throw StatedFailure("upload: the server holds other bytes in the place of " + GroupedCount(result.kept_files) +
                        " of " + Counted(result.files, "file") +
                        ", which stay; look at the warnings, then at the server");
  }
  if (result.useless_files == 0) return 0;
  throw StatedFailure("upload: " + GroupedCount(result.useless_files) + " of " + Counted(result.files, "file") +
                      (result.useless_files == 1 ? " is" : " are") +
                      " in quarantine; look at the warnings, then delete or move back what is there");
}

}  // namespace softlbr::toolchain
