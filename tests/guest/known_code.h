// Finds a shared library's code in a guest, by the code alone.
//
// Host code. Only the library's file is known. A sufficiently long block that equals a part of it gives the load
// address, because the guest loads a library at whole pages. From then on an address belongs to the library if it is in
// that range and its code is equal: another process may have other code there.
#ifndef SOFTLBR_TESTS_GUEST_KNOWN_CODE_H_
#define SOFTLBR_TESTS_GUEST_KNOWN_CODE_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace softlbr::guest {

class KnownCode {
 public:
  // Reads the executable segment of an ELF file. False: the file has none or cannot be read.
  bool Read(const std::string& file_name);
  // Whether the `count` instructions at address are the library's.
  bool Contains(uint64_t address, const uint32_t* words, size_t count);

 private:
  bool EqualsAt(uint64_t vaddr, const uint32_t* words, size_t count) const;

  std::vector<uint32_t> code_;
  uint64_t begin_ = 0;            // link-time address of code_
  std::set<uint64_t> distances_;  // run-time minus link-time addresses found so far
};

}  // namespace softlbr::guest

#endif  // SOFTLBR_TESTS_GUEST_KNOWN_CODE_H_
