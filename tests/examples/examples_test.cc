#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "toolchain/profile/profile_reader.h"

namespace softlbr::toolchain {
namespace {

struct Result {
  int code;
  std::string output;
};

Result RunCommand(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  Result result{-1, ""};
  char text[256];
  while (fgets(text, sizeof(text), pipe) != nullptr) result.output += text;
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string TempFile(const std::string& name) {
  return (std::filesystem::temp_directory_path() / (name + std::to_string(getpid()) + ".slbr")).string();
}

void ExpectMainModuleProfile(const std::string& path, const std::string& module_name) {
  auto read = ReadProfileFile(path);
  ASSERT_TRUE(std::holds_alternative<Profile>(read)) << std::get<ReadError>(read).message;
  const Profile& profile = std::get<Profile>(read);
  EXPECT_FALSE(profile.is_truncated);
  EXPECT_EQ(profile.damaged_frames, 0u);
  uint64_t in_main = 0;
  uint64_t all = 0;
  for (const BranchCount& branch : profile.branches) {
    all += branch.count;
    if (branch.from.module == kNoModule) continue;
    const ProfileModule& module = profile.modules[branch.from.module];
    if (module.is_main) {
      in_main += branch.count;
      EXPECT_EQ(module.name, module_name);
    }
  }
  EXPECT_GT(all, 1000u);
  EXPECT_GT(in_main, all / 2) << "the work is in the program itself";
  // A sample within softlbr_start has branches of our own, which are taken out and counted.
  for (const LossReason reason : {LossReason::kUnmapped, LossReason::kOwnCode}) {
    all += profile.counters.lost[static_cast<uint32_t>(reason)];
  }
  EXPECT_EQ(all, profile.counters.taken_branches);
}

TEST(ExampleCApi, RecordsItsOwnWork) {
  const std::string path = TempFile("c_api");
  const Result result = RunCommand(std::string(C_API) + " " + path + " 2>&1");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.output.find("longest chain: 527 steps"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("recorded "), std::string::npos) << result.output;
  ExpectMainModuleProfile(path, "example_c_api");
  std::filesystem::remove(path);
}

TEST(ExampleStatic, RecordsItsOwnWork) {
  const std::string path = TempFile("static");
  const Result result = RunCommand(std::string(STATIC_PROGRAM) + " " + path + " 2>&1");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.output.find("longest chain: 527 steps"), std::string::npos) << result.output;
  ExpectMainModuleProfile(path, "example_static");
  std::filesystem::remove(path);
}

TEST(ExampleThreadPool, RecordsEveryThreadIntoItsSpool) {
  const std::string folder = TempFile("thread_pool");
  const Result result = RunCommand(std::string(THREAD_POOL) + " " + folder + " 2>&1");
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.output.find(" words\n"), std::string::npos) << result.output;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string()[0] == '.') continue;
    ++files;
    ExpectMainModuleProfile(entry.path(), "example_thread_pool");
    const auto read = ReadProfileFile(entry.path());
    EXPECT_GE(std::get<Profile>(read).counters.threads_traced, 4u);
  }
  EXPECT_EQ(files, 1);
  std::filesystem::remove_all(folder);
}

TEST(ExampleMainWrapper, RecordsIfTheEnvironmentSaysSo) {
  const std::string path = TempFile("main_wrapper");
  const Result result = RunCommand("SOFTLBR_OPTIONS='v1;out=" + path + ";freq=4999' " + MAIN_WRAPPER + " 2>&1");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "71274 primes\n");
  ExpectMainModuleProfile(path, "example_main_wrapper");
  std::filesystem::remove(path);
}

TEST(ExampleMainWrapper, DoesNothingByDefault) {
  const Result result = RunCommand("env -u SOFTLBR_OPTIONS " + std::string(MAIN_WRAPPER) + " 2>&1");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "71274 primes\n");
}

}  // namespace
}  // namespace softlbr::toolchain
