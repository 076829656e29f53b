// SHA-256 of a file (FIPS 180-4), by which the database recognises uploads that it has.
#ifndef SOFTLBR_TOOLCHAIN_DB_CONTENT_HASH_H_
#define SOFTLBR_TOOLCHAIN_DB_CONTENT_HASH_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

class Sha256 {
 public:
  void Add(std::string_view bytes);
  std::string Hex();  // ends the hash

 private:
  void AddBlock(const uint8_t* block);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  uint64_t bytes_ = 0;
};

struct FileHash {
  std::string sha256;
  uint64_t bytes = 0;
};

// In constant memory. StatedFailure if the file cannot be read.
FileHash HashFile(const std::string& path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_CONTENT_HASH_H_
