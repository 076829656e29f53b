// The C API of libsoftlbr_upload.a against a server in this process. The archive is linked as an app links it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>

#include "runtime/include/softlbr/upload.h"
#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/upload/fault_server.h"
#include "tests/toolchain/upload/forged_sessions.h"

namespace softlbr::testing {
namespace {

class UploadApi : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("no_proxy", "127.0.0.1", 1);
    std::filesystem::create_directory(spool_);
    options_.struct_size = sizeof options_;
    options_.folder = spool_.c_str();
    options_.max_wait_ms = 1;
    result_.struct_size = sizeof result_;
  }
  void Fill(uint64_t sessions) {
    for (uint64_t i = 1; i <= sessions; ++i) WriteFile(spool_ + "/" + SpoolFileName(i), Text(SessionFile(i, 3)));
  }
  int Run(const std::string& url) {
    options_.url = url.c_str();
    return softlbr_upload_run(&options_, &result_);
  }
  uint64_t Left() const {
    uint64_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(spool_)) files += entry.path().extension() == ".slbr";
    return files;
  }

  TemporaryFolder folder_;
  const std::string spool_ = folder_ / "spool";
  softlbr_upload_options options_{};
  softlbr_upload_result result_{};
};

TEST_F(UploadApi, SendsEverySessionOnceAndTellsProgress) {
  FaultServer server([](const HttpRequest& request) -> HttpReply {
    if (request.number % 5 == 1) return {503, {}, {}, false};
    if (request.number % 5 == 3) return {0, {}, {}, true};  // stored, and the connection closed without an answer
    return FaultServer::NoFault();
  });
  Fill(20);
  struct Seen {
    uint64_t done = 0;
    uint64_t all = 0;
    uint64_t calls = 0;
  } seen;
  options_.segment_bytes = 230;
  options_.progress_cookie = &seen;
  options_.progress = [](void* cookie, uint64_t done, uint64_t all) {
    auto* told = static_cast<Seen*>(cookie);
    EXPECT_GE(done, told->done);
    *told = {done, all, told->calls + 1};
  };
  const char* headers[] = {"Authorization: Bearer t0ken", nullptr};
  options_.headers = headers;
  ASSERT_EQ(Run(server.url()), SOFTLBR_UPLOAD_OK) << result_.message;
  EXPECT_EQ(result_.files, 20u);
  EXPECT_EQ(result_.files_sent, 20u);
  EXPECT_EQ(result_.segments_sent + result_.segments_present, server.stored().size());
  EXPECT_STREQ(result_.message, "");
  EXPECT_EQ(server.stores(), server.stored().size());
  EXPECT_EQ(seen.calls, server.stored().size());
  EXPECT_GE(seen.done, seen.all) << "each segment has a file magic of its own";
  EXPECT_EQ(server.log().back().headers.at("authorization"), "Bearer t0ken");
  for (uint64_t i = 1; i <= 20; ++i) EXPECT_EQ(Reassembled(server.stored(), i), Text(SessionFile(i, 3))) << i;
  EXPECT_EQ(Left(), 0u);
}

TEST_F(UploadApi, RefusesWhatCannotBeDone) {
  Fill(1);
  EXPECT_EQ(softlbr_upload_run(nullptr, &result_), SOFTLBR_UPLOAD_INVALID_ARGUMENT);
  EXPECT_EQ(softlbr_upload_run(&options_, nullptr), SOFTLBR_UPLOAD_INVALID_ARGUMENT) << "no url";
  for (const char* url : {"", "ftp://h/", "http://user:secret@h/"}) {
    EXPECT_EQ(Run(url), SOFTLBR_UPLOAD_INVALID_ARGUMENT) << url;
    EXPECT_NE(std::string(result_.message).find("the address"), std::string::npos) << result_.message;
  }
  options_.flags = 8;
  EXPECT_EQ(Run("http://127.0.0.1:1/"), SOFTLBR_UPLOAD_INVALID_ARGUMENT);
  options_.flags = 0;
  const char* headers[] = {"X: y\r\nZ: smuggled", nullptr};
  options_.headers = headers;
  EXPECT_EQ(Run("http://127.0.0.1:1/"), SOFTLBR_UPLOAD_INVALID_ARGUMENT);
  options_.headers = nullptr;
  options_.ca_file = "/nowhere/ca.pem";
  EXPECT_EQ(Run("http://127.0.0.1:1/"), SOFTLBR_UPLOAD_INVALID_ARGUMENT);
  options_.ca_file = nullptr;
  options_.folder = "/nowhere";
  EXPECT_EQ(Run("http://127.0.0.1:1/"), SOFTLBR_UPLOAD_SPOOL_FAILED);
  options_.folder = spool_.c_str();
  const int lock = open((spool_ + "/.upload-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  EXPECT_EQ(Run("http://127.0.0.1:1/"), SOFTLBR_UPLOAD_BUSY);
  close(lock);
  EXPECT_EQ(Left(), 1u);
}

TEST_F(UploadApi, TellsWhyTheServerHasNotEverything) {
  std::atomic<int> status = 401;
  FaultServer server([&status](const HttpRequest&) -> HttpReply { return {status, {}, {}, false}; });
  Fill(2);
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_NOT_ADMITTED);
  status = 503;
  options_.retries_plus_one = 3;
  const uint64_t before = server.requests();
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_UNAVAILABLE);
  EXPECT_EQ(server.requests(), before + 3);
  EXPECT_NE(std::string(result_.message).find("503"), std::string::npos) << result_.message;
  options_.daily_bytes = 1;
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_BUDGET_USED);
  options_.daily_bytes = 0;
  EXPECT_EQ(Left(), 2u);
  status = 413;
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_QUARANTINED);
  EXPECT_EQ(result_.files_quarantined, 2u);
  EXPECT_NE(std::string(result_.message).find("413"), std::string::npos) << result_.message;
  EXPECT_EQ(Left(), 0u);
}

