// Code prefetch hints in machine code: which instruction is one, and which address it names.
#ifndef SOFTLBR_TESTS_REFERENCE_CODE_HINT_H_
#define SOFTLBR_TESTS_REFERENCE_CODE_HINT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace softlbr::reference {

// The address that the instruction at `pc` prefetches, if it names one relative to itself:
//   x86-64   prefetcht1, prefetchit0 and prefetchit1 with an address relative to rip, without prefixes (7 bytes)
//   AArch64  prfm pli..., label
// A hint through a register is none: what it names is not in the code.
inline std::optional<uint64_t> HintTarget(const uint8_t* code, size_t bytes, uint64_t pc, bool is_a64) {
  if (is_a64) {
    uint32_t word;
    if (bytes != sizeof word) return std::nullopt;
    std::memcpy(&word, code, sizeof word);
    if ((word & 0xff000018u) != 0xd8000008u) return std::nullopt;
    const auto words = static_cast<int32_t>(word << 8) >> 13;  // bits 5 to 23, signed
    return pc + static_cast<uint64_t>(static_cast<int64_t>(words) * 4);
  }
  if (bytes != 7 || code[0] != 0x0f || code[1] != 0x18) return std::nullopt;
  const bool is_hint = code[2] == 0x15 || code[2] == 0x35 || code[2] == 0x3d;  // /2, /6, /7 with a 32-bit displacement
  if (!is_hint) return std::nullopt;
  int32_t displacement;
  std::memcpy(&displacement, code + 3, sizeof displacement);
  return pc + bytes + static_cast<uint64_t>(static_cast<int64_t>(displacement));
}

}  // namespace softlbr::reference

#endif  // SOFTLBR_TESTS_REFERENCE_CODE_HINT_H_
