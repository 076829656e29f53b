// A made-up address space for the formats that want run-time addresses (perf script, perf.data).
//
// A profile holds link-time addresses only. Position-independent modules get load addresses of their own here, far
// apart; programs linked at a fixed address stay there. Consumers map back by the mapping records written beside.
#ifndef SOFTLBR_TOOLCHAIN_CONVERT_ADDRESS_LAYOUT_H_
#define SOFTLBR_TOOLCHAIN_CONVERT_ADDRESS_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/convert/convert_input.h"

namespace softlbr::toolchain {

// The one process that a converted profile shows.
inline constexpr uint32_t kProcess = 1;

struct Mapping {
  uint64_t start = 0;  // page-aligned
  uint64_t bytes = 0;  // whole pages
  uint64_t file_offset = 0;
  uint32_t module = kNoModule;
  std::string path;  // the file's if it was found, else the module's name
};

class AddressLayout {
 public:
  // Modules that no branch or trace names get no mapping.
  explicit AddressLayout(const ConvertInput& input);

  // Executable segments, in address order.
  const std::vector<Mapping>& mappings() const { return mappings_; }
  // Run-time address; kOutside for code in no module (or in none that could be laid out).
  uint64_t RuntimeAddress(const Location& location) const;

  // In user space, in no mapping.
  static constexpr uint64_t kOutside = 0x7fff00000000;

 private:
  std::vector<Mapping> mappings_;
  std::vector<std::optional<uint64_t>> biases_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_ADDRESS_LAYOUT_H_
