// The parts of an upload that need neither a socket nor a clock: names, segments, answers, the budget, the order of
// requests.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <deque>

#include "runtime/format/slbr_format.h"
#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/upload/forged_sessions.h"
#include "toolchain/base/failure.h"
#include "toolchain/upload/answer.h"
#include "toolchain/upload/content_digest.h"
#include "toolchain/upload/daily_budget.h"
#include "toolchain/upload/http_client.h"
#include "toolchain/upload/segment_plan.h"
#include "toolchain/upload/send_file.h"

namespace softlbr::toolchain {
namespace {

using test::Append;
using test::Bytes;
using testing::DataFrame;
using testing::SessionFile;

constexpr uint64_t kSession = 0xfedcba9876543210;

SegmentPlan PlanOf(const Bytes& bytes, SegmentRules rules = {}) {
  if (rules.session == 0) rules.session = kSession;
  ProfileInput input(bytes);
  return PlanSegments(&input, rules);
}

std::string RangesOf(const SegmentPlan& plan) {
  std::string text = plan.damage;
  for (const PlannedSegment& segment : plan.segments) text += RangeText(segment.name) + " ";
  return text;
}

TEST(SegmentName, EveryValueHasOneSpelling) {
  EXPECT_EQ(SegmentPath({0xff, 0, 17}), "00000000000000ff/0-17");
  const auto name = ParseSegmentPath("00000000000000ff/7-4294967295");
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, (SegmentName{0xff, 7, 4294967295u}));
  for (const char* text :
       {"", "/", "00000000000000ff", "00000000000000ff/", "00000000000000ff/1", "00000000000000ff/1-",
        "00000000000000ff/-1", "00000000000000ff/01-2", "00000000000000ff/2-1", "00000000000000ff/0-4294967296",
        "00000000000000FF/0-1", "00000000000000f/0-1", "00000000000000fff/0-1", "00000000000000ff/0-1/",
        "00000000000000ff/0-1-2", "00000000000000ff/ 0-1", "../0000000000000/0-1", "00000000000000ff/+0-1"}) {
    EXPECT_FALSE(ParseSegmentPath(text)) << text;
  }
}

TEST(SegmentName, SpoolFilesAreThoseOfFinishedSessions) {
  EXPECT_FALSE(ParseSpoolName("00000000000000ff.slbr")->is_truncated);
  EXPECT_TRUE(ParseSpoolName("00000000000000ff.truncated.slbr")->is_truncated);
  EXPECT_EQ(ParseSpoolName("fedcba9876543210.slbr")->session, kSession);
  for (const char* text : {"", ".00000000000000ff.slbr", "00000000000000ff", "00000000000000ff.slbr.tmp", "quarantine",
                           "00000000000000fg.slbr", "00000000000000ff.partial.slbr"}) {
    EXPECT_FALSE(ParseSpoolName(text)) << text;
  }
}

TEST(SegmentPlan, DividesAtTheBoundAndTakesWholeFrames) {
  const Bytes file = SessionFile(kSession, 6);
  const uint64_t frame = DataFrame(kSession, 0).size();
  SegmentRules rules;
  rules.segment_bytes = kFileMagicBytes + 3 * frame;
  const SegmentPlan three = PlanOf(file, rules);
  EXPECT_EQ(RangesOf(three), "0-2 3-5 6-6 ");
  uint64_t at = kFileMagicBytes;
  for (const PlannedSegment& segment : three.segments) {
    EXPECT_EQ(segment.offset, at);
    at += segment.bytes;
  }
  EXPECT_EQ(at, file.size()) << "nothing is left out";
  rules.segment_bytes -= 1;
  EXPECT_EQ(RangesOf(PlanOf(file, rules)).substr(0, 8), "0-1 2-3 ");
  rules.segment_bytes = 1;
  EXPECT_EQ(RangesOf(PlanOf(file, rules)), "0-0 1-1 2-2 3-3 4-4 5-5 6-6 ") << "a frame may exceed the bound";
  EXPECT_EQ(RangesOf(PlanOf(file)), "0-6 ");
}

TEST(SegmentPlan, LostFramesAndInnerMagicsBeginASegment) {
  Bytes file = test::Magic();
  for (const uint32_t number : {0, 1, 3, 4}) Append(&file, DataFrame(kSession, number));
  Append(&file, test::Magic());
  Append(&file, DataFrame(kSession, 5));
  EXPECT_EQ(RangesOf(PlanOf(file)), "0-1 3-4 5-5 ");
}

// As `softlbr record` writes them.
TEST(SegmentPlan, ProcessFramesTravelWithTheirNeighbours) {
  test::Forged forged;
  forged.session_id = kSession;
  forged.kind = static_cast<uint8_t>(FrameKind::kProcess);
  Bytes body = test::Varints({17});
  Append(&body, Bytes{'a', 'p', 'p'});
  const Bytes process = test::Frame(test::Section(SectionId::kProcess, body), forged);
  Bytes file = test::Magic();
  Append(&file, process);
  for (const uint32_t number : {0, 1, 2}) {
    Append(&file, DataFrame(kSession, number));
    Append(&file, process);
  }
  EXPECT_EQ(RangesOf(PlanOf(file)), "0-2 ");
  SegmentRules rules;
  rules.segment_bytes = kFileMagicBytes + DataFrame(kSession, 0).size() + process.size();
  const SegmentPlan plan = PlanOf(file, rules);
  EXPECT_EQ(RangesOf(plan), "0-0 1-1 2-2 ");
  uint64_t at = kFileMagicBytes;
  for (const PlannedSegment& segment : plan.segments) {
    EXPECT_EQ(segment.offset, at);
    at += segment.bytes;
  }
  EXPECT_EQ(at, file.size()) << "nothing is left out";
  Bytes alone = test::Magic();
  Append(&alone, process);
  EXPECT_EQ(RangesOf(PlanOf(alone)), "holds no frame");
}

TEST(SegmentPlan, DamageIsFoundWhereverItIs) {
  const Bytes file = SessionFile(kSession, 3);
  for (size_t at = 0; at < file.size(); ++at) {
    Bytes damaged = file;
    damaged[at] ^= 1;
    EXPECT_NE(PlanOf(damaged).damage, "") << at;
  }
  for (size_t size = 0; size < file.size(); ++size) {
    const SegmentPlan plan = PlanOf(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size)));
    EXPECT_EQ(plan.damage.empty(), RangesOf(plan) == "0-0 " || RangesOf(plan) == "0-1 " || RangesOf(plan) == "0-2 ")
        << size;
  }
}

