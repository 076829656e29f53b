// A forward-moving window over the bytes of a file, pipe or buffer. Host code.
//
// Who: profile_reader.cc. Memory: kWindowBytes for a descriptor, regardless of the file's size; none for a buffer.
#ifndef SOFTLBR_TOOLCHAIN_BASE_PROFILE_INPUT_H_
#define SOFTLBR_TOOLCHAIN_BASE_PROFILE_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace softlbr::toolchain {

class ProfileInput {
 public:
  static constexpr size_t kWindowBytes = 4u << 20;

  explicit ProfileInput(std::span<const uint8_t> bytes) : fixed_(bytes) {}
  // Does not close fd.
  explicit ProfileInput(int fd) : fd_(fd) {}

  // Up to `bytes` (<= kWindowBytes / 2) bytes from `offset`; fewer only at the end or after a read error. `offset` must
  // not decrease from call to call. Valid until the next call.
  std::span<const uint8_t> View(uint64_t offset, size_t bytes);

  // Text of the read error; empty if there was none.
  const std::string& error() const { return error_; }
  // True if there are no bytes at or after `offset`.
  bool IsEnd(uint64_t offset) { return View(offset, 1).empty(); }

 private:
  std::span<const uint8_t> fixed_;
  int fd_ = -1;
  std::unique_ptr<uint8_t[]> window_;  // not zeroed: a small file touches few of its pages
  uint64_t window_begin_ = 0;
  size_t window_bytes_ = 0;
  bool is_exhausted_ = false;
  std::string error_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_PROFILE_INPUT_H_
