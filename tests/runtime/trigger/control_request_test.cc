// Sessions that the app, a schedule or a server asks for, through the C API in this process: what is taken, and that
// nothing else changes anything.
#include "runtime/trigger/control_request.h"

#include <gtest/gtest.h>
#include <link.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "runtime/include/softlbr/control.h"
#include "runtime/include/softlbr/decoders.h"
#include "tests/runtime/trigger/triggered_process.h"
#include "toolchain/profile/profile_reader.h"

namespace softlbr {
namespace {

using testing::Footprint;
using testing::PrivateFolder;

constexpr uint32_t kThreadTimerEvent = 6;
constexpr uint32_t kAll = 1000000;  // of a million

uint64_t NowS() { return static_cast<uint64_t>(time(nullptr)); }

// Stands for a signature: the tests of softlbr request have real ones.
uint64_t KeyedSum(const void* bytes, size_t size) {
  uint64_t sum = 0x5eed;
  for (size_t i = 0; i < size; ++i) sum = (sum ^ static_cast<const uint8_t*>(bytes)[i]) * 0x100000001b3u;
  return sum;
}
int VerifySum(void* cookie, const void* bytes, size_t size, const void* signature, size_t signature_size) {
  ++*static_cast<std::atomic<uint64_t>*>(cookie);
  const uint64_t sum = KeyedSum(bytes, size);
  return signature_size == sizeof sum && std::memcmp(&sum, signature, sizeof sum) == 0;
}

std::string Signed(const ServerRequest& request) {
  const uint64_t sum = KeyedSum(&request, sizeof request);
  return std::string(reinterpret_cast<const char*>(&request), sizeof request) +
         std::string(reinterpret_cast<const char*>(&sum), sizeof sum);
}

// Valid, and taken without a session.
ServerRequest ValidRequest(uint64_t number) {
  ServerRequest request = {};
  request.magic = kServerRequestMagic;
  request.version = kServerRequestVersion;
  std::memcpy(request.nonce, &number, sizeof number);
  request.not_before_s = NowS() - 3600;
  request.expiry_s = NowS() + 3600;
  std::strcpy(request.app, "test");
  request.start = StartRequest{.event = kThreadTimerEvent, .frequency_hz = 1000, .duration_ms = 100};
  request.skip_ppm = kAll;
  return request;
}

class ControlRequest : public ::testing::Test {
 protected:
  ControlRequest() {
    options_.struct_size = sizeof options_;
    options_.folder = folder_.path().c_str();
    options_.program = "test";
    options_.longest_session_ms = 5000;
    options_.budget_hour_ms = 4000;
    options_.state_file = state_path_.c_str();
    options_.verify = VerifySum;
    options_.verify_cookie = &verified_;
    options_.sink = [](void* cookie, const void*, size_t size) {
      *static_cast<std::atomic<uint64_t>*>(cookie) += size;
      return 0;
    };
    options_.sink_cookie = &profile_bytes_;
    options_.ended = [](void* cookie, int status) {
      if (status == SOFTLBR_OK) ++*static_cast<std::atomic<uint64_t>*>(cookie);
    };
    options_.ended_cookie = &ended_;
  }
  ~ControlRequest() override { (void)softlbr_control_stop(); }

