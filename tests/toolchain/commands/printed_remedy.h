// The part of a message that a reader would copy, for tests that do as it says.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_PRINTED_REMEDY_H_
#define SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_PRINTED_REMEDY_H_

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace softlbr::testing {

// The words behind `before`, up to the end of the line, the first of .,;) or "or".
inline std::vector<std::string> WordsBehind(const std::string& message, const std::string& before) {
  const size_t at = message.find(before);
  EXPECT_NE(at, std::string::npos) << "not in the message: " << before << '\n' << message;
  if (at == std::string::npos) return {};
  const size_t start = at + before.size();
  std::istringstream line(message.substr(start, message.find('\n', start) - start));
  std::vector<std::string> found;
  for (std::string word; line >> word && word != "or" && word[0] != '(';) {
    const size_t end = word.find_last_not_of(".,;)");
    const bool is_last = end + 1 != word.size();
    word.resize(end + 1);
    if (!word.empty()) found.push_back(word);
    if (is_last) break;
  }
  EXPECT_FALSE(found.empty()) << "nothing behind " << before << '\n' << message;
  return found;
}

// The first of them, for an option or a name.
inline std::string WordBehind(const std::string& message, const std::string& before) {
  const std::vector<std::string> words = WordsBehind(message, before);
  return words.empty() ? "" : words[0];
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_COMMANDS_PRINTED_REMEDY_H_
