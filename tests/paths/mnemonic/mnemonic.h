// Names of instructions for reports: by Capstone if it was found at build time, else the bytes.
#ifndef SOFTLBR_TESTS_PATHS_MNEMONIC_MNEMONIC_H_
#define SOFTLBR_TESTS_PATHS_MNEMONIC_MNEMONIC_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace softlbr::paths {

std::string MnemonicOf(uint16_t machine, const uint8_t* code, size_t size);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_MNEMONIC_MNEMONIC_H_
