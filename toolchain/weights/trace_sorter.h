// Sorts whole traces that need not fit into memory, so that their order depends on their content only. Host code.
//
// Memory: kTraceSorterBytes, and a buffer for each part that was sorted. More than that goes to an unnamed temporary
// file, part by part, each sorted; Visit() merges the parts. The order is that of an encoding, and has no meaning but
// to be the same each time.
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_TRACE_SORTER_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_TRACE_SORTER_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

inline constexpr uint64_t kTraceSorterBytes = 32ull << 20;

class TraceSorter {
 public:
  explicit TraceSorter(uint64_t bytes = kTraceSorterBytes) : budget_(bytes) {}

  // StatedFailure if the temporary file cannot be written.
  void Add(const Trace& trace);
  // Gives every trace that was added, in order. May be called again; no Add() may follow. StatedFailure as above.
  void Visit(const TraceVisitor& visit);

 private:
  struct Part {
    uint64_t begin;
    uint64_t end;
  };
  class PartReader;

  void SortHeld();
  void SpillHeld();

  const uint64_t budget_;
  uint64_t held_bytes_ = 0;
  std::vector<std::string> held_;  // encoded
  std::vector<Part> parts_;        // of the file
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_TRACE_SORTER_H_