TEST(SegmentPlan, FramesOfOthersAndOutOfOrderAreDamage) {
  Bytes file = SessionFile(kSession, 1);
  Append(&file, DataFrame(kSession + 1, 2));
  EXPECT_NE(PlanOf(file).damage.find("of session fedcba9876543211"), std::string::npos);
  file = SessionFile(kSession, 1);
  Append(&file, DataFrame(kSession, 1));
  EXPECT_NE(PlanOf(file).damage.find("frame 1 follows frame 1"), std::string::npos);
  for (const int version : {kFormatVersion - 1, kFormatVersion + 1}) {
    test::Forged other;
    other.version = static_cast<uint8_t>(version);
    other.session_id = kSession;
    file = test::Magic();
    Append(&file, test::Frame(test::OneModule(), other));
    EXPECT_NE(PlanOf(file).damage.find("format version " + std::to_string(version)), std::string::npos) << version;
  }
  file = test::Magic();
  Append(&file, test::Frame(Bytes{1, 2, 3}, {kFormatVersion, 1, kSession, 0}));
  EXPECT_NE(PlanOf(file).damage, "") << "intact bytes, invalid content";
  EXPECT_NE(PlanOf(test::Magic()).damage, "");
  SegmentRules rules;
  rules.max_content_bytes = 2 * test::OneModule().size();
  EXPECT_NE(PlanOf(SessionFile(kSession, 3), rules).damage.find("decompressed"), std::string::npos);
}

