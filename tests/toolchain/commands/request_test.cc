// `softlbr request`: what it signs is what a device takes.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <ctime>

#include "runtime/trigger/control_request.h"
#include "tests/toolchain/commands/run_command.h"
#include "toolchain/trigger/sodium_library.h"

namespace softlbr::toolchain {
namespace {

using testing::RunSoftlbr;
using testing::TemporaryFolder;

class RequestCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (dlopen("libsodium.so.23", RTLD_NOW | RTLD_LOCAL) == nullptr) GTEST_SKIP() << "missing: libsodium23";
    const testing::CommandResult made = RunSoftlbr({"request", "--new-key", key_});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  bool IsSigned(const std::string& bytes) const {
    const std::string key = testing::ReadFile(key_ + ".pub");
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    return key.size() == kPublicKeyBytes && bytes.size() == sizeof(ServerRequest) + kSignatureBytes &&
           Sodium().verify(at + sizeof(ServerRequest), at, sizeof(ServerRequest),
                           reinterpret_cast<const unsigned char*>(key.data())) == 0;
  }
  TemporaryFolder folder_;
  std::string key_ = folder_ / "key";
  std::string output_ = folder_ / "out";
};

TEST_F(RequestCommand, KeysArePrivateAndNeverReplaced) {
  for (const std::string& path : {key_, key_ + ".pub"}) {
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u) << path;
  }
  const std::string before = testing::ReadFile(key_);
  EXPECT_EQ(before.size(), kSecretKeyBytes);
  EXPECT_EQ(RunSoftlbr({"request", "--new-key", key_}).exit_code, 1);
  EXPECT_EQ(testing::ReadFile(key_), before);
}

TEST_F(RequestCommand, WritesWhatADeviceTakes) {
  const testing::CommandResult run =
      RunSoftlbr({"request", "--key", key_, "--app", "game", "-d", "2.5", "-F", "997", "--skip", "90%", "--valid",
                  "600", "--max-overhead", "1%", "-o", output_});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::string bytes = testing::ReadFile(output_);
  ASSERT_TRUE(IsSigned(bytes));
  ServerRequest request;
  ASSERT_EQ(ParseServerRequest(bytes.data(), bytes.size(), &request), Refusal::kNone);
  EXPECT_STREQ(request.app, "game");
  EXPECT_EQ(request.start.duration_ms, 2500u);
  EXPECT_EQ(request.start.frequency_hz, 997u);
  EXPECT_EQ(request.start.max_overhead_ppm, 10000u);
  EXPECT_EQ(request.skip_ppm, 900000u);
  RequestReceiver receiver = {};
  std::strcpy(receiver.app, "game");
  const auto now_s = static_cast<uint64_t>(std::time(nullptr));
  EXPECT_EQ(CheckAddressee(request, receiver, now_s, now_s), Refusal::kNone);
  EXPECT_EQ(CheckAddressee(request, receiver, now_s + 700, now_s), Refusal::kExpired);
  bytes[8] ^= 1;
  EXPECT_FALSE(IsSigned(bytes));
  ASSERT_EQ(RunSoftlbr({"request", "--key", key_, "--app", "game", "-o", folder_ / "second"}).exit_code, 0);
  EXPECT_NE(testing::ReadFile(folder_ / "second").substr(8, 16), bytes.substr(8, 16)) << "each has a nonce of its own";
}

TEST_F(RequestCommand, BuildIsThatOfTheBinary) {
  const testing::CommandResult run =
      RunSoftlbr({"request", "--key", key_, "--app", "x", "-b", testing::SoftlbrPath(), "-o", output_});
  if (run.exit_code == 1 && run.err.find("build id") != std::string::npos)
    GTEST_SKIP() << "missing: a build id of the command";
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string bytes = testing::ReadFile(output_);
  ServerRequest request;
  ASSERT_EQ(ParseServerRequest(bytes.data(), bytes.size(), &request), Refusal::kNone);
  EXPECT_GT(request.build_id_bytes, 0u);
}

TEST_F(RequestCommand, SaysWhatIsWrong) {
  EXPECT_EQ(RunSoftlbr({"request", "--app", "x"}).exit_code, 2);
  EXPECT_EQ(RunSoftlbr({"request", "--key", key_}).exit_code, 2);
  EXPECT_EQ(RunSoftlbr({"request", "--new-key", folder_ / "k2", "--key", key_}).exit_code, 2);
  EXPECT_EQ(RunSoftlbr({"request", "--key", key_, "--app", "x", "--valid", "604801"}).exit_code, 2)
      << "longer than a week";
  const auto fails = [this](const std::string& key, const std::string& app) {
    const testing::CommandResult run = RunSoftlbr({"request", "--key", key, "--app", app, "-o", output_});
    return run.exit_code == 1 && run.err.starts_with("softlbr: ") && run.err.find('\n') == run.err.size() - 1;
  };
  EXPECT_TRUE(fails(folder_ / "none", "x"));
  EXPECT_TRUE(fails(key_ + ".pub", "x")) << "the wrong half";
  EXPECT_TRUE(fails(key_, std::string(32, 'x')));
  testing::WriteFile(folder_ / "noise", std::string(64, 'n'));
  EXPECT_TRUE(fails(folder_ / "noise", "x")) << "its halves do not fit";
}

}  // namespace
}  // namespace softlbr::toolchain
