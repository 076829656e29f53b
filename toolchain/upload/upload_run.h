// One run over a spool: sends each finished session, and deletes its file or moves it to quarantine.
//
// Who: `softlbr upload`, and the C API of libsoftlbr_upload.a (upload_api.cc). Prints nothing; everything is told
// through the hooks. Errors: StatedFailure if the run could not begin or go on for a reason of this machine;
// InvalidUpload for options that can never do;
//   SpoolBusy (spool_folder.h). What the server answers is in the result.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_UPLOAD_RUN_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_UPLOAD_RUN_H_

#include <cstdint>
#include <functional>
#include <string>

#include "toolchain/base/failure.h"
#include "toolchain/upload/http_client.h"
#include "toolchain/upload/send_file.h"

namespace softlbr::toolchain {

// The address, or a file that an option names, cannot be used.
class InvalidUpload : public StatedFailure {
 public:
  using StatedFailure::StatedFailure;
};

struct RunOptions {
  std::string folder;
  uint64_t daily_bytes = 0;  // 0: no limit
  HttpOptions http;          // its rate bounds the whole run
  SendOptions send;
};

struct RunHooks {
  std::function<void(uint64_t done_bytes, uint64_t all_bytes)> progress;
  std::function<void(const std::string& text)> warn;  // a file was left out or moved; one line
};

struct RunResult {
  uint64_t files = 0;
  uint64_t sent_files = 0;
  uint64_t useless_files = 0;  // in quarantine now
  uint64_t kept_files = 0;     // the server holds other bytes in their place
  uint64_t new_segments = 0;
  uint64_t new_bytes = 0;
  uint64_t present_segments = 0;  // were on the server already
  StopCause stop = StopCause::kNone;
  std::string stop_text;  // unless kNone: cause and remedy
};

// http.is_cancelled ends the run within a tenth of a second, or as soon as libcurl asks: once a second at the latest.
RunResult UploadSpool(const RunOptions& options, const RunHooks& hooks);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_UPLOAD_RUN_H_
