// What an answer of the server means for the run, and how long to wait before another attempt.
//
// Pure functions of the answer; docs/uploads.md has the same table for the authors of servers.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_ANSWER_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>

namespace softlbr::toolchain {

struct Answer {
  int status = 0;                          // of HTTP; 0: there was no answer
  std::string failure;                     // with status 0: why, one line
  bool is_permanent = false;               // with status 0: another attempt would fail in the same way (a certificate)
  std::string remedy;                      // if permanent: what helps, one clause
  std::optional<uint64_t> retry_after_s;   // the server's wish
  std::optional<uint64_t> content_length;  // of the resource, for HEAD
  std::string text;                        // beginning of the body: the server's reason
  bool is_page = false;                    // the body is HTML, for people
  std::string digest;                      // the field Repr-Digest: of what is stored under the path
  bool is_same_content = false;            // of GET: the body is exactly the bytes that were expected
};

enum class Verdict {
  kStored,   // the server has the segment now
  kPresent,  // it had it before
  kRetry,    // try again after a wait
  kRefused,  // the server will never take this file
  kOther,    // the server has other bytes in its place
  kStop,     // it would refuse every file: the address or the credentials are wrong
};

Verdict JudgePut(const Answer& answer);
// HEAD of a segment of `bytes` bytes. kStored is not used; kRefused: it is not there as it should be, so it has to be
// sent.
Verdict JudgeHead(const Answer& answer, uint64_t bytes);
// GET of a segment that the server says to have. kPresent: the body shows whether it has. kRefused: it cannot be read.
Verdict JudgeGet(const Answer& answer);
// MKCOL. kStored and kPresent: the collection is there.
Verdict JudgeMakeCollection(const Answer& answer);

// The answer for a message: "HTTP 503 (text)", or the failure.
std::string AnswerText(const Answer& answer);
// Cause and remedy of an answer that stops the run.
std::string StopText(const Answer& answer);

// Milliseconds before attempt `attempt` (1 is the first repetition): doubles from one second, reduced by up to a half
// at random (`random` is any number), not below what the server asks for, never above `max_ms`.
uint64_t RetryWaitMs(unsigned attempt, std::optional<uint64_t> retry_after_s, uint64_t max_ms, uint32_t random);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_ANSWER_H_
