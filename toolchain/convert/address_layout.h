// A synthetic address space for the formats with run-time addresses (perf script, perf.data).
//
// A profile holds link-time addresses only. Here each position-independent module gets a load address of its own, far
// from the others; a program linked at a fixed address keeps it. The output's mapping records let consumers translate
// back.
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
  std::string path;  // of the module's file; the module's name if the file was not found
  std::vector<uint8_t> build_id;
};

class AddressLayout {
 public:
  // Modules without a branch or trace get no mapping.
  explicit AddressLayout(const ConvertInput& input);

  // Executable segments, in address order.
  const std::vector<Mapping>& mappings() const { return mappings_; }
  // Run-time address; kOutside for code in no module or in a module that did not fit the address space.
  uint64_t RuntimeAddress(const Location& location) const;

  // A user-space address outside every mapping.
  static constexpr uint64_t kOutside = 0x7fff00000000;

 private:
  std::vector<Mapping> mappings_;
  std::vector<std::optional<uint64_t>> biases_;
};

// The mapping as a line of `perf script --show-mmap-events`.
std::string PerfMappingLine(const Mapping& mapping);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CONVERT_ADDRESS_LAYOUT_H_
