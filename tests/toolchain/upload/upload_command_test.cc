// `softlbr upload` against a server in this process that fails in every way, and under kill -9.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/upload/fault_server.h"
#include "tests/toolchain/upload/forged_sessions.h"
#include "toolchain/upload/content_digest.h"

namespace softlbr::toolchain {
namespace {

using testing::CommandResult;
using testing::FaultServer;
using testing::HttpReply;
using testing::HttpRequest;
using testing::SessionFile;
using testing::SpoolFileName;
using testing::Text;

class Upload : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(spool_); }

  void Fill(uint64_t sessions, uint32_t frames = 4) {
    for (uint64_t i = 1; i <= sessions; ++i) Add(i, frames);
  }
  void Add(uint64_t session, uint32_t frames) {
    sessions_[session] = Text(SessionFile(session, frames));
    testing::WriteFile(spool_ + "/" + SpoolFileName(session), sessions_[session]);
  }
  std::vector<std::string> Arguments(const FaultServer& server, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"upload", spool_, server.url(), "--max-wait", "0.002"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  CommandResult Run(const FaultServer& server, const std::vector<std::string>& more = {}) const {
    return testing::RunSoftlbr(Arguments(server, more), {"no_proxy=127.0.0.1"});
  }
  size_t Left() const {
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(spool_))
      files += ParseSpoolName(entry.path().filename().string()).has_value();
    return files;
  }
  // Every session is on the server whole, each frame once.
  void ExpectAllThere(const FaultServer& server) const {
    const auto stored = server.stored();
    for (const auto& [session, text] : sessions_) EXPECT_EQ(testing::Reassembled(stored, session), text) << session;
    EXPECT_EQ(Left(), 0u);
  }

  testing::TemporaryFolder folder_;
  const std::string spool_ = folder_ / "spool";
  std::map<uint64_t, std::string> sessions_;
};

