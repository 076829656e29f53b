#include "toolchain/upload/answer.h"

#include <algorithm>

#include "toolchain/base/text.h"

namespace softlbr::toolchain {

Verdict JudgePut(const Answer& answer) {
  const int status = answer.status;
  if (status == 0) return answer.is_permanent ? Verdict::kStop : Verdict::kRetry;
  // The page by which a network asks its user to sign in, in place of any server.
  if (status == 200 && answer.is_page) return Verdict::kRetry;
  if (status >= 200 && status < 300) return Verdict::kStored;
  if (status == 412) return Verdict::kPresent;
  if (status == 409) return Verdict::kOther;
  if (status == 408 || status == 429) return Verdict::kRetry;
  // A redirection is not followed: credentials must not go to an address that the user has not named.
  if (status == 401 || status == 403 || status == 407 || (status >= 300 && status < 400)) return Verdict::kStop;
  if (status >= 400 && status < 500) return Verdict::kRefused;
  return Verdict::kRetry;
}

Verdict JudgeHead(const Answer& answer, uint64_t bytes) {
  switch (const Verdict verdict = JudgePut(answer)) {
    case Verdict::kStored: return answer.content_length == bytes ? Verdict::kPresent : Verdict::kRefused;
    case Verdict::kPresent:  // no condition was sent
    case Verdict::kOther: return Verdict::kRefused;
    default: return verdict;
  }
}

Verdict JudgeGet(const Answer& answer) {
  if (answer.status == 200) return Verdict::kPresent;
  const Verdict verdict = JudgePut(answer);
  return verdict == Verdict::kRetry || answer.status == 0 ? verdict : Verdict::kRefused;  // also a part of it (206)
}

Verdict JudgeMakeCollection(const Answer& answer) {
  if (answer.status == 405) return Verdict::kPresent;  // RFC 4918: it exists
  return answer.status == 409 ? Verdict::kRefused : JudgePut(answer);
}

std::string AnswerText(const Answer& answer) {
  if (answer.status == 0) return SafeText(answer.failure);
  const std::string reason =
      answer.status == 200 && answer.is_page ? "a web page, not an answer to an upload" : answer.text;
  return "HTTP " + std::to_string(answer.status) + (reason.empty() ? "" : " (" + SafeText(reason) + ")");
}

std::string StopText(const Answer& answer) {
  const std::string text = AnswerText(answer);
  if (answer.status == 0) return text + "; nothing was deleted; " + answer.remedy;
  if (answer.status >= 300 && answer.status < 400)
    return "the server redirects: " + text + "; name the address that it redirects to";
  return "the server does not admit us: " + text + "; check the credentials in --header-file";
}

uint64_t RetryWaitMs(unsigned attempt, std::optional<uint64_t> retry_after_s, uint64_t max_ms, uint32_t random) {
  constexpr uint64_t kFirstMs = 1000;
  const uint64_t longest = std::min(max_ms, kFirstMs << std::min(attempt == 0 ? 0 : attempt - 1, 20u));
  const uint64_t wait = longest - random % (longest / 2 + 1);
  const uint64_t asked = SaturatingMultiply(retry_after_s.value_or(0), 1000);
  return std::min(max_ms, std::max(wait, asked));
}

}  // namespace softlbr::toolchain
