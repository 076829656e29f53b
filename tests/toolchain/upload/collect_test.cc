// `softlbr collect`: the decision on a request, the store, and the server against good and bad clients.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/toolchain/commands/run_command.h"
#include "tests/toolchain/profile/synthetic_profile.h"
#include "tests/toolchain/upload/forged_sessions.h"
#include "toolchain/base/names.h"
#include "toolchain/collect/collect_request.h"
#include "toolchain/profile/profile_reader.h"
#include "toolchain/upload/content_digest.h"
#include "toolchain/upload/segment_plan.h"

namespace softlbr::toolchain {
namespace {

using test::Bytes;
using testing::CommandResult;
using testing::SessionFile;
using testing::Text;

constexpr uint64_t kOneSession = 0xff;
constexpr char kOnePath[] = "/00000000000000ff/0-2";

class CollectDecision : public ::testing::Test {
 protected:
  CollectReply Ask(std::string_view method, std::string_view path, const Bytes& body = {},
                   std::string_view condition = "") {
    return Reply({method, path, condition, digest_, range_, body}, &store_);
  }
  std::string digest_;
  std::string range_;
  testing::TemporaryFolder folder_;
  FolderStore store_{folder_ / "store", 1 << 20};
};

TEST_F(CollectDecision, StoresASegmentOnce) {
  const Bytes body = SessionFile(kOneSession, 2);
  EXPECT_EQ(Ask("HEAD", kOnePath).status, 404);
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").status, 201);
  EXPECT_EQ(testing::ReadFile(folder_ / "store/00000000000000ff.slbr"), Text(body)) << "a complete session is a file";
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").status, 412);
  EXPECT_EQ(Ask("PUT", kOnePath, body).status, 200);
  EXPECT_EQ(Ask("HEAD", kOnePath).content_bytes, body.size());
  Bytes other = SessionFile(kOneSession, 0);
  other = test::Magic();
  for (uint32_t i = 0; i < 3; ++i) test::Append(&other, testing::DataFrame(kOneSession, i));
  EXPECT_EQ(Ask("PUT", kOnePath, other).status, 409) << "other bytes";
  Bytes two = test::Magic();
  for (uint32_t i = 0; i < 2; ++i) test::Append(&two, testing::DataFrame(kOneSession, i));
  EXPECT_EQ(Ask("PUT", "/00000000000000ff/0-1", two).status, 200) << "frames that are there under another name";
}

TEST_F(CollectDecision, ShowsWhatItHasByDigestAndContent) {
  const Bytes body = SessionFile(kOneSession, 2);
  Bytes other = test::Magic();
  for (uint32_t i = 0; i < 3; ++i) test::Append(&other, testing::DataFrame(kOneSession, i));
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").digest, ContentDigest(body));
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").digest, ContentDigest(body));
  EXPECT_EQ(Ask("PUT", kOnePath, other, "*").status, 412);
  EXPECT_EQ(Ask("PUT", kOnePath, other, "*").digest, ContentDigest(body));
  EXPECT_NE(Ask("PUT", kOnePath, other, "*").text, Ask("PUT", kOnePath, body, "*").text);
  EXPECT_EQ(Ask("PUT", kOnePath, other).digest, ContentDigest(body));
  EXPECT_EQ(Ask("HEAD", kOnePath).digest, ContentDigest(body));
  EXPECT_EQ(Ask("GET", kOnePath).content, body);
  EXPECT_EQ(Ask("GET", "/00000000000000ff/0-1").content.size(), body.size() - test::EndFrame(2, kOneSession).size())
      << "a part of it";
  EXPECT_EQ(Ask("GET", "/00000000000000ff/0-3").status, 404);
  testing::WriteFile(folder_ / "store/00000000000000ff.slbr", "rotten");
  EXPECT_NE(Ask("PUT", kOnePath, body, "*").digest, ContentDigest(body)) << "of the bytes on the disk";
}

TEST_F(CollectDecision, TheBodyHasTheDigestOfItsHeaderAndIsWhole) {
  const Bytes body = SessionFile(kOneSession, 2);
  digest_ = ContentDigest(SessionFile(kOneSession, 1));
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").status, 400);
  digest_ = "sha-256=:?:";
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").status, 400);
  digest_ = ContentDigest(body);
  range_ = "bytes 0-9/100";
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").status, 400);
  EXPECT_FALSE(store_.Find({kOneSession, 0, 2}));
  range_.clear();
  EXPECT_EQ(Ask("PUT", kOnePath, body, "*").status, 201);
}

// Checksums say that bytes are as they were written, not that they are a profile.
TEST_F(CollectDecision, GarbageWithRightChecksumsIsRefused) {
  std::mt19937 random(9);
  const auto garbage = [&random](size_t bytes) {
    Bytes text(bytes);
    for (uint8_t& byte : text) byte = static_cast<uint8_t>(random());
    return text;
  };
  const auto ask = [this](const Bytes& payload, uint8_t kind) {
    test::Forged forged;
    forged.session_id = kOneSession;
    forged.kind = kind;
    Bytes body = test::Magic();
    test::Append(&body, test::Frame(payload, forged));
    return Ask("PUT", "/00000000000000ff/0-0", body, "*").status;
  };
  constexpr auto kData = static_cast<uint8_t>(FrameKind::kData);
  for (uint32_t kind = 0; kind < 12; ++kind) {
    const bool is_known = kind == kData || kind == static_cast<uint8_t>(FrameKind::kEnd);
    if (!is_known) {
      EXPECT_EQ(ask(test::OneModule(), static_cast<uint8_t>(kind)), 400) << "kind " << kind;
    }
    EXPECT_EQ(ask({}, static_cast<uint8_t>(kind)), 400) << "nothing, kind " << kind;
    EXPECT_EQ(ask(garbage(300), static_cast<uint8_t>(kind)), 400) << "kind " << kind;
  }
  for (uint32_t id = 0; id < 40; ++id) {
    EXPECT_EQ(ask(test::Section(id, garbage(300)), kData), 400) << "section " << id;
    Bytes behind = test::OneModule();
    test::Append(&behind, test::Section(id, garbage(40)));
    EXPECT_EQ(ask(behind, kData), 400) << "section " << id << " behind a good one";
  }
  EXPECT_EQ(ask(test::OneModule(), kData), 201) << "none of them was stored";
}

TEST_F(CollectDecision, TakesOnlyWhatThePathNames) {
  const Bytes body = SessionFile(kOneSession, 2);
  EXPECT_EQ(Ask("PUT", "/00000000000000fe/0-2", body).status, 400);
  EXPECT_EQ(Ask("PUT", "/00000000000000ff/0-1", body).status, 400);
  EXPECT_EQ(Ask("PUT", "/00000000000000ff/0-3", body).status, 400);
  EXPECT_EQ(Ask("PUT", kOnePath).status, 400) << "nothing";
  for (size_t at = 0; at < body.size(); ++at) {
    Bytes damaged = body;
    damaged[at] ^= 0x10;
    EXPECT_EQ(Ask("PUT", kOnePath, damaged).status, 400) << at;
  }
  Bytes more = body;
  more.push_back(0);
  EXPECT_EQ(Ask("PUT", kOnePath, more).status, 400);
  for (const char* path : {"", "/../x/0-1", "/00000000000000ff/", "/00000000000000ff/0-2/", "x", "//"}) {
    EXPECT_EQ(Ask("PUT", path, body).status, 400) << path;
  }
  EXPECT_EQ(Ask("PUT", "/", body).status, 405);
  EXPECT_EQ(Ask("PUT", "/merged/abcd", body).status, 405);
  EXPECT_EQ(Ask("DELETE", kOnePath).status, 405);
  EXPECT_EQ(Ask("GET", "/nothing").status, 404);
  EXPECT_EQ(Ask("GET", "/merged/..").status, 400);
  EXPECT_EQ(Ask("GET", "/merged/abcd").merge_build_id, "abcd");
  EXPECT_EQ(std::filesystem::exists(folder_ / "store/00000000000000ff"), false) << "nothing was stored";
}

TEST_F(CollectDecision, TheDiskHasABound) {
  int stored = 0;
  int refused = 0;
  for (uint64_t session = 1; session <= 300; ++session) {
    const int status = Ask("PUT", "/" + SegmentPath({session, 0, 1}), SessionFile(session, 1)).status;
    stored += status == 201;
    refused += status == 507;
  }
  EXPECT_EQ(stored, 256) << "1 MiB of 4 KiB blocks";
  EXPECT_EQ(refused, 44);
}

// Frames first .. end - 1 of a session of data_frames frames and its end.
Bytes Segment(uint32_t first, uint32_t end, uint32_t data_frames) {
  Bytes bytes = test::Magic();
  for (uint32_t i = first; i < end && i < data_frames; ++i) test::Append(&bytes, testing::DataFrame(kOneSession, i));
  if (end == data_frames + 1) test::Append(&bytes, test::EndFrame(data_frames, kOneSession));
  return bytes;
}

TEST(CollectStore, JoinsASessionOnceAllOfItIsThereInWhateverOrder) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "store";
  FolderStore store(path, 1 << 20);
  const std::string joined = path + "/00000000000000ff.slbr";
  EXPECT_EQ(store.Put({kOneSession, 4, 5}, Segment(4, 6, 5)), PutResult::kStored) << "with the end";
  EXPECT_EQ(store.Put({kOneSession, 0, 1}, Segment(0, 2, 5)), PutResult::kStored);
  EXPECT_FALSE(std::filesystem::exists(joined));
  EXPECT_EQ(store.Arriving().size(), 1u);
  EXPECT_EQ(store.Put({kOneSession, 2, 3}, Segment(2, 4, 5)), PutResult::kStored);
  EXPECT_EQ(testing::ReadFile(joined), Text(SessionFile(kOneSession, 5)));
  EXPECT_FALSE(std::filesystem::exists(path + "/00000000000000ff"));
  EXPECT_TRUE(store.Arriving().empty());
  // What was stored is still there, segment by segment.
  EXPECT_EQ(store.Read({kOneSession, 2, 3}), Segment(2, 4, 5));
  EXPECT_EQ(store.Put({kOneSession, 0, 1}, Segment(0, 2, 5)), PutResult::kSameThere);
  EXPECT_EQ(store.Put({kOneSession, 0, 1}, Segment(1, 3, 5)), PutResult::kOtherThere);
  EXPECT_EQ(store.Put({kOneSession, 5, 6}, Segment(5, 7, 6)), PutResult::kOtherThere);
}

TEST(CollectStore, JoinsWhatAKillHasLeft) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "store";
  { EXPECT_EQ(FolderStore(path, 1 << 20).Put({kOneSession, 0, 1}, Segment(0, 2, 3)), PutResult::kStored); }
  testing::WriteFile(path + "/00000000000000ff/2-3.slbr", Text(Segment(2, 4, 3)));  // killed before the join
  { EXPECT_EQ(FolderStore(path, 1 << 20).Joined().size(), 1u); }
  EXPECT_EQ(testing::ReadFile(path + "/00000000000000ff.slbr"), Text(SessionFile(kOneSession, 3)));
  std::filesystem::create_directory(path + "/00000000000000ff");  // killed behind it
  testing::WriteFile(path + "/00000000000000ff/0-1.slbr", Text(Segment(0, 2, 3)));
  FolderStore again(path, 1 << 20);
  EXPECT_TRUE(again.Arriving().empty());
  EXPECT_FALSE(std::filesystem::exists(path + "/00000000000000ff"));
}