TEST_F(Upload, SendsEverySessionAndDeletesItsFile) {
  FaultServer server;
  Fill(3);
  testing::WriteFile(spool_ + "/.0000000000000009.slbr", "not ours");
  testing::WriteFile(spool_ + "/notes.txt", "not ours");
  const CommandResult result = Run(server, {"--segment-bytes", "200"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.substr(0, 18), "sent 3 of 3 files:") << result.out;
  ExpectAllThere(server);
  EXPECT_GT(server.stored().size(), 3u) << "several segments a session";
  EXPECT_TRUE(std::filesystem::exists(spool_ + "/.0000000000000009.slbr"));
  EXPECT_TRUE(std::filesystem::exists(spool_ + "/notes.txt"));
  for (const HttpRequest& request : server.log()) {
    EXPECT_EQ(request.headers.at("if-none-match"), "*");
  }
  EXPECT_EQ(Run(server).exit_code, 0) << "an empty spool";
}

TEST_F(Upload, AnUnreliableServerGetsAll300SessionsOnce) {
  std::mt19937 random(7);
  FaultServer server([&random](const HttpRequest&) -> HttpReply {
    switch (random() % 12) {
      case 0: return {500, {}, {}, false};
      case 1: return {503, "Retry-After: 1\r\n", {}, false};
      case 2: return {429, "Retry-After: 100000\r\n", {}, false};
      case 3: return {0, {}, {}, false};                 // cut before it was stored
      case 4: return {0, {}, {}, true};                  // cut after it was stored
      case 5: return {0, {}, "garbage\r\n\r\n", false};  // no HTTP
      case 6: return {0, {}, "HTTP/1.1 20", true};       // an answer cut in its first line
      default: return FaultServer::NoFault();
    }
  });
  Fill(300, 3);
  const CommandResult result = Run(server, {"--retries", "100", "--segment-bytes", "230"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ExpectAllThere(server);
  EXPECT_EQ(server.stored().size(), 600u);
  EXPECT_GT(server.requests(), 700u) << "the faults came about";
}

TEST_F(Upload, AKillAtAnyInstantLosesNothing) {
  FaultServer server;
  std::mt19937 random(11);
  uint64_t killed = 0;
  const char* asked = std::getenv("SOFTLBR_SPOOL_ROUNDS");
  const uint64_t rounds = asked == nullptr ? 30 : std::strtoull(asked, nullptr, 10);
  for (uint64_t round = 0; round < rounds; ++round) {
    for (uint64_t i = 0; i < 8; ++i) Add(100 * round + i + 1, 4);
    const pid_t pid = fork();
    if (pid == 0) {
      const int null = open("/dev/null", O_RDWR);
      dup2(null, 1);
      dup2(null, 2);
      setenv("no_proxy", "127.0.0.1", 1);
      const std::vector<std::string> arguments =
          Arguments(server, {"--segment-bytes", "200", "--daily-bytes", "1000000000"});
      std::vector<char*> pointers = {const_cast<char*>("softlbr")};
      for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
      pointers.push_back(nullptr);
      execv(testing::SoftlbrPath().c_str(), pointers.data());
      _exit(127);
    }
    // A random instant of the run, measured in requests that the server has seen: the speed of the machine does not
    // matter.
    const uint64_t target = server.requests() + random() % 30;
    int status = 0;
    pid_t ended = 0;
    while (server.requests() < target && (ended = waitpid(pid, &status, WNOHANG)) == 0) usleep(100);
    if (ended == 0) {
      usleep(random() % 500);
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      killed += WIFSIGNALED(status);
    }
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0);
  }
  EXPECT_GT(killed, 0u);
  const CommandResult result = Run(server, {"--segment-bytes", "200"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ExpectAllThere(server);
  EXPECT_EQ(server.stores(), server.stored().size()) << "no segment was stored twice";
}

TEST_F(Upload, DamagedFilesGoToQuarantineUnsent) {
  FaultServer server;
  Fill(2);
  std::string damaged = Text(SessionFile(3, 4));
  damaged[damaged.size() / 2] ^= 1;
  testing::WriteFile(spool_ + "/" + SpoolFileName(3), damaged);
  testing::WriteFile(spool_ + "/" + SpoolFileName(4), Text(SessionFile(5, 4)));  // another session's
  std::string cut = Text(SessionFile(6, 4));
  cut.pop_back();
  testing::WriteFile(spool_ + "/0000000000000006.truncated.slbr", cut);
  const CommandResult result = Run(server);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("2 of 5 files are in quarantine"), std::string::npos) << result.err;
  EXPECT_EQ(testing::ReadFile(spool_ + "/quarantine/" + SpoolFileName(3)), damaged);
  EXPECT_TRUE(std::filesystem::exists(spool_ + "/quarantine/" + SpoolFileName(4)));
  ExpectAllThere(server);
  EXPECT_TRUE(server.stored().contains("0000000000000006/0-3")) << "a cut session up to its last whole frame";
  EXPECT_EQ(server.stored().size(), 3u);

  // A second file of that name keeps the first.
  testing::WriteFile(spool_ + "/" + SpoolFileName(3), damaged);
  EXPECT_EQ(Run(server).exit_code, 1);
  EXPECT_TRUE(std::filesystem::exists(spool_ + "/quarantine/" + SpoolFileName(3) + ".1"));
  EXPECT_EQ(Run(server).exit_code, 0) << "quarantine is not sent";
}

TEST_F(Upload, ARefusedFileGoesToQuarantineAndTheOthersOn) {
  FaultServer server([](const HttpRequest& request) -> HttpReply {
    if (request.path.find("0000000000000002/") == std::string::npos) return FaultServer::NoFault();
    return {413, {}, {}, false};
  });
  Fill(3);
  const CommandResult result = Run(server);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("HTTP 413"), std::string::npos) << result.err;
  EXPECT_TRUE(std::filesystem::exists(spool_ + "/quarantine/" + SpoolFileName(2)));
  EXPECT_EQ(server.stored().size(), 2u);
}

TEST_F(Upload, RefusedCredentialsEndTheRunAndKeepTheFiles) {
  FaultServer server([](const HttpRequest& request) -> HttpReply {
    if (request.headers.contains("authorization")) return FaultServer::NoFault();
    return {401, {}, {}, false};
  });
  Fill(3);
  const CommandResult refused = Run(server);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("--header-file"), std::string::npos) << refused.err;
  EXPECT_EQ(server.requests(), 1u);
  EXPECT_EQ(Left(), 3u);
  testing::WriteFile(folder_ / "headers", "Authorization: Bearer t0ken\n");
  EXPECT_EQ(Run(server, {"--header-file", folder_ / "headers"}).exit_code, 0);
  ExpectAllThere(server);
  EXPECT_EQ(server.log().back().headers.at("authorization"), "Bearer t0ken");
}

TEST_F(Upload, AServerThatIsDownKeepsTheFiles) {
  Fill(2);
  std::string url;
  { url = FaultServer().url(); }
  const CommandResult result =
      testing::RunSoftlbr({"upload", spool_, url, "--max-wait", "0.001", "--retries", "3"}, {"no_proxy=127.0.0.1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("4 attempts"), std::string::npos) << result.err;
  EXPECT_EQ(Left(), 2u);
}

TEST_F(Upload, TheDailyBudgetHoldsAcrossRuns) {
  FaultServer server;
  Fill(4);
  const std::string budget = std::to_string(2 * sessions_[1].size() + 1);
  const CommandResult first = Run(server, {"--daily-bytes", budget});
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_NE(first.err.find("--daily-bytes is used up"), std::string::npos) << first.err;
  EXPECT_EQ(Left(), 2u);
  EXPECT_EQ(Run(server, {"--daily-bytes", budget}).exit_code, 1);
  EXPECT_EQ(server.stores(), 2u);
  testing::WriteFile(spool_ + "/.upload-budget", "?");
  const CommandResult damaged = Run(server, {"--daily-bytes", budget});
  EXPECT_NE(damaged.err.find("delete it"), std::string::npos) << damaged.err;
  EXPECT_EQ(Run(server).exit_code, 0);
  ExpectAllThere(server);
}

TEST_F(Upload, OneUploadOfAFolderAtATime) {
  // The first run holds the folder while its request is not answered.
  std::mutex held;
  held.lock();
  std::atomic<bool> is_asked = false;
  FaultServer server([&](const HttpRequest&) -> HttpReply {
    is_asked = true;
    const std::lock_guard lock(held);
    return FaultServer::NoFault();
  });
  Fill(1);
  CommandResult first;
  std::thread running([&] { first = Run(server); });
  for (int i = 0; i < 6000 && !is_asked; ++i) usleep(10000);
  const CommandResult second = Run(server);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.err.find("another upload of this folder is running"), std::string::npos) << second.err;
  held.unlock();
  running.join();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  ExpectAllThere(server);
}

// Makes a folder unchangeable, as one on a disk that turned read-only, or changeable again. False: this file system or
// user cannot.
bool SetUnchangeable(const std::string& folder, bool is_unchangeable) {
  if (geteuid() != 0) return chmod(folder.c_str(), is_unchangeable ? 0500 : 0700) == 0;
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int flags = 0;
  bool is_set = fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
  flags = is_unchangeable ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
  is_set = is_set && ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
  if (fd >= 0) close(fd);
  return is_set;
}

TEST_F(Upload, AFolderThatTurnsReadOnlyLosesNothingAndRepeatsNothing) {
  if (!SetUnchangeable(spool_, true)) GTEST_SKIP() << "missing: a file system that can make a folder immutable";
  ASSERT_TRUE(SetUnchangeable(spool_, false));
  // The folder can be removed whatever fails.
  const std::unique_ptr<const std::string, void (*)(const std::string*)> healed(
      &spool_, [](const std::string* folder) { (void)SetUnchangeable(*folder, false); });
  uint64_t requests = 0;
  FaultServer server([&](const HttpRequest&) -> HttpReply {
    if (++requests == 5) {
      EXPECT_TRUE(SetUnchangeable(spool_, true));
    }
    return FaultServer::NoFault();
  });
  Fill(8);
  const CommandResult broken = Run(server);
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_NE(broken.err.find("was sent and cannot be deleted"), std::string::npos) << broken.err;
  EXPECT_EQ(Left(), 4u) << "the fifth was sent, but not deleted";
  EXPECT_EQ(server.stored().size(), 5u);
  ASSERT_TRUE(SetUnchangeable(spool_, false));
  EXPECT_EQ(Run(server).exit_code, 0);
  ExpectAllThere(server);
  EXPECT_EQ(server.stored().size(), 8u);
}

TEST_F(Upload, AFolderThatVanishesEndsTheRunWithWhatWasSentWhole) {
  uint64_t requests = 0;
  FaultServer server([&](const HttpRequest&) -> HttpReply {
    if (++requests == 5) std::filesystem::remove_all(spool_);
    return FaultServer::NoFault();
  });
  Fill(8);
  const CommandResult result = Run(server, {"--segment-bytes", "200"});
  EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.exit_code;
  EXPECT_NE(result.err.find("cannot be opened any more"), std::string::npos) << result.err;
  // The session being sent goes on from its open file; those behind it are gone, and no part of them is sent.
  const auto stored = server.stored();
  const std::string nothing = testing::Reassembled({}, 1);
  size_t whole = 0;
  for (const auto& [session, text] : sessions_) {
    const std::string there = testing::Reassembled(stored, session);
    EXPECT_TRUE(there == nothing || there == text) << session;
    whole += there == text ? 1 : 0;
  }
  EXPECT_GT(whole, 0u);
  EXPECT_LT(whole, sessions_.size());
  EXPECT_EQ(Run(server).exit_code, 1) << "no such folder";
}

TEST_F(Upload, AServerThatOverwritesIsAskedFirst) {
  FaultServer server([](const HttpRequest& request) -> HttpReply {
    if (request.method != "PUT") return FaultServer::NoFault();
    return {204, {}, {}, true};
  });
  Fill(3);
  EXPECT_EQ(Run(server, {"--head-first", "--mkcol"}).exit_code, 0);
  for (const auto& [session, text] : sessions_) testing::WriteFile(spool_ + "/" + SpoolFileName(session), text);
  const CommandResult again = Run(server, {"--head-first"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("3 segments were on the server already"), std::string::npos) << again.out;
  EXPECT_EQ(server.stores(), 3u);
  ExpectAllThere(server);
}

using Proof = FaultServer::Proof;

TEST_F(Upload, OtherBytesUnderASessionsPathKeepItsFile) {
  for (const Proof proof : {Proof::kDigest, Proof::kContent}) {
    FaultServer server({}, proof);
    Fill(3);
    std::string other = sessions_[2];
    other.back() ^= 1;  // of the same length
    server.Plant("0000000000000002/0-4", other);
    const CommandResult result = Run(server);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("holds other bytes as 0000000000000002/0-4"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("in the place of 1 of 3 files, which stay"), std::string::npos) << result.err;
    EXPECT_EQ(testing::ReadFile(spool_ + "/" + SpoolFileName(2)), sessions_[2]) << "the only copy";
    EXPECT_EQ(Left(), 1u) << "the others went on";
  }
}

// Servers and intermediaries that say they have a segment.
TEST_F(Upload, AnAnswerThatProvesNothingDeletesNothing) {
  Fill(2);
  const std::string body = sessions_[1];
  const auto reply = [](int status, const std::string& headers = {}, const std::string& text = {}) {
    HttpReply answer{status, headers, {}, false};
    answer.body = text;
    return answer;
  };
  struct Case {
    const char* name;
    HttpReply put;
    HttpReply get;
  };
  const std::string cut = body.substr(0, body.size() - 1);
  const Case cases[] = {
      {"a proxy that is content with everything", reply(200), reply(200)},
      {"a proxy that says the same to everything", reply(412), reply(412)},
      {"a page", reply(412), reply(200, "Content-Type: text/html\r\n", "<html>sign in</html>")},
      {"created, and not there", reply(201), reply(404)},
      {"present, and not there", reply(412), reply(404)},
      {"an ETag", reply(412, "ETag: W/\"1\"\r\n"), reply(304, "ETag: W/\"1\"\r\n")},
      {"a digest of another kind", reply(201, "Repr-Digest: md5=:AAAAAAAAAAAAAAAAAAAAAA==:\r\n"), reply(403)},
      {"a digest of the answer's own body", reply(201, "Content-Digest: " + ContentDigest({}) + "\r\n"), reply(403)},
      {"the digest of nothing", reply(201, "Repr-Digest: " + ContentDigest({}) + "\r\n"), reply(200, {}, body)},
      {"two digests", reply(201, "Repr-Digest: " + ContentDigest({}) + "\r\nRepr-Digest: sha-256=:AA==:\r\n"),
       reply(404)},
      {"a part", reply(201), reply(206, "Content-Range: bytes 0-9/10\r\n", body)},
      {"less", reply(201), reply(200, {}, cut)},
      {"more", reply(201), reply(200, {}, body + "x")},
      {"nothing", reply(201), reply(200)},
      {"a transfer that breaks off", reply(201),
       reply(200, "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n", cut)},
      {"compressed", reply(412), reply(200, "Content-Encoding: gzip\r\n", "\x1f\x8b")},
  };
  for (const Case& one : cases) {
    FaultServer server([&](const HttpRequest& request) { return request.method == "PUT" ? one.put : one.get; });
    const CommandResult result = Run(server, {"--retries", "2", "--timeout", "2"});
    EXPECT_EQ(result.exit_code, 1) << one.name;
    EXPECT_EQ(Left(), 2u) << one.name << ": " << result.err;
    EXPECT_TRUE(result.err.find("nothing was deleted") != std::string::npos ||
                result.err.find("which stay") != std::string::npos ||
                result.err.find("nothing is lost") != std::string::npos)
        << one.name << ": " << result.err;
  }
}

TEST_F(Upload, AServerThatStoresSomethingElseIsFoundOut) {
  for (const Proof proof : {Proof::kDigest, Proof::kContent}) {
    FaultServer* self = nullptr;
    FaultServer server(
        [&](const HttpRequest& request) -> HttpReply {
          if (request.method != "PUT") return FaultServer::NoFault();
          HttpReply answer{201, {}, {}, false};
          if (proof == Proof::kDigest) answer.headers = "Repr-Digest: " + ContentDigest({}) + "\r\n";
          return answer;
        },
        proof);
    self = &server;
    Fill(2);
    for (const char* path : {"0000000000000001/0-4", "0000000000000002/0-4"}) self->Plant(path, "something else");
    const CommandResult result = Run(server);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("but holds other bytes there; nothing was deleted"), std::string::npos) << result.err;
    EXPECT_EQ(Left(), 2u);
  }
}

TEST_F(Upload, AServerWithoutDigestsIsReadBack) {
  FaultServer server({}, Proof::kContent);
  Fill(3);
  EXPECT_EQ(Run(server).exit_code, 0);
  ExpectAllThere(server);
  size_t reads = 0;
  for (const HttpRequest& request : server.log()) {
    reads += request.method == "GET";
    if (request.method == "PUT") {
      EXPECT_EQ(request.headers.at("repr-digest").substr(0, 9), "sha-256=:");
    } else {
      EXPECT_EQ(request.headers.at("cache-control"), "no-cache");
    }
  }
  EXPECT_EQ(reads, 3u);
  for (const auto& [session, text] : sessions_) testing::WriteFile(spool_ + "/" + SpoolFileName(session), text);
  EXPECT_EQ(Run(server).exit_code, 0) << "412, and the same bytes";
  EXPECT_EQ(Left(), 0u);
}

TEST_F(Upload, AServerThatMayNotBeReadIsTrustedOnRequest) {
  FaultServer server({}, Proof::kNone);
  Fill(2);
  const CommandResult refused = Run(server);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("GET brings HTTP 405"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--trust-answers"), std::string::npos) << refused.err;
  EXPECT_EQ(Left(), 2u);
  EXPECT_EQ(server.stores(), 1u) << "the run ends at the first";
  FaultServer fresh({}, Proof::kNone);
  EXPECT_EQ(Run(fresh, {"--trust-answers"}).exit_code, 0);
  ExpectAllThere(fresh);
}

TEST_F(Upload, WrongAddressesAreRefused) {
  Fill(1);
  for (const char* url : {"", "ftp://h/", "file:///tmp/x", "http://", "http://user:secret@h/", "http://h/?a=b",
                          "http://h/#x", "h/base"}) {
    const CommandResult result = testing::RunSoftlbr({"upload", spool_, url});
    EXPECT_EQ(result.exit_code, 1) << url;
    EXPECT_NE(result.err.find("upload: the address"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("secret"), std::string::npos);
  }
  EXPECT_EQ(testing::RunSoftlbr({"upload", folder_ / "missing", "http://h/"}).exit_code, 1);
  EXPECT_EQ(Left(), 1u);
}

TEST_F(Upload, TheRateIsALimit) {
  FaultServer server;
  Fill(4);
  uint64_t bytes = 0;
  for (const auto& [session, text] : sessions_) bytes += text.size();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Run(server, {"--rate", std::to_string(bytes * 2)}).exit_code, 0);
  // Half a second for all of it, the last segment not counted: a slow machine only takes longer.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
  ExpectAllThere(server);
}

}  // namespace
}  // namespace softlbr::toolchain