TEST(SegmentPlan, ACutSessionIsSentUpToItsLastWholeFrame) {
  const Bytes file = SessionFile(kSession, 2);
  SegmentRules rules;
  rules.may_be_cut = true;
  const Bytes cut(file.begin(), file.end() - 1);
  EXPECT_EQ(RangesOf(PlanOf(cut, rules)), "0-1 ");
  EXPECT_NE(PlanOf(cut).damage, "");
  rules.segment_bytes = 1;
  EXPECT_EQ(RangesOf(PlanOf(Bytes(file.begin(), file.begin() + 20), rules)), "holds no frame");
}

TEST(Answer, EachStatusHasItsConsequence) {
  const auto judge = [](int status) {
    Answer answer;
    answer.status = status;
    return JudgePut(answer);
  };
  for (const int status : {200, 201, 204}) EXPECT_EQ(judge(status), Verdict::kStored) << status;
  EXPECT_EQ(judge(412), Verdict::kPresent);
  for (const int status : {0, 408, 429, 500, 502, 503, 504, 507}) EXPECT_EQ(judge(status), Verdict::kRetry) << status;
  for (const int status : {401, 403, 407, 301, 302, 308}) EXPECT_EQ(judge(status), Verdict::kStop) << status;
  EXPECT_EQ(judge(409), Verdict::kOther);
  for (const int status : {400, 404, 413}) EXPECT_EQ(judge(status), Verdict::kRefused) << status;
  Answer certificate;
  certificate.is_permanent = true;
  EXPECT_EQ(JudgePut(certificate), Verdict::kStop);
  Answer head;
  head.status = 200;
  head.content_length = 7;
  EXPECT_EQ(JudgeHead(head, 7), Verdict::kPresent);
  EXPECT_EQ(JudgeHead(head, 8), Verdict::kRefused);
  head.status = 503;
  EXPECT_EQ(JudgeHead(head, 7), Verdict::kRetry);
}

TEST(Answer, WaitsGrowVaryAndAreBounded) {
  uint64_t bound = 1000;
  for (unsigned attempt = 1; attempt < 8; ++attempt, bound *= 2) {
    for (const uint32_t random : {0u, 12345u, ~0u}) {
      const uint64_t wait = RetryWaitMs(attempt, {}, 60000, random);
      EXPECT_LE(wait, std::min<uint64_t>(bound, 60000));
      EXPECT_GE(wait, std::min<uint64_t>(bound, 60000) / 2 - 1);
    }
  }
  EXPECT_NE(RetryWaitMs(3, {}, 60000, 1), RetryWaitMs(3, {}, 60000, 2));
  EXPECT_EQ(RetryWaitMs(1, 20, 60000, 0), 20000u) << "the server's wish";
  EXPECT_EQ(RetryWaitMs(1, 1u << 30, 60000, 0), 60000u) << "within reason";
  EXPECT_EQ(RetryWaitMs(1, ~0ull, 60000, 0), 60000u);
  EXPECT_EQ(RetryWaitMs(~0u, {}, 60000, 0), 60000u);
  EXPECT_EQ(RetryWaitMs(5, 9, 0, 77), 0u);
}

TEST(DailyBudget, TextIsReadBackAndNothingElseIs) {
  for (const BudgetState& state : {BudgetState{0, 0}, BudgetState{1700000000, 5}, BudgetState{~0ull, ~0ull}}) {
    EXPECT_EQ(ParseBudget(BudgetText(state)), state);
  }
  for (const char* text :
       {"", "softlbr-upload-budget 1 1 1", "softlbr-upload-budget 2 1 1\n", "softlbr-upload-budget 1 -1 1\n",
        "softlbr-upload-budget 1 1\n", "softlbr-upload-budget 1 1 1\n\n", "softlbr-upload-budget 1  1 1\n",
        "softlbr-upload-budget 1 1 99999999999999999999\n", "softlbr-upload-budget 1 1 1 \n"}) {
    EXPECT_FALSE(ParseBudget(text)) << text;
  }
}

