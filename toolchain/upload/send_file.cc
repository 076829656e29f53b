#include "toolchain/upload/send_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/format/slbr_format.h"
#include "toolchain/upload/content_digest.h"

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
        return {FileOutcome::kStop, std::string("cannot be read, or has changed: ") + std::strerror(errno),
                StopCause::kFile};
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
      const ssize_t got = pread(fd, body_.data() + kFileMagicBytes + done, segment.bytes - done,
                                static_cast<off_t>(segment.offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;
      if (got <= 0) return false;
      done += static_cast<uint64_t>(got);
    }
    return true;
  }

  enum class Proof {
    kHas,    // the server has exactly body_
    kOther,  // it has other bytes
    kNone,   // it does not show what it has; no_proof_ says why
  };

  bool SendSegment(const std::string& path) {
    digest_ = ContentDigest(body_);
    Proof proof;
    if (options_.head_first) {
      const auto judge = [this](const Answer& answer) { return JudgeHead(answer, body_.size()); };
      if (!Ask(Method::kHead, path, {}, judge, true)) return false;
      if (verdict_ == Verdict::kPresent) {
        if (!Prove(path, &proof)) return false;
        if (proof == Proof::kHas) {
          hooks_.after_segment(body_.size(), true);
          return true;
        }
      }
    }
    if (!Ask(Method::kPut, path, body_, JudgePut)) return false;
    const Answer said = answer_;
    const bool was_there = verdict_ == Verdict::kPresent;
    if (verdict_ == Verdict::kOther) return FailedByOther(path, said);
    if (!Prove(path, &proof)) return false;
    if (proof == Proof::kOther && was_there) return FailedByOther(path, said);
    const bool is_trusted = options_.trust_answers && !was_there;
    if (proof == Proof::kOther || (proof == Proof::kNone && !is_trusted)) {
      return Failed(
          FileOutcome::kStop,
          "the server answered " + AnswerText(said) + " to " + path + ", but " +
              (proof == Proof::kOther ? "holds other bytes there" : no_proof_) +
              "; nothing was deleted. Is it the right address, without a proxy that answers itself? If so, let it send "
              "Repr-Digest or allow GET, or use --trust-answers",
          StopCause::kUnproven);
    }
    hooks_.after_segment(body_.size(), was_there);
    return true;
  }

  bool FailedByOther(const std::string& path, const Answer& said) {
    return Failed(FileOutcome::kKept, "the server holds other bytes as " + path + ": " + AnswerText(said));
  }

  // What the server has under the path, by answer_ or by reading it back. False: failed_ is set.
  bool Prove(const std::string& path, Proof* proof) {
    switch (CompareDigest(answer_.digest, digest_)) {
      case DigestMatch::kSame: return *proof = Proof::kHas, true;
      case DigestMatch::kOther: return *proof = Proof::kOther, true;
      case DigestMatch::kNone: break;
    }
    if (options_.trust_answers && verdict_ == Verdict::kStored) return *proof = Proof::kNone, true;
    if (!Ask(Method::kGet, path, body_, JudgeGet, true)) return false;
    if (verdict_ == Verdict::kPresent) {
      *proof = answer_.is_same_content ? Proof::kHas : Proof::kOther;
    } else {
      *proof = Proof::kNone;
      no_proof_ = "sent no digest of it, and GET brings " + AnswerText(answer_);
    }
    return true;
  }

  // One request, repeated as its answers ask for. True if verdict_ is final and not a failure; otherwise failed_ is
  // set.
  template <typename Judge>
  bool Ask(Method method, const std::string& path, std::span<const uint8_t> bytes, const Judge& judge,
           bool may_refuse = false) {
    for (unsigned attempt = 0;; ++attempt) {
      if (method == Method::kPut) {
        const std::string stop = hooks_.before_send(bytes.size());
        if (!stop.empty()) return Failed(FileOutcome::kStop, stop, StopCause::kBudget);
      }
      answer_ = transport_.Send(method, path, bytes);
      const Answer& answer = answer_;
      verdict_ = judge(answer);
      switch (verdict_) {
        case Verdict::kStored:
        case Verdict::kPresent:
        case Verdict::kOther: return true;
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
  std::string digest_;  // of body_
  Answer answer_;       // the last
  Verdict verdict_ = Verdict::kRetry;
  std::string no_proof_;
  FileResult failed_;
};

}  // namespace

FileResult SendFile(int fd, const SpoolName& name, const SendOptions& options, const SendHooks& hooks,
                    Transport* transport) {
  return FileSender(options, hooks, transport).Send(fd, name);
}

}  // namespace softlbr::toolchain
