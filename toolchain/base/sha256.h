// SHA-256 (FIPS 180-4), which names content.
#ifndef SOFTLBR_TOOLCHAIN_BASE_SHA256_H_
#define SOFTLBR_TOOLCHAIN_BASE_SHA256_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

class Sha256 {
 public:
  void Add(std::string_view bytes);
  // Each ends the hash.
  std::array<uint8_t, 32> Digest();
  std::string Hex();

 private:
  void AddBlock(const uint8_t* block);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  uint64_t bytes_ = 0;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_SHA256_H_