// The app was killed: no end will come.
TEST(CollectStore, JoinsAQuietSessionAsItIs) {
  const testing::TemporaryFolder folder;
  FolderStore store(folder / "store", 1 << 20, 0);
  EXPECT_EQ(store.Put({kOneSession, 0, 1}, Segment(0, 2, 5)), PutResult::kStored);
  EXPECT_EQ(store.Put({kOneSession + 1, 0, 2}, SessionFile(kOneSession + 1, 2)), PutResult::kStored);
  EXPECT_EQ(testing::ReadFile(folder / "store/00000000000000ff.slbr"), Text(Segment(0, 2, 5)));
  EXPECT_EQ(store.Put({kOneSession, 2, 3}, Segment(2, 4, 5)), PutResult::kOtherThere) << "too late";
}

TEST(CollectStore, ReadsWhatItHoldsAndRemovesUnfinishedFiles) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "store";
  const Bytes body = Segment(0, 2, 2);
  { EXPECT_EQ(FolderStore(path, 1 << 20).Put({kOneSession, 0, 1}, body), PutResult::kStored); }
  testing::WriteFile(path + "/00000000000000ff/.tmp-7", "half");
  testing::WriteFile(path + "/.tmp-8", "half a join");
  std::filesystem::create_directory(path + "/.merge-7");
  FolderStore again(path, 1 << 20);
  EXPECT_EQ(again.Find({kOneSession, 0, 1}), body.size());
  EXPECT_FALSE(again.Find({kOneSession, 0, 2}));
  EXPECT_FALSE(std::filesystem::exists(path + "/.tmp-8"));
  EXPECT_FALSE(std::filesystem::exists(path + "/00000000000000ff/.tmp-7"));
  EXPECT_FALSE(std::filesystem::exists(path + "/.merge-7"));
  EXPECT_NE(testing::RunSoftlbr({"collect", "--listen", "127.0.0.1:0", "-o", path}).err.find("another collect"),
            std::string::npos);
}

