#include "toolchain/code/mnemonic_groups.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr char kForm[] = "; write lines `group: mnemonic, mnemonic`";

std::string Trimmed(const std::string& text) {
  constexpr char kSpaces[] = " \t\r\f\v";
  const size_t first = text.find_first_not_of(kSpaces);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

}  // namespace

MnemonicGroups::MnemonicGroups(const std::string& path) {
  std::ifstream file(path);
  if (!file.is_open())
    throw StatedFailure(SafeText(path) + ": " + std::strerror(errno) + "; name a file of groups that can be read");
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    ReadLine(SafeText(path) + ":" + std::to_string(number), Trimmed(line.substr(0, line.find('#'))));
  }
  if (file.bad()) throw StatedFailure(SafeText(path) + ": cannot be read; name a file of groups, not a folder");
  if (whole_.empty() && begins_.empty()) throw StatedFailure(SafeText(path) + ": defines no group" + kForm);
}

void MnemonicGroups::ReadLine(const std::string& place, const std::string& line) {
  if (line.empty()) return;
  const size_t colon = line.find(':');
  if (colon == std::string::npos) throw StatedFailure(place + ": " + SafeText(line) + " has no colon" + kForm);
  const std::string group = Trimmed(line.substr(0, colon));
  if (group.empty()) throw StatedFailure(place + ": the group has no name" + kForm);
  std::istringstream list(line.substr(colon + 1) + ",");
  for (std::string mnemonic; std::getline(list, mnemonic, ',');) {
    mnemonic = LowerCase(Trimmed(mnemonic));
    if (mnemonic.empty())
      throw StatedFailure(place + ": a mnemonic of the group " + SafeText(group) + " is missing" + kForm);
    Add(place, mnemonic, SafeText(group));
  }
}

void MnemonicGroups::Add(const std::string& place, const std::string& mnemonic, const std::string& group) {
  const size_t star = mnemonic.find('*');
  if (star != std::string::npos && star + 1 != mnemonic.size()) {
    throw StatedFailure(place + ": " + SafeText(mnemonic) +
                        " has a * that is not at its end; write as many mnemonics as are meant");
  }
  auto& groups = star == std::string::npos ? whole_ : begins_;
  const auto [known, is_new] = groups.try_emplace(mnemonic.substr(0, star), group);
  if (!is_new && known->second != group) {
    throw StatedFailure(place + ": " + SafeText(mnemonic) + " is in the groups " + known->second + " and " + group +
                        "; each instruction counts in one group, so leave it in one");
  }
}

const std::string& MnemonicGroups::Of(const std::string& mnemonic) const {
  static const std::string kOther = "(other)";
  const auto found = whole_.find(mnemonic);
  if (found != whole_.end()) return found->second;
  for (size_t letters = mnemonic.size() + 1; letters-- > 0;) {
    const auto begin = begins_.find(mnemonic.substr(0, letters));
    if (begin != begins_.end()) return begin->second;
  }
  return kOther;
}

}  // namespace softlbr::toolchain
