// Groups of mnemonics that a user has defined in a file: what `softlbr mix --by group` counts by.
//
// Each line is `group: mnemonic, mnemonic, ...`; lines of one group add up. A mnemonic that ends in * stands for all
// that begin so; the longest that fits decides, and a whole mnemonic before them. Case does not matter. Empty lines and
// what follows # are left out. Host code.
#ifndef SOFTLBR_TOOLCHAIN_CODE_MNEMONIC_GROUPS_H_
#define SOFTLBR_TOOLCHAIN_CODE_MNEMONIC_GROUPS_H_

#include <map>
#include <string>

namespace softlbr::toolchain {

class MnemonicGroups {
 public:
  // StatedFailure with the line, if the file cannot be read or has another form.
  explicit MnemonicGroups(const std::string& path);

  // "(other)" of a mnemonic that is in no group.
  const std::string& Of(const std::string& mnemonic) const;

 private:
  void ReadLine(const std::string& place, const std::string& line);
  void Add(const std::string& place, const std::string& mnemonic, const std::string& group);

  std::map<std::string, std::string> whole_;   // the group of a mnemonic, in lower case
  std::map<std::string, std::string> begins_;  // of those that begin so
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_MNEMONIC_GROUPS_H_