// A `softlbr collect` in a process of its own.
class CollectProcess {
 public:
  explicit CollectProcess(const std::string& folder, uint16_t port = 0, const std::vector<std::string>& more = {}) {
    int out[2];
    if (pipe2(out, O_CLOEXEC) != 0) return;
    std::vector<std::string> arguments = {"softlbr", "collect", "--listen", "127.0.0.1:" + std::to_string(port),
                                          "-o",      folder};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const std::string program = testing::SoftlbrPath();
    pid_ = fork();
    if (pid_ == 0) {
      dup2(out[1], 1);
      execv(program.c_str(), pointers.data());
      _exit(127);
    }
    close(out[1]);
    std::string line;
    char byte;
    while (read(out[0], &byte, 1) == 1 && byte != '\n') line += byte;
    close(out[0]);
    const size_t colon = line.rfind(':');
    if (colon != std::string::npos) port_ = static_cast<uint16_t>(std::atoi(line.c_str() + colon + 1));
  }
  CollectProcess(const CollectProcess&) = delete;
  CollectProcess& operator=(const CollectProcess&) = delete;
  ~CollectProcess() {
    if (pid_ > 0) End(SIGKILL);
  }
  // The exit code, or -1.
  int End(int signal_number) {
    kill(pid_, signal_number);
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

int Connect(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit = {30, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// Everything that the server answers until it closes the connection.
std::string Exchange(uint16_t port, const std::string& bytes) {
  const int fd = Connect(port);
  (void)!send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  std::string answer;
  char buffer[65536];
  for (ssize_t got; (got = recv(fd, buffer, sizeof buffer, 0)) > 0;) answer.append(buffer, static_cast<size_t>(got));
  close(fd);
  return answer;
}

std::string PutRequest(const std::string& path, const Bytes& body) {
  return "PUT " + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + Text(body);
}

int StatusOf(const std::string& answer) {
  return answer.starts_with("HTTP/1.") && answer.size() > 12 ? std::atoi(answer.c_str() + 9) : 0;
}

class Collect : public ::testing::Test {
 protected:
  // A spool of profiles of two builds, and the same files for a merge that does not travel.
  void FillSpool(uint64_t sessions) {
    std::filesystem::create_directory(spool_);
    for (uint64_t i = 1; i <= sessions; ++i) {
      Profile profile = testing::SyntheticProfile();
      profile.sessions[0].session_id = i;
      for (BranchCount& branch : profile.branches) branch.count += i;
      if (i % 5 == 0) profile.modules[0].build_id = {0xab, 0xcd};
      const std::string path = spool_ + "/" + testing::SpoolFileName(i);
      ASSERT_EQ(WriteProfileFile(profile, path), "");
      std::filesystem::copy_file(path, folder_ / testing::SpoolFileName(i));
      if (i % 5 != 0) untravelled_.push_back(folder_ / testing::SpoolFileName(i));
    }
  }
  CommandResult Upload(const std::string& url, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"upload", spool_, url, "--max-wait", "0.05", "--retries", "1000"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return testing::RunSoftlbr(arguments, {"no_proxy=127.0.0.1"});
  }
  void ExpectMergeIsThatOfTheFiles(uint16_t port) {
    const std::string build_id = HexBytes(testing::SyntheticProfile().modules[0].build_id);
    const std::string answer = Exchange(port, "GET /merged/" + build_id + " HTTP/1.0\r\n\r\n");
    ASSERT_EQ(StatusOf(answer), 200) << answer.substr(0, 300);
    std::vector<std::string> arguments = {"merge", "-o", folder_ / "sum"};
    arguments.insert(arguments.end(), untravelled_.begin(), untravelled_.end());
    ASSERT_EQ(testing::RunSoftlbr(arguments).exit_code, 0);
    EXPECT_TRUE(answer.substr(answer.find("\r\n\r\n") + 4) == testing::ReadFile(folder_ / "sum")) << "byte for byte";
  }

  testing::TemporaryFolder folder_;
  const std::string spool_ = folder_ / "spool";
  const std::string store_ = folder_ / "store";
  std::vector<std::string> untravelled_;
};

TEST_F(Collect, MergesWhatTravelledAsIfItHadNot) {
  FillSpool(60);
  CollectProcess server(store_);
  ASSERT_NE(server.port(), 0);
  const CommandResult result = Upload(server.url(), {"--segment-bytes", "300"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out.substr(0, 20), "sent 60 of 60 files:") << result.out;
  ExpectMergeIsThatOfTheFiles(server.port());
  EXPECT_NE(Exchange(server.port(), "GET / HTTP/1.0\r\n\r\n").find("sessions 60\n"), std::string::npos);
  EXPECT_EQ(StatusOf(Exchange(server.port(), "GET /merged/0123 HTTP/1.0\r\n\r\n")), 404);
  EXPECT_EQ(server.End(SIGTERM), 0);
}

// From the device's folder to the merge and the database: the folder of collect is what the other commands read.
TEST_F(Collect, FolderIsReadByMergeAndTheDatabaseAndSumsAreCarriedOn) {
  FillSpool(20);
  CollectProcess server(store_);
  ASSERT_NE(server.port(), 0);
  for (uint64_t i = 11; i <= 20; ++i)
    std::filesystem::rename(spool_ + "/" + testing::SpoolFileName(i), folder_ / ("later" + std::to_string(i)));
  ASSERT_EQ(Upload(server.url(), {"--segment-bytes", "300"}).exit_code, 0);
  const std::string build_id = HexBytes(testing::SyntheticProfile().modules[0].build_id);
  ASSERT_EQ(StatusOf(Exchange(server.port(), "GET /merged/" + build_id + " HTTP/1.0\r\n\r\n")), 200);
  const std::string first_sum = testing::ReadFile(store_ + "/.merged/" + build_id + ".slbr");
  EXPECT_FALSE(first_sum.empty());
  for (uint64_t i = 11; i <= 20; ++i)
    std::filesystem::rename(folder_ / ("later" + std::to_string(i)), spool_ + "/" + testing::SpoolFileName(i));
  ASSERT_EQ(Upload(server.url(), {"--segment-bytes", "300"}).exit_code, 0);
  ExpectMergeIsThatOfTheFiles(server.port());
  EXPECT_NE(testing::ReadFile(store_ + "/.merged/" + build_id + ".slbr"), first_sum);

  std::vector<std::string> files;
  for (uint64_t i = 1; i <= 20; ++i) files.push_back(folder_ / testing::SpoolFileName(i));
  std::vector<std::string> merge = {"merge", "-o", folder_ / "of_files"};
  merge.insert(merge.end(), files.begin(), files.end());
  ASSERT_EQ(testing::RunSoftlbr(merge).exit_code, 0);
  const CommandResult merged = testing::RunSoftlbr({"merge", "-o", folder_ / "of_store", store_});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(testing::ReadFile(folder_ / "of_store"), testing::ReadFile(folder_ / "of_files"));
  EXPECT_EQ(merged.err.find("not complete"), std::string::npos) << merged.err;

  const std::string engine = SOFTLBR_ENGINE_FILE;
  if (!std::filesystem::exists(engine)) GTEST_SKIP() << "missing: libduckdb.so (toolchain/scripts/fetch_duckdb.sh)";
  const auto facts = [&](const std::string& database, const std::vector<std::string>& inputs) {
    std::vector<std::string> ingest = {"db", "ingest", folder_ / database};
    ingest.insert(ingest.end(), inputs.begin(), inputs.end());
    const CommandResult result = testing::RunSoftlbr(ingest, {"SOFTLBR_DUCKDB=" + engine});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return testing::RunSoftlbr({"db", "query", "--csv", folder_ / database, "SELECT count(*) FROM session"},
                               {"SOFTLBR_DUCKDB=" + engine})
               .out +
           testing::RunSoftlbr({"db", "query", "--csv", folder_ / database, "SELECT sum(taken_branches) FROM upload"},
                               {"SOFTLBR_DUCKDB=" + engine})
               .out;
  };
  const std::string of_store = facts("of_store.db", {store_});
  EXPECT_EQ(of_store, facts("of_files.db", files));
  EXPECT_NE(of_store.find("20"), std::string::npos) << of_store;
}

TEST_F(Collect, SessionsThatAreStillArrivingAreNamedAndLeftOut) {
  std::filesystem::create_directories(store_ + "/00000000000000aa");
  testing::WriteFile(store_ + "/00000000000000aa/0-1.slbr", Text(Segment(0, 2, 5)));
  Profile profile = testing::SyntheticProfile();
  ASSERT_EQ(WriteProfileFile(profile, store_ + "/00000000000000bb.slbr"), "");
  const CommandResult merged = testing::RunSoftlbr({"merge", "-o", folder_ / "sum", store_});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_NE(merged.err.find("1 session is not complete yet and left out"), std::string::npos) << merged.err;
}

TEST_F(Collect, WhoeverWasFirstUnderAPathTakesNoFileAway) {
  FillSpool(3);
  CollectProcess server(store_);
  Profile forged = testing::SyntheticProfile();  // a valid session of this id, of other counts
  forged.sessions[0].session_id = 2;
  ASSERT_EQ(WriteProfileFile(forged, folder_ / "forged"), "");
  const std::string text = testing::ReadFile(folder_ / "forged");
  const std::string mine = spool_ + "/" + testing::SpoolFileName(2);
  ASSERT_NE(text, testing::ReadFile(mine));
  const Bytes forged_bytes(text.begin(), text.end());
  ProfileInput input(forged_bytes);
  SegmentRules rules;
  rules.session = 2;
  const SegmentPlan plan = PlanSegments(&input, rules);
  ASSERT_EQ(plan.segments.size(), 1u) << plan.damage;
  ASSERT_EQ(StatusOf(Exchange(server.port(), PutRequest("/" + SegmentPath(plan.segments[0].name), forged_bytes))), 201);
  const std::string before = testing::ReadFile(mine);
  const CommandResult result = Upload(server.url());
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("holds other bytes as"), std::string::npos) << result.err;
  EXPECT_EQ(testing::ReadFile(mine), before) << "the only copy";
  EXPECT_EQ(result.out.substr(0, 20), "sent 2 of 3 files: 2") << result.out;
}

TEST_F(Collect, AServerThatIsKilledAndRestartedGetsEverything) {
  FillSpool(40);
  std::mt19937 random(5);
  auto server = std::make_unique<CollectProcess>(store_);
  const uint16_t port = server->port();
  CommandResult result;
  std::atomic<bool> is_done = false;
  std::thread uploading([&] {
    result = Upload("http://127.0.0.1:" + std::to_string(port), {"--segment-bytes", "300"});
    is_done = true;
  });
  for (int kills = 0; kills < 5 && !is_done; ++kills) {
    usleep(20000 + random() % 50000);
    server->End(SIGKILL);
    server = std::make_unique<CollectProcess>(store_, port);
    ASSERT_EQ(server->port(), port);
  }
  uploading.join();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  ExpectMergeIsThatOfTheFiles(port);
}

// Repeats the request until it is answered, as softlbr upload does: a server under pressure may close any connection.
int PutUntilAnswered(uint16_t port, const std::string& path, const Bytes& body) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  int status = 0;
  while (status == 0 && std::chrono::steady_clock::now() < limit)
    status = StatusOf(Exchange(port, PutRequest(path, body)));
  return status;
}

// More connections than the server has slots for, none of which sends a whole request; each is made again when it is
// closed.
class SlowClients {
 public:
  SlowClients(uint16_t port, int count) : port_(port) {
    for (int i = 0; i < count; ++i) fds_.push_back(Begin());
    replacing_ = std::thread([this] {
      while (!is_ending_) ReplaceClosed();
    });
  }
  SlowClients(const SlowClients&) = delete;
  SlowClients& operator=(const SlowClients&) = delete;
  ~SlowClients() {
    is_ending_ = true;
    replacing_.join();
    for (const pollfd& fd : fds_) close(fd.fd);
  }
  int closed() const { return closed_; }

 private:
  pollfd Begin() const {
    const int fd = Connect(port_);
    (void)!send(fd, "PUT /", 5, MSG_NOSIGNAL);
    return {fd, POLLIN, 0};
  }
  void ReplaceClosed() {
    poll(fds_.data(), fds_.size(), 20);
    for (pollfd& fd : fds_) {
      if (fd.revents == 0) continue;
      close(fd.fd);
      ++closed_;
      fd = Begin();
    }
  }

  const uint16_t port_;
  std::vector<pollfd> fds_;
  std::atomic<int> closed_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::thread replacing_;
};

TEST_F(Collect, SlowClientsDoNotKeepOthersOut) {
  CollectProcess server(store_);
  ASSERT_NE(server.port(), 0);
  {
    const SlowClients slow(server.port(), 300);
    for (uint64_t session = 1; session <= 5; ++session) {
      const int status = PutUntilAnswered(server.port(), "/" + SegmentPath({session, 0, 2}), SessionFile(session, 2));
      EXPECT_TRUE(status == 201 || status == 200) << status;  // 200: the answer to an attempt before was lost
    }
    EXPECT_GT(slow.closed(), 0);
  }
  EXPECT_EQ(server.End(SIGINT), 0);
}

TEST_F(Collect, ARequestHasADeadlineHoweverSlowlyItArrives) {
  CollectProcess server(store_, 0, {"--timeout", "1"});
  const int fd = Connect(server.port());
  const auto begin = std::chrono::steady_clock::now();
  std::string next = "PUT /";
  bool is_open = true;
  while (is_open && std::chrono::steady_clock::now() - begin < std::chrono::minutes(1)) {
    is_open = send(fd, next.data(), next.size(), MSG_NOSIGNAL) > 0;
    next = "0";
    pollfd closed = {fd, POLLIN, 0};
    if (poll(&closed, 1, 50) > 0) is_open = false;
  }
  EXPECT_FALSE(is_open) << "a byte each 50 ms keeps no slot";
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900));
  close(fd);
}

TEST_F(Collect, GarbageIsAnsweredOrDropped) {
  CollectProcess server(store_, 0, {"--max-body", "100000"});
  const Bytes body = SessionFile(kOneSession, 2);
  EXPECT_EQ(PutUntilAnswered(server.port(), kOnePath, body), 201);
  std::mt19937 random(3);
  for (int i = 0; i < 50; ++i) {
    std::string garbage(random() % 3000, '\0');
    for (char& byte : garbage) byte = static_cast<char>(random());
    if (i % 2 == 0) garbage = PutRequest(kOnePath, body).substr(0, random() % 100) + garbage;
    Exchange(server.port(), garbage);
  }
  const std::string large(200000, 'x');
  EXPECT_EQ(StatusOf(Exchange(server.port(), PutRequest(kOnePath, Bytes(large.begin(), large.end())))), 413);
  EXPECT_EQ(StatusOf(Exchange(server.port(), PutRequest(kOnePath, body))), 200);
  EXPECT_EQ(StatusOf(Exchange(server.port(), "DELETE / HTTP/1.0\r\n\r\n")), 405);
  const std::string head = Exchange(server.port(), "HEAD " + std::string(kOnePath) + " HTTP/1.0\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: " + std::to_string(body.size())), std::string::npos) << head;
  EXPECT_EQ(server.End(SIGINT), 0);
}

TEST_F(Collect, WrongUsageIsRefused) {
  EXPECT_EQ(testing::RunSoftlbr({"collect", "--listen", "nowhere", "-o", store_}).exit_code, 2);
  EXPECT_EQ(testing::RunSoftlbr({"collect", "--listen", "127.0.0.1:99999", "-o", store_}).exit_code, 2);
  EXPECT_EQ(testing::RunSoftlbr({"collect", "--listen", "localhost:0", "-o", store_}).exit_code, 2);
  EXPECT_EQ(testing::RunSoftlbr({"collect", "--listen", "127.0.0.1:0", "-o", "/dev/null/x"}).exit_code, 1);
  const CollectProcess server(store_);
  const std::string taken = "127.0.0.1:" + std::to_string(server.port());
  const CommandResult second = testing::RunSoftlbr({"collect", "--listen", taken, "-o", folder_ / "other"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.err.find("cannot listen"), std::string::npos) << second.err;
}

}  // namespace
}  // namespace softlbr::toolchain
