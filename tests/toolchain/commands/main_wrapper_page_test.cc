// docs/linking.md, "A session around main": it names every key of SOFTLBR_OPTIONS, with the defaults and limits of the
// runtime.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "platform/base/limits.h"
#include "tests/toolchain/commands/run_command.h"

namespace softlbr::toolchain {
namespace {

const std::string kPage = SOFTLBR_PROJECT_FOLDER "/docs/linking.md";
const std::string kProtocol = SOFTLBR_PROJECT_FOLDER "/runtime/process_tree/record_protocol.h";

// The row of a key; empty if it has none.
std::string RowOf(const std::string& key) {
  std::istringstream lines(testing::ReadFile(kPage));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `" + key + "` |")) return line;
  }
  return "";
}

TEST(MainWrapperPage, NamesEveryKey) {
  const std::string page = testing::ReadFile(kPage);
  std::istringstream lines(testing::ReadFile(kProtocol));
  const std::regex key_line("//   ([a-z]+) +[^ ].*");
  std::set<std::string> keys;
  bool is_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("Values:")) is_list = true;
    if (line.starts_with("// Before main")) is_list = false;
    std::smatch match;
    if (is_list && std::regex_match(line, match, key_line)) keys.insert(match[1]);
  }
  ASSERT_GE(keys.size(), 16u);
  for (const std::string& key : keys) EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
}

TEST(MainWrapperPage, HasTheRuntimesLimitsAndDefaults) {
  const auto expect = [](const std::string& key, uint64_t number) {
    EXPECT_TRUE(std::regex_search(RowOf(key), std::regex("\\b" + std::to_string(number) + "\\b")))
        << key << " " << number;
  };
  expect("branches", kMaxBranchesPerTrace);
  expect("branches", kDefaultBranchesPerTrace);
  expect("branches", kBranchesPerTraceAtGivenRate);
  expect("branches", kDefaultStaticBranchesPerTrace);
  expect("threads", kMaxThreads);
  expect("threads", kDefaultMaxThreads);
  expect("verify", kDefaultVerifyEvery);
  expect("overhead", kDefaultMaxOverheadPpm);
  expect("overhead", kFrequencyMaxOverheadPpm);
}

}  // namespace
}  // namespace softlbr::toolchain