  static softlbr_control_counters Counters() {
    softlbr_control_counters counters = {};
    counters.struct_size = sizeof counters;
    EXPECT_EQ(softlbr_control_get_counters(&counters), SOFTLBR_OK);
    return counters;
  }
  static Refusal Hand(const std::string& bytes) {
    uint32_t refusal = 99;
    const int status = softlbr_control_request(bytes.data(), bytes.size(), &refusal);
    EXPECT_EQ(status == SOFTLBR_OK, refusal == 0);
    return static_cast<Refusal>(refusal);
  }
  static Refusal Hand(const ServerRequest& request) { return Hand(Signed(request)); }
  std::string State() const {
    std::ifstream in(state_path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void Restart(const softlbr_control_options& options) {
    ASSERT_EQ(softlbr_control_stop(), SOFTLBR_OK);
    ASSERT_EQ(softlbr_control_start(&options), SOFTLBR_OK);
  }

  PrivateFolder folder_;
  std::string state_path_ = folder_.path() + "/state";
  softlbr_control_options options_ = {};
  std::atomic<uint64_t> verified_{0};
  std::atomic<uint64_t> profile_bytes_{0};
  std::atomic<uint64_t> ended_{0};
};

TEST_F(ControlRequest, IsTakenOnceAlsoAfterARestart) {
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  const ServerRequest request = ValidRequest(1);
  const uint64_t skipped = Counters().sessions_skipped;
  EXPECT_EQ(Hand(request), Refusal::kNone);
  EXPECT_EQ(Counters().sessions_skipped, skipped + 1) << "by its skip_ppm";
  EXPECT_EQ(Hand(request), Refusal::kReplayed);
  Restart(options_);
  EXPECT_EQ(Hand(request), Refusal::kReplayed);
  EXPECT_EQ(Hand(ValidRequest(2)), Refusal::kNone);
}

TEST_F(ControlRequest, AddresseeAndTimeAreCompared) {
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  ServerRequest request = ValidRequest(1);
  std::strcpy(request.app, "other");
  EXPECT_EQ(Hand(request), Refusal::kOtherApp);
  request = ValidRequest(1);
  request.build_id_bytes = 20;
  request.build_id[0] = 1;
  EXPECT_EQ(Hand(request), Refusal::kOtherBuild);
  request = ValidRequest(1);
  request.not_before_s = NowS() + 1000;
  EXPECT_EQ(Hand(request), Refusal::kNotYet);
  request = ValidRequest(1);
  request.expiry_s = NowS() - 1;
  EXPECT_EQ(Hand(request), Refusal::kExpired);
  request = ValidRequest(1);
  request.expiry_s = NowS() + kLongestValidityS + 100;
  EXPECT_EQ(Hand(request), Refusal::kValidTooLong);
  EXPECT_EQ(Hand(ValidRequest(1)), Refusal::kNone) << "none of them has used the nonce";
}

// Stands for a clock that advanced since the state was stored: the state is made as of earlier.
TEST_F(ControlRequest, OneThatHasExpiredStaysExpiredWhenTheClockGoesBack) {
  const uint64_t earlier_s = NowS() - 120;
  DeviceState state;
  const auto store = [&](uint64_t unix_s) {
    MakeEmptyState(&state, {unix_s, 1000, 1});
    SealState(&state);
    std::ofstream(state_path_, std::ios::binary).write(reinterpret_cast<const char*>(&state), sizeof state);
  };
  const auto is_expired_at = [&](const ServerRequest& request, uint64_t unix_s) {
    const std::string bytes = State();
    RequestReceiver receiver = {};
    std::strcpy(receiver.app, "test");
    if (!ParseState(bytes.data(), bytes.size(), &state)) return false;
    const uint64_t time_s = AdvanceState(&state, {unix_s, 1000, 1});
    return CheckAddressee(request, receiver, unix_s, time_s) == Refusal::kExpired;
  };
  store(earlier_s);
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  ServerRequest request = ValidRequest(1);
  request.expiry_s = NowS() - 60;
  EXPECT_FALSE(is_expired_at(request, earlier_s));
  std::string forged = Signed(request);
  forged.back() ^= 1;
  EXPECT_EQ(Hand(forged), Refusal::kBadSignature);
  EXPECT_FALSE(is_expired_at(request, earlier_s)) << "who has no key makes no writes";
  EXPECT_EQ(Hand(request), Refusal::kExpired);
  EXPECT_TRUE(is_expired_at(request, earlier_s));
  const std::string once = State();
  EXPECT_EQ(Hand(request), Refusal::kExpired);
  EXPECT_TRUE(State() == once) << "stored again";
  Restart(options_);
  EXPECT_TRUE(is_expired_at(request, earlier_s));
  // The stored time is wrong by three days, so the present one is believed: from now on it is the latest.
  store(NowS() + 3 * 86400);
  EXPECT_EQ(Hand(request), Refusal::kExpired);
  EXPECT_TRUE(is_expired_at(request, earlier_s));
}

// The build id as the dynamic linker sees this program.
std::vector<uint8_t> BuildIdOfThisProgram() {
  std::vector<uint8_t> id;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* cookie) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_NOTE) continue;
          const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
          for (const char* end = at + info->dlpi_phdr[i].p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
            const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
            const auto* content = reinterpret_cast<const uint8_t*>(at + sizeof *note + ((note->n_namesz + 3) & ~3u));
            if (note->n_type == NT_GNU_BUILD_ID)
              static_cast<std::vector<uint8_t>*>(cookie)->assign(content, content + note->n_descsz);
            at = reinterpret_cast<const char*>(content) + ((note->n_descsz + 3) & ~3u);
          }
        }
        return 1;  // the program itself is the first
      },
      &id);
  return id;
}