TEST_F(UploadApi, WhatIsNotProvenStays) {
  Fill(3);
  FaultServer server;
  server.Plant("0000000000000002/0-3", "other bytes");
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_UNPROVEN);
  EXPECT_NE(std::string(result_.message).find("holds other bytes as 0000000000000002/0-3"), std::string::npos)
      << result_.message;
  EXPECT_EQ(result_.files_sent, 2u);
  EXPECT_EQ(Left(), 1u);
  const FaultServer silent([](const HttpRequest&) -> HttpReply { return {412, {}, {}, false}; });
  EXPECT_EQ(Run(silent.url()), SOFTLBR_UPLOAD_UNPROVEN);
  EXPECT_NE(std::string(result_.message).find("nothing was deleted"), std::string::npos) << result_.message;
  EXPECT_EQ(Left(), 1u);
}

// A wrong or hostile server must not cost a phone its data plan, or hold the app's thread.
TEST_F(UploadApi, AnswersWithoutAnEndAreCutOff) {
  struct Case {
    const char* head;
    int status;
  };
  for (const Case& shown :
       {Case{"HTTP/1.1 201 x\r\n\r\n", SOFTLBR_UPLOAD_OK}, Case{"HTTP/1.1 503 x\r\n\r\n", SOFTLBR_UPLOAD_UNAVAILABLE},
        Case{"HTTP/1.1 401 x\r\n\r\n", SOFTLBR_UPLOAD_NOT_ADMITTED}}) {
    FaultServer server(
        [&shown](const HttpRequest&) -> HttpReply { return {0, {}, shown.head, false, std::string(16384, 'x'), 0}; });
    Fill(1);
    options_.retries_plus_one = 1;
    options_.flags = SOFTLBR_UPLOAD_TRUST_ANSWERS;  // these servers show nothing else
    EXPECT_EQ(Run(server.url()), shown.status) << shown.head << result_.message;
    EXPECT_LT(server.tail_bytes(), 64u << 20) << "what the sockets hold, and no more";
  }
}

TEST_F(UploadApi, SlowAnswersEndAtTheTimeLimit) {
  for (const char* head : {"HTTP/1.1 201 x\r\n\r\n", "HTTP/1.1 "}) {
    FaultServer server([head](const HttpRequest&) -> HttpReply { return {0, {}, head, false, "2", 100}; });
    Fill(1);
    options_.retries_plus_one = 1;
    options_.timeout_s = 1;
    options_.flags = SOFTLBR_UPLOAD_TRUST_ANSWERS;
    const auto begin = std::chrono::steady_clock::now();
    const bool has_status = std::string(head).size() > 10;
    EXPECT_EQ(Run(server.url()), has_status ? SOFTLBR_UPLOAD_OK : SOFTLBR_UPLOAD_UNAVAILABLE) << result_.message;
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900))
        << "it is waited for until then";
    EXPECT_LT(server.tail_bytes(), 600u) << "a minute; libcurl's own limit is never reached";
  }
}

// Over plain HTTP, a network that wants its user to sign in first answers in the server's place.
TEST_F(UploadApi, APageForPeopleIsNoAnswer) {
  FaultServer server([](const HttpRequest&) -> HttpReply {
    return {200, "Content-Type: text/html; charset=utf-8\r\n", {}, false};
  });
  Fill(2);
  options_.retries_plus_one = 2;
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_UNAVAILABLE);
  EXPECT_NE(std::string(result_.message).find("a web page"), std::string::npos) << result_.message;
  EXPECT_EQ(Left(), 2u);
}

