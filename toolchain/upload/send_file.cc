#include "toolchain/upload/send_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/format/slbr_format.h"

namespace softlbr::toolchain {
namespace {

class FileSender {
 public:
  FileSender(const SendOptions& options, const SendHooks& hooks, Transport* transport)
      : options_(options), hooks_(hooks), transport_(*transport) {}

  FileResult Send(int fd, const SpoolName& name) {
    ProfileInput input(fd);
    const SegmentPlan plan = PlanSegments(&input, {name.session, name.is_truncated, options_.segment_bytes});
    if (!plan.damage.empty()) return {FileOutcome::kUseless, plan.damage, StopCause::kNone};
    if (options_.make_collections) {
      const std::string path = SessionText(name.session) + "/";
      if (!Ask(Method::kMakeCollection, path, {}, JudgeMakeCollection)) return failed_;
    }
    for (const PlannedSegment& segment : plan.segments) {
      if (!ReadSegment(fd, segment)) {
        return {FileOutcome::kStop, std::string("cannot be read, or has changed: ") + std::strerror(errno), StopCause::kFile};
      }
      if (!SendSegment(SegmentPath(segment.name))) return failed_;
    }
    return {FileOutcome::kSent, {}, StopCause::kNone};
  }

 private:
  bool ReadSegment(int fd, const PlannedSegment& segment) {
    body_.assign(kFileMagic, kFileMagic + kFileMagicBytes);
    body_.resize(kFileMagicBytes + segment.bytes);
    for (uint64_t done = 0; done < segment.bytes;) {
      const ssize_t got =
          pread(fd, body_.data() + kFileMagicBytes + done, segment.bytes - done, static_cast<off_t>(segment.offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;
      if (got <= 0) return false;
      done += static_cast<uint64_t>(got);
    }
    return true;
  }

  bool SendSegment(const std::string& path) {
    if (options_.head_first) {
      const auto judge = [this](const Answer& answer) { return JudgeHead(answer, body_.size()); };
      if (!Ask(Method::kHead, path, {}, judge, true)) return false;
      if (verdict_ == Verdict::kPresent) {
        hooks_.after_segment(body_.size(), true);
        return true;
      }
    }
    if (!Ask(Method::kPut, path, body_, JudgePut)) return false;
    hooks_.after_segment(body_.size(), verdict_ == Verdict::kPresent);
    return true;
  }

  // One request, repeated as its answers ask for. True if verdict_ is final and not a failure; otherwise failed_ is set.
  template <typename Judge>
  bool Ask(Method method, const std::string& path, std::span<const uint8_t> body, const Judge& judge, bool may_refuse = false) {
    for (unsigned attempt = 0;; ++attempt) {
      if (!body.empty()) {
        const std::string stop = hooks_.before_send(body.size());
        if (!stop.empty()) return Failed(FileOutcome::kStop, stop, StopCause::kBudget);
      }
      const Answer answer = transport_.Send(method, path, body);
      verdict_ = judge(answer);
      switch (verdict_) {
        case Verdict::kStored:
        case Verdict::kPresent: return true;
        case Verdict::kStop: return Failed(FileOutcome::kStop, StopText(answer), StopCause::kNotAdmitted);
        case Verdict::kRefused:
          return may_refuse || Failed(FileOutcome::kUseless, "the server refuses " + path + ": " + AnswerText(answer));
        case Verdict::kRetry: break;
      }
      if (attempt == options_.retries) {
        return Failed(FileOutcome::kStop,
                      "the server did not take " + path + " in " + std::to_string(attempt + 1) +
                          " attempts: " + AnswerText(answer) + "; send it again later, nothing is lost",
                      StopCause::kUnavailable);
      }
      hooks_.wait(RetryWaitMs(attempt + 1, answer.retry_after_s, options_.max_wait_ms, hooks_.random()));
    }
  }

  bool Failed(FileOutcome outcome, const std::string& text, StopCause cause = StopCause::kNone) {
    failed_ = {outcome, text, cause};
    return false;
  }

  const SendOptions& options_;
  const SendHooks& hooks_;
  Transport& transport_;
  std::vector<uint8_t> body_;
  Verdict verdict_ = Verdict::kRetry;
  FileResult failed_;
};

}  // namespace

FileResult SendFile(int fd, const SpoolName& name, const SendOptions& options, const SendHooks& hooks, Transport* transport) {
  return FileSender(options, hooks, transport).Send(fd, name);
}

}  // namespace softlbr::toolchain