TEST_F(ControlRequest, BuildOfThisProgramIsKnown) {
  const std::vector<uint8_t> id = BuildIdOfThisProgram();
  if (id.empty() || id.size() > kBuildIdBytes) GTEST_SKIP() << "missing: a build id of this program";
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  ServerRequest request = ValidRequest(1);
  request.build_id_bytes = static_cast<uint16_t>(id.size());
  std::copy(id.begin(), id.end(), request.build_id);
  EXPECT_EQ(Hand(request), Refusal::kNone);
}

// The proof that bad requests do nothing: ten thousand of every kind.
TEST_F(ControlRequest, TenThousandBadOnesAreRefusedCountedAndChangeNothing) {
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  const ServerRequest taken = ValidRequest(0x7a4e);
  ASSERT_EQ(Hand(taken), Refusal::kNone);
  const std::string state = State();
  ASSERT_FALSE(state.empty());
  const softlbr_control_counters before = Counters();
  const Footprint footprint(getpid());
  std::mt19937_64 random(20261123);
  uint64_t expected[SOFTLBR_CONTROL_REFUSALS] = {};
  constexpr uint64_t kRequests = 10000;
  for (uint64_t i = 0; i < kRequests; ++i) {
    ServerRequest request = ValidRequest(random());
    std::string bytes;
    Refusal refusal;
    switch (i % 16) {
      case 0: bytes = Signed(request).substr(0, random() % sizeof request), refusal = Refusal::kMalformed; break;
      case 1:
        bytes = Signed(request) + std::string(kMostSignatureBytes + random() % 100000, 'x');
        refusal = Refusal::kOversized;
        break;
      case 2: bytes = Signed(taken), refusal = Refusal::kReplayed; break;
      case 3:
        request.not_before_s = NowS() - 9000;
        request.expiry_s = NowS() - 1 - random() % 1000;
        bytes = Signed(request), refusal = Refusal::kExpired;
        break;
      case 4:  // one bit of the signature
        bytes = Signed(request);
        bytes[sizeof request + random() % 8] ^= static_cast<char>(1 << random() % 8);
        refusal = Refusal::kBadSignature;
        break;
      case 5:  // one bit of what is signed; these may also have become another form
        bytes = Signed(request);
        bytes[8 + random() % 24] ^= static_cast<char>(1 << random() % 8);
        refusal = Refusal::kBadSignature;
        if (bytes.compare(24, 8, Signed(request), 24, 8) != 0) {
          uint64_t not_before_s;
          std::memcpy(&not_before_s, bytes.data() + 24, sizeof not_before_s);
          if (not_before_s >= request.expiry_s) refusal = Refusal::kOutOfRange;
        }
        break;
      case 6: request.version = 2, bytes = Signed(request), refusal = Refusal::kWrongVersion; break;
      case 7: request.magic ^= 1, bytes = Signed(request), refusal = Refusal::kMalformed; break;
      case 8: request.start.duration_ms = 5001, bytes = Signed(request), refusal = Refusal::kTooLong; break;
      case 9:
        request.start.frequency_hz = 0, request.start.period = 1 + random() % 99999;
        bytes = Signed(request), refusal = Refusal::kTooDense;
        break;
      case 10: request.start.frequency_hz = 10001, bytes = Signed(request), refusal = Refusal::kTooFrequent; break;
      case 11: request.start.max_overhead_ppm = 20001, bytes = Signed(request), refusal = Refusal::kTooCostly; break;
      case 12: request.start.event = 7, bytes = Signed(request), refusal = Refusal::kOutOfRange; break;
      case 13: std::strcpy(request.app, "another"), bytes = Signed(request), refusal = Refusal::kOtherApp; break;
      case 14:  // within every limit, but not within the budget
        request.skip_ppm = 0, request.start.duration_ms = 4001;
        bytes = Signed(request), refusal = Refusal::kHourSpent;
        break;
      default:
        bytes.resize(sizeof request + 1 + random() % 64);
        for (char& byte : bytes) byte = static_cast<char>(random());
        refusal = Refusal::kMalformed;
    }
    ++expected[static_cast<uint32_t>(refusal)];
    ASSERT_EQ(Hand(bytes), refusal) << i;
  }
  const softlbr_control_counters after = Counters();
  uint64_t refused = 0;
  for (uint32_t i = 0; i < SOFTLBR_CONTROL_REFUSALS; ++i) {
    EXPECT_EQ(after.refused[i] - before.refused[i], expected[i]) << softlbr_control_refusal_text(i);
    refused += expected[i];
  }
  EXPECT_EQ(refused, kRequests);
  EXPECT_EQ(after.sessions, before.sessions);
  EXPECT_EQ(after.sessions_skipped, before.sessions_skipped);
  EXPECT_EQ(softlbr_is_running(), 0);
  EXPECT_EQ(profile_bytes_, 0u);
  EXPECT_TRUE(State() == state) << "the state file has changed";
  EXPECT_EQ(Footprint(getpid()).descriptors, footprint.descriptors);
  EXPECT_EQ(Footprint(getpid()).tasks, footprint.tasks);
  EXPECT_EQ(Hand(ValidRequest(1)), Refusal::kNone) << "a good one is taken as ever";
}