TEST(DailyBudget, NoClockFreesItBeforeADayIsOver) {
  constexpr uint64_t kStart = 1700000000;
  const BudgetState used{kStart, 100};
  EXPECT_EQ(BudgetAt(used, kStart), used);
  EXPECT_EQ(BudgetAt(used, kStart + kDaySeconds - 1), used);
  EXPECT_EQ(BudgetAt(used, kStart + kDaySeconds), (BudgetState{kStart + kDaySeconds, 0}));
  EXPECT_EQ(BudgetAt(used, kStart - 1), used);
  EXPECT_EQ(BudgetAt(used, kStart - kDaySeconds), used) << "set back by a day";
  EXPECT_EQ(BudgetAt(used, kStart - kDaySeconds - 1), (BudgetState{kStart - kDaySeconds - 1, 100}))
      << "the clock had been wrong";
  EXPECT_EQ(BudgetAt({~0ull, 5}, kStart), (BudgetState{kStart, 5}));
}

TEST(DailyBudget, IsChargedInTheFile) {
  const testing::TemporaryFolder folder;
  {
    DailyBudget budget(folder.path(), 100);
    EXPECT_TRUE(budget.Take(60, 1000));
    EXPECT_FALSE(budget.Take(41, 1000));
    EXPECT_EQ(testing::ReadFile(folder / kBudgetFile), BudgetText({0, 60})) << "1970 is within the first day";
  }
  DailyBudget again(folder.path(), 100);
  EXPECT_TRUE(again.Take(40, 1000));
  EXPECT_FALSE(again.Take(1, 1000));
  EXPECT_TRUE(again.Take(100, kDaySeconds));
  testing::WriteFile(folder / kBudgetFile, "nonsense");
  EXPECT_THROW(DailyBudget(folder.path(), 100), StatedFailure);
  EXPECT_NO_THROW(DailyBudget(folder.path(), 0)) << "no limit, no file";
}

TEST(HeaderFile, TakesHeadersOnly) {
  const testing::TemporaryFolder folder;
  testing::WriteFile(folder / "h", "# token of the build machine\n\nAuthorization: Bearer abc\r\nX-A: b c\n");
  EXPECT_EQ(ReadHeaderFile(folder / "h"), (std::vector<std::string>{"Authorization: Bearer abc", "X-A: b c"}));
  for (const char* text : {"secret", ": v\n", "A b: v\n", "A:\n", "A: \n", "A: b\x01\n", "A: b\rC: d\n"}) {
    testing::WriteFile(folder / "h", text);
    try {
      ReadHeaderFile(folder / "h");
      ADD_FAILURE() << text;
    } catch (const StatedFailure& failure) {
      EXPECT_EQ(std::string(failure.what()).find("secret"), std::string::npos) << "a secret is not printed";
    }
  }
  EXPECT_THROW(ReadHeaderFile(folder / "missing"), StatedFailure);
}

// Answers with what a test has prepared, and 201 after that; with the digest of what is sent, unless the test gives
// one.
class ScriptedTransport : public Transport {
 public:
  Answer Send(Method method, const std::string& path, std::span<const uint8_t> body) override {
    const char* names[] = {"PUT ", "HEAD ", "GET ", "MKCOL "};
    log.push_back(names[static_cast<int>(method)] + path);
    if (method == Method::kPut) bytes += body.size();
    Answer answer;
    answer.status = 201;
    if (!answers.empty()) {
      answer = answers.front();
      answers.pop_front();
    }
    if (has_digests && answer.digest.empty()) answer.digest = ContentDigest(method == Method::kHead ? head_body : body);
    return answer;
  }
  bool has_digests = true;
  Bytes head_body;  // what a HEAD asks for
  std::deque<Answer> answers;
  std::vector<std::string> log;
  uint64_t bytes = 0;
};

class SendOneFile : public ::testing::Test {
 protected:
  FileResult Send(SendOptions options = {}) {
    testing::WriteFile(folder_ / "f", testing::Text(SessionFile(0xff, 2)));
    const int fd = open((folder_ / "f").c_str(), O_RDONLY | O_CLOEXEC);
    SendHooks hooks;
    hooks.before_send = [this](uint64_t bytes) { return charged_ += bytes, charged_ > budget_ ? "used up" : ""; };
    hooks.wait = [this](uint64_t ms) { waits_.push_back(ms); };
    hooks.random = [] { return 0u; };
    hooks.after_segment = [this](uint64_t, bool was_there) { ++(was_there ? present_ : new_); };
    const FileResult result = SendFile(fd, {0xff, false}, options, hooks, &transport_);
    close(fd);
    return result;
  }
  void Script(std::initializer_list<int> statuses) {
    for (const int status : statuses) {
      Answer answer;
      answer.status = status;
      if (status == 0) answer.failure = "Connection refused";
      transport_.answers.push_back(answer);
    }
  }