TEST_F(UploadApi, QuarantineIsBounded) {
  FaultServer server([](const HttpRequest&) -> HttpReply { return {404, {}, {}, false}; });
  const std::string quarantine = spool_ + "/quarantine";
  const auto quarantined = [&] {
    uint64_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(quarantine)) files += entry.is_regular_file();
    return files;
  };
  std::filesystem::create_directory(quarantine);
  WriteFile(quarantine + "/first", "");
  usleep(50000);  // a file's times may be some ms old
  for (int round = 0; round < 3; ++round) {
    Fill(50);
    EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_QUARANTINED);
    EXPECT_EQ(quarantined(), round == 0 ? 51u : 64u);
  }
  EXPECT_FALSE(std::filesystem::exists(quarantine + "/first")) << "the oldest goes";
  const std::string large = quarantine + "/large";
  WriteFile(large, "");
  ASSERT_EQ(truncate(large.c_str(), 17 << 20), 0);
  Fill(1);
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_QUARANTINED);
  EXPECT_EQ(quarantined(), 1u) << "16 MiB, the newest first";
}

TEST_F(UploadApi, AServerThatRefusesEverythingCostsNoFile) {
  FaultServer server([](const HttpRequest&) -> HttpReply { return {413, {}, {}, false}; });
  Fill(70);
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_NOT_ADMITTED);
  EXPECT_NE(std::string(result_.message).find("quarantine/ is full of this run's files"), std::string::npos)
      << result_.message;
  EXPECT_EQ(result_.files_quarantined, 64u);
  uint64_t quarantined = 0;
  for (const auto& entry : std::filesystem::directory_iterator(spool_ + "/quarantine"))
    quarantined += entry.is_regular_file();
  EXPECT_EQ(quarantined, 64u);
  EXPECT_EQ(Left(), 6u);
}

TEST_F(UploadApi, AChildForkedMeanwhileDoesNotKeepTheFolder) {
  std::atomic<pid_t> child = 0;
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  FaultServer server([&](const HttpRequest&) -> HttpReply {
    if (child == 0) {
      child = fork();
      char byte;
      if (child == 0) {
        close(ends[1]);
        (void)!read(ends[0], &byte, 1);
        _exit(0);
      }
    }
    return FaultServer::NoFault();
  });
  Fill(1);
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_OK);
  ASSERT_GT(child, 0);
  Fill(1);
  options_.headers = nullptr;
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_OK) << result_.message;
  close(ends[0]);
  close(ends[1]);
  waitpid(child, nullptr, 0);
}

// The flag is set while the server is thinking, and while the run waits for another attempt.
TEST_F(UploadApi, EndsSoonAfterItIsCancelled) {
  for (const bool is_waiting : {false, true}) {
    int cancel = 0;
    std::atomic<bool> is_over = false;
    FaultServer server([&](const HttpRequest&) -> HttpReply {
      __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
      for (int i = 0; !is_waiting && !is_over && i < 6000; ++i) usleep(10000);
      return {503, "Retry-After: 1000\r\n", {}, false};
    });
    Fill(2);
    options_.cancel = &cancel;
    options_.max_wait_ms = 1000000;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_CANCELLED) << result_.message;
    is_over = true;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << "not the server's time";
    EXPECT_EQ(Left(), 2u);
    EXPECT_EQ(server.requests(), 1u);
  }
  FaultServer server;
  options_.cancel = nullptr;
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_OK) << "nothing was lost";
  EXPECT_EQ(server.stored().size(), 2u);
}

TEST_F(UploadApi, LeavesSignalsAsTheyWere) {
  FaultServer server([](const HttpRequest& request) -> HttpReply {
    return request.number % 2 == 0 ? HttpReply{0, {}, {}, false} : FaultServer::NoFault();
  });
  Fill(5);
  struct sigaction pipe_action {};
  sigaction(SIGPIPE, nullptr, &pipe_action);
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_OK) << result_.message;
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal)
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
  struct sigaction action_now {};
  sigaction(SIGPIPE, nullptr, &action_now);
  EXPECT_EQ(action_now.sa_handler, pipe_action.sa_handler);
}

TEST_F(UploadApi, TakesOlderAndNewerStructures) {
  FaultServer server;
  Fill(1);
  options_.struct_size = offsetof(softlbr_upload_options, ca_file);
  options_.ca_file = "/nowhere/not read";
  result_.struct_size = offsetof(softlbr_upload_result, segments_sent);
  result_.segments_sent = 77;
  EXPECT_EQ(Run(server.url()), SOFTLBR_UPLOAD_OK);
  EXPECT_EQ(result_.files_sent, 1u);
  EXPECT_EQ(result_.segments_sent, 77u) << "beyond struct_size";
  struct {
    softlbr_upload_options known;
    uint64_t unknown;
  } newer = {};
  newer.known.struct_size = sizeof newer;
  newer.known.folder = spool_.c_str();
  const std::string url = server.url();
  newer.known.url = url.c_str();
  EXPECT_EQ(softlbr_upload_run(&newer.known, nullptr), SOFTLBR_UPLOAD_OK);
  newer.unknown = 1;
  EXPECT_EQ(softlbr_upload_run(&newer.known, nullptr), SOFTLBR_UPLOAD_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace softlbr::testing