TEST_F(ControlRequest, SessionThatDoesNotStartGivesItsBudgetAndNonceBack) {
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  ServerRequest request = ValidRequest(1);
  request.skip_ppm = 0;
  request.start.duration_ms = 4000;
  EXPECT_EQ(Hand(request), Refusal::kNotStarted) << "this process has registered no decoder";
  EXPECT_EQ(Hand(request), Refusal::kNotStarted) << "neither replayed nor beyond the budget";
}

TEST_F(ControlRequest, WithoutItsOptionsItIsRefused) {
  softlbr_control_options options = options_;
  options.state_file = nullptr;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT) << "replays could not be told";
  options = options_;
  options.sink = nullptr;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT) << "the profile would go nowhere";
  options = options_;
  options.state_file = "/nowhere/at/all/state";
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_STATE_FOLDER_NOT_PRIVATE) << "its folder is not there";
  ASSERT_EQ(mkdir((state_path_ + ".lock").c_str(), 0700), 0);
  options = options_;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_STATE_NOT_KEPT) << "a folder in the place of its lock";
  ASSERT_EQ(rmdir((state_path_ + ".lock").c_str()), 0);
  EXPECT_TRUE(folder_.Names().empty());
  options = options_;
  options.verify = nullptr;
  ASSERT_EQ(softlbr_control_start(&options), SOFTLBR_OK);
  EXPECT_EQ(Hand(ValidRequest(1)), Refusal::kNoVerifier);
  EXPECT_EQ(softlbr_control_request(nullptr, 0, nullptr), SOFTLBR_INVALID_ARGUMENT);
  ASSERT_EQ(softlbr_control_stop(), SOFTLBR_OK);
  EXPECT_EQ(softlbr_control_request("", 0, nullptr), SOFTLBR_WRONG_STATE);
  EXPECT_EQ(softlbr_control_run(nullptr, nullptr), SOFTLBR_WRONG_STATE);
}

TEST_F(ControlRequest, StateFileThatCannotBeWrittenRefuses) {
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  ASSERT_EQ(mkdir((state_path_ + ".tmp").c_str(), 0700), 0);
  EXPECT_EQ(Hand(ValidRequest(1)), Refusal::kStateNotKept);
  ASSERT_EQ(rmdir((state_path_ + ".tmp").c_str()), 0);
  EXPECT_EQ(Hand(ValidRequest(1)), Refusal::kNone);
}

TEST_F(ControlRequest, ScheduleOutOfRangeIsRefused) {
  softlbr_control_session session = {};
  session.struct_size = sizeof session;
  session.duration_ms = 1000;
  softlbr_control_options options = options_;
  options.schedule = &session;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT) << "how often?";
  options.schedule_every_ms = 1999;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT) << "twice the duration at least";
  options.schedule_every_ms = 2000;
  session.skip_ppm = kAll + 1;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_INVALID_ARGUMENT);
  session.skip_ppm = kAll;
  EXPECT_EQ(softlbr_control_start(&options), SOFTLBR_OK);
}

