// Sends one file of a spool, segment after segment, through a transport. No state but the server's: a run that was
// killed is repeated from the start, and the server answers for each segment whether it has it.
//
// Proof: a status alone proves nothing, because whoever stands between may give it, and because other bytes may be
//   under the name. The server proves that it has a segment by its digest (content_digest.h), or else by its content,
//   which is read back.
//
// Who: `softlbr upload`. Knows neither libcurl nor the folder, so that tests answer in the server's place.
// Memory: one segment.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_SEND_FILE_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_SEND_FILE_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "toolchain/upload/answer.h"
#include "toolchain/upload/segment_plan.h"

namespace softlbr::toolchain {

enum class Method { kPut, kHead, kGet, kMakeCollection };

// Thrown by whoever learns that the run is cancelled: the transport, or a hook that waits.
struct UploadCancelled {};

class Transport {
 public:
  virtual ~Transport() = default;
  // Sends one request for a path below the base address and waits for the answer. PUT carries `bytes`, If-None-Match: *
  // and their digest; GET compares the answer's body with them.
  virtual Answer Send(Method method, const std::string& path, std::span<const uint8_t> bytes) = 0;
};

struct SendOptions {
  uint64_t segment_bytes = 256u << 10;
  bool head_first = false;  // ask for each segment before it is sent: for servers that ignore If-None-Match
  // a status of success is proof enough: for servers that show neither digest nor content
  bool trust_answers = false;
  bool make_collections = false;  // MKCOL before a session's first segment: for WebDAV servers that need it
  unsigned retries = 8;           // of one request
  uint64_t max_wait_ms = 300000;
};

// What the run does around the requests.
struct SendHooks {
  // Before `bytes` are sent: paces, charges the budget. A text stops the run.
  std::function<std::string(uint64_t bytes)> before_send;
  // Before a repetition.
  std::function<void(uint64_t ms)> wait;
  std::function<uint32_t()> random;
  // A segment is on the server.
  std::function<void(uint64_t bytes, bool was_there)> after_segment;
};

enum class FileOutcome {
  kSent,     // the server has proved to have every segment: the file may be deleted
  kUseless,  // damaged, or the server will never take it: it belongs in quarantine
  kKept,     // the server has other bytes in its place: the file stays, and the run goes on
  kStop,     // the run must end; the file stays
};

enum class StopCause {
  kNone,
  kUnavailable,  // the server did not take a segment in all attempts: later
  kNotAdmitted,  // credentials, address or certificate: never without a change
  kBudget,       // before_send said so
  kUnproven,     // the server said that it has a segment, and did not prove it
  kFile,         // the file cannot be read
  kCancelled,
};

struct FileResult {
  FileOutcome outcome = FileOutcome::kStop;
  std::string text;  // unless sent: the cause, one line
  StopCause cause = StopCause::kNone;
};

// fd: the file, read from the start with pread and read. Not closed.
FileResult SendFile(int fd, const SpoolName& name, const SendOptions& options, const SendHooks& hooks,
                    Transport* transport);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_SEND_FILE_H_