  void SetUp() override { transport_.head_body = SessionFile(0xff, 2); }

  testing::TemporaryFolder folder_;
  ScriptedTransport transport_;
  std::vector<uint64_t> waits_;
  uint64_t charged_ = 0;
  uint64_t budget_ = ~0ull;
  int present_ = 0;
  int new_ = 0;
  const std::string path_ = "00000000000000ff/0-2";
};

TEST_F(SendOneFile, SendsEachSegmentOnce) {
  SendOptions options;
  options.segment_bytes = 1;
  EXPECT_EQ(Send(options).outcome, FileOutcome::kSent);
  EXPECT_EQ(transport_.log, (std::vector<std::string>{"PUT 00000000000000ff/0-0", "PUT 00000000000000ff/1-1",
                                                      "PUT 00000000000000ff/2-2"}));
  EXPECT_EQ(transport_.bytes, charged_);
  EXPECT_EQ(new_, 3);
}

TEST_F(SendOneFile, RepeatsUntilTheServerTakesIt) {
  Script({503, 0, 429});
  transport_.answers.back().retry_after_s = 30;
  EXPECT_EQ(Send().outcome, FileOutcome::kSent);
  EXPECT_EQ(waits_, (std::vector<uint64_t>{1000, 2000, 30000}));
  EXPECT_EQ(charged_, transport_.bytes) << "repetitions are charged too";
}

TEST_F(SendOneFile, ALostAnswerIsFoundOutByTheNextAttempt) {
  Script({0, 412});
  EXPECT_EQ(Send().outcome, FileOutcome::kSent);
  EXPECT_EQ(present_, 1);
}

TEST_F(SendOneFile, EndsTheRunAfterTheLastAttempt) {
  SendOptions options;
  options.retries = 2;
  Script({500, 500, 500, 201});
  const FileResult result = Send(options);
  EXPECT_EQ(result.outcome, FileOutcome::kStop);
  EXPECT_NE(result.text.find("3 attempts: HTTP 500"), std::string::npos) << result.text;
  EXPECT_EQ(transport_.log.size(), 3u);
}

TEST_F(SendOneFile, WrongCredentialsEndTheRunAtOnce) {
  Script({401});
  const FileResult result = Send();
  EXPECT_EQ(result.outcome, FileOutcome::kStop);
  EXPECT_NE(result.text.find("--header-file"), std::string::npos) << result.text;
  EXPECT_TRUE(waits_.empty());
}

TEST_F(SendOneFile, ARefusedFileIsUseless) {
  Script({413});
  const FileResult result = Send();
  EXPECT_EQ(result.outcome, FileOutcome::kUseless);
  EXPECT_NE(result.text.find("HTTP 413"), std::string::npos) << result.text;
}

TEST_F(SendOneFile, TheBudgetEndsTheRun) {
  budget_ = 10;
  EXPECT_EQ(Send().text, "used up");
  EXPECT_TRUE(transport_.log.empty());
}

TEST_F(SendOneFile, AsksFirstOnRequest) {
  SendOptions options;
  options.head_first = true;
  options.make_collections = true;
  Script({405, 404, 201});
  EXPECT_EQ(Send(options).outcome, FileOutcome::kSent);
  EXPECT_EQ(transport_.log, (std::vector<std::string>{"MKCOL 00000000000000ff/", "HEAD " + path_, "PUT " + path_}));
  transport_.log.clear();
  Script({201, 200});
  transport_.answers.back().content_length = SessionFile(0xff, 2).size();
  EXPECT_EQ(Send(options).outcome, FileOutcome::kSent);
  EXPECT_EQ(transport_.log.size(), 2u) << "what is there is not sent";
  transport_.log.clear();
  Script({201, 200});
  transport_.answers.back().content_length = 1;
  EXPECT_EQ(Send(options).outcome, FileOutcome::kSent);
  EXPECT_EQ(transport_.log.size(), 3u) << "another length: a part of it";
}