// Runs `test` in a child, where a decoder is registered: other tests count on none. It returns what it found wrong.
template <typename Test>
void InChild(Test test) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (softlbr_register_decoder(SOFTLBR_HOST_DECODER()) != SOFTLBR_OK) _exit(90);
    _exit(test());
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "step " << WEXITSTATUS(status);
}

// Works until the condition holds. False after a minute.
template <typename Condition>
bool WorkUntil(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  volatile uint64_t x = 1;
  while (!condition()) {
    for (int i = 0; i < 100000; ++i) x = (x & 1) != 0 ? 3 * x + 1 : x / 2;
    if (std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

TEST_F(ControlRequest, SessionOfTheAppEndsByItselfAndCounts) {
  InChild([this] {
    if (softlbr_control_start(&options_) != SOFTLBR_OK) return 1;
    const Footprint idle(getpid());
    const softlbr_control_counters before = Counters();
    softlbr_control_session session = {};
    session.struct_size = sizeof session;
    session.event = kThreadTimerEvent;
    session.duration_ms = 300;
    uint32_t refusal;
    if (softlbr_control_run(&session, &refusal) != SOFTLBR_OK || refusal != 0) return 2;
    if (softlbr_is_running() != 1) return 3;
    if (softlbr_control_run(&session, &refusal) != SOFTLBR_WRONG_STATE || refusal != SOFTLBR_CONTROL_SESSION_RUNS)
      return 4;
    if (!WorkUntil([this] { return ended_ == 1; }) || profile_bytes_ == 0) return 5;
    const Footprint after(getpid());
    if (after.tasks != idle.tasks || after.descriptors != idle.descriptors) return 6;  // nothing of a session is left
    session.duration_ms = 3701;
    if (softlbr_control_run(&session, &refusal) != SOFTLBR_PERMISSION_DENIED || refusal != SOFTLBR_CONTROL_HOUR_SPENT)
      return 7;
    session.skip_ppm = kAll;
    if (softlbr_control_run(&session, &refusal) != SOFTLBR_OK || softlbr_is_running() != 0) return 8;
    const softlbr_control_counters counters = Counters();
    return counters.sessions_skipped == before.sessions_skipped + 1 && counters.sessions == before.sessions + 1 ? 0 : 9;
  });
}

TEST_F(ControlRequest, SignedOneRecordsWithinTheBudgetAcrossARestart) {
  InChild([this] {
    if (softlbr_control_start(&options_) != SOFTLBR_OK) return 1;
    const uint64_t before = Counters().sessions;
    ServerRequest request = ValidRequest(1);
    request.skip_ppm = 0;
    request.start.duration_ms = 3000;
    if (Hand(request) != Refusal::kNone || softlbr_is_running() != 1) return 2;
    if (Hand(ValidRequest(2)) != Refusal::kSessionRuns) return 3;
    // Ended early: the part that was not used comes back, the rest is spent.
    if (!WorkUntil([before] { return Counters().sessions > before; }) || softlbr_control_stop() != SOFTLBR_OK ||
        ended_ != 1)
      return 4;
    if (softlbr_control_start(&options_) != SOFTLBR_OK) return 5;
    request = ValidRequest(3);
    request.skip_ppm = 0;
    request.start.duration_ms = 4000;
    return Hand(request) == Refusal::kHourSpent ? 0 : 6;
  });
}

// What a killed process recorded is in the descriptor's file, whole; a sink function would have got none of the end.
TEST_F(ControlRequest, DescriptorKeepsTheEndOfAKilledProcess) {
  const std::string path = folder_.path() + "/profile";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  std::atomic<int> opened{file};
  options_.sink = nullptr;
  options_.open_cookie = &opened;
  options_.open_sink = [](void* cookie, int* descriptor) {
    *descriptor = *static_cast<std::atomic<int>*>(cookie);
    return 0;
  };
  const pid_t child = fork();
  if (child == 0) {
    softlbr_control_session session = {};
    session.struct_size = sizeof session;
    session.event = SOFTLBR_EVENT_TASK_CLOCK;
    session.duration_ms = 4000;
    if (softlbr_register_decoder(SOFTLBR_HOST_DECODER()) != SOFTLBR_OK ||
        softlbr_control_start(&options_) != SOFTLBR_OK)
      _exit(1);
    const int started = softlbr_control_run(&session, nullptr);
    if (started != SOFTLBR_OK) _exit(started == SOFTLBR_PERMISSION_DENIED ? 77 : 2);
    const auto has_samples = [] {
      softlbr_counters counters = {};
      counters.struct_size = sizeof counters;
      return softlbr_get_counters(&counters) == SOFTLBR_OK && counters.samples >= 3;
    };
    if (!WorkUntil(has_samples)) _exit(3);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs perf_event_open";
  ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
  // The helper writes the end a moment later.
  toolchain::Profile profile;
  for (int i = 0; i < 1000; ++i) {
    auto read = toolchain::ReadProfileFile(path);
    if (auto* whole = std::get_if<toolchain::Profile>(&read)) profile = std::move(*whole);
    if (!profile.sessions.empty() && !profile.is_truncated) break;
    usleep(10000);
  }
  close(file);
  EXPECT_FALSE(profile.is_truncated);
  EXPECT_GE(profile.counters.samples, 3u);
  EXPECT_EQ(ended_, 0u);
}

TEST_F(ControlRequest, DescriptorIsOpenedForEachSessionAndLeftToTheApp) {
  struct App {
    std::atomic<int> opened{0};
    std::atomic<int> ended{0};
    bool is_full = false;
  } app;
  options_.sink = nullptr;
  options_.open_cookie = options_.ended_cookie = &app;
  options_.open_sink = [](void* cookie, int* descriptor) {
    auto* of = static_cast<App*>(cookie);
    if (of->is_full) return 1;
    ++of->opened;
    *descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return 0;
  };
  options_.ended = [](void* cookie, int) { ++static_cast<App*>(cookie)->ended; };
  softlbr_control_options both = options_;
  both.sink = [](void*, const void*, size_t) { return 0; };
  EXPECT_EQ(softlbr_control_start(&both), SOFTLBR_INVALID_ARGUMENT) << "one of the two";
  ASSERT_EQ(softlbr_control_start(&options_), SOFTLBR_OK);
  softlbr_control_session session = {};
  session.struct_size = sizeof session;
  session.event = kThreadTimerEvent;
  session.duration_ms = 3000;
  uint32_t refusal = 0;
  app.is_full = true;
  EXPECT_EQ(softlbr_control_run(&session, &refusal), SOFTLBR_PERMISSION_DENIED);
  EXPECT_EQ(refusal, static_cast<uint32_t>(SOFTLBR_CONTROL_SINK_NOT_OPENED));
  EXPECT_EQ(app.ended, 0);
  app.is_full = false;
  EXPECT_EQ(softlbr_control_run(&session, &refusal), SOFTLBR_NO_DECODER)
      << "within the hour: the refusal gave its budget back";
  EXPECT_EQ(app.opened, 1);
  EXPECT_EQ(app.ended, 1) << "told that it is over, although it did not start";
  ASSERT_EQ(softlbr_control_stop(), SOFTLBR_OK);
  InChild([this, &session, &app] {
    if (softlbr_control_start(&options_) != SOFTLBR_OK) return 1;
    session.duration_ms = 50;
    for (int i = 2; i < 5; ++i) {
      if (softlbr_control_run(&session, nullptr) != SOFTLBR_OK || app.opened != i) return 2;
      if (!WorkUntil([&app, i] { return app.ended == i; })) return 3;
    }
    return 0;
  });
}

TEST_F(ControlRequest, ScheduleRecordsEverySoOften) {
  InChild([this] {
    softlbr_control_session session = {};
    session.struct_size = sizeof session;
    session.event = kThreadTimerEvent;
    session.duration_ms = 30;
    options_.schedule = &session;
    options_.schedule_every_ms = 100;
    const softlbr_control_counters before = Counters();
    if (softlbr_control_start(&options_) != SOFTLBR_OK) return 1;
    if (!WorkUntil([this] { return ended_ >= 3; }) || profile_bytes_ == 0) return 2;
    const softlbr_control_counters counters = Counters();
    return counters.refused[SOFTLBR_CONTROL_SESSION_RUNS] == before.refused[SOFTLBR_CONTROL_SESSION_RUNS] ? 0 : 3;
  });
}

}  // namespace
}  // namespace softlbr