TEST_F(SendOneFile, OtherBytesInItsPlaceKeepTheFile) {
  for (const int status : {412, 409}) {
    Script({status});
    transport_.answers.back().digest = ContentDigest(SessionFile(0xfe, 2));
    const FileResult result = Send();
    EXPECT_EQ(result.outcome, FileOutcome::kKept) << status;
    EXPECT_NE(result.text.find("holds other bytes as " + path_), std::string::npos) << result.text;
  }
  Script({201});
  transport_.answers.back().digest = ContentDigest(SessionFile(0xfe, 2));
  const FileResult result = Send();
  EXPECT_EQ(result.outcome, FileOutcome::kStop) << "it has stored something else";
  EXPECT_EQ(result.cause, StopCause::kUnproven);
  EXPECT_EQ(new_ + present_, 0);
}

TEST_F(SendOneFile, WithoutADigestTheContentIsReadBack) {
  transport_.has_digests = false;
  for (const int status : {201, 412}) {
    transport_.log.clear();
    Script({status, 503, 200});
    transport_.answers.back().is_same_content = true;
    EXPECT_EQ(Send().outcome, FileOutcome::kSent) << status;
    EXPECT_EQ(transport_.log, (std::vector<std::string>{"PUT " + path_, "GET " + path_, "GET " + path_}));
  }
  EXPECT_EQ(charged_, transport_.bytes) << "what is read is not sent";
  Script({412, 200});
  EXPECT_EQ(Send().outcome, FileOutcome::kKept);
  Script({201, 200});
  EXPECT_EQ(Send().cause, StopCause::kUnproven);
  for (const int put : {201, 412}) {
    for (const int get : {204, 206, 301, 401, 403, 404, 405, 409, 412}) {
      Script({put, get});
      transport_.answers.back().is_same_content = get == 206;
      const FileResult result = Send();
      EXPECT_EQ(result.outcome, FileOutcome::kStop) << put << ' ' << get;
      EXPECT_EQ(result.cause, StopCause::kUnproven) << put << ' ' << get;
      EXPECT_NE(result.text.find("GET brings HTTP " + std::to_string(get)), std::string::npos) << result.text;
    }
  }
  SendOptions trusting;
  trusting.trust_answers = true;
  transport_.log.clear();
  Script({201});
  EXPECT_EQ(Send(trusting).outcome, FileOutcome::kSent);
  EXPECT_EQ(transport_.log.size(), 1u);
  Script({412, 404});
  EXPECT_EQ(Send(trusting).cause, StopCause::kUnproven) << "412 is nobody's success";
}

TEST(ContentDigestField, IsReadAsTheStandardWritesIt) {
  const Bytes abc = {'a', 'b', 'c'};
  const std::string digest = ContentDigest(abc);
  EXPECT_EQ(digest, "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:");
  EXPECT_EQ(ContentDigest({}), "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:");
  for (const std::string& field : {digest, " " + digest + "\t", "sha-512=:xyz=:, " + digest,
                                   "SHA-256" + digest.substr(7), digest + ";q=1", digest + "," + digest}) {
    EXPECT_EQ(CompareDigest(field, digest), DigestMatch::kSame) << field;
  }
  for (const std::string& field :
       {std::string("sha-256="), std::string("sha-256=::"), std::string("sha-256=?1"), digest.substr(0, 50),
        digest + "x", ContentDigest({}) + ", " + digest, digest + ", " + ContentDigest({})}) {
    EXPECT_EQ(CompareDigest(field, digest), DigestMatch::kOther) << field;
  }
  for (const char* field : {"", ",", " ; ", "sha-256", "md5=:AA==:", "xsha-256=:AA==:", "W/\"sha-256=\""}) {
    EXPECT_EQ(CompareDigest(field, digest), DigestMatch::kNone) << field;
  }
}

}  // namespace
}  // namespace softlbr::toolchain
