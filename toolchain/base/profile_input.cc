#include "toolchain/base/profile_input.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace softlbr::toolchain {

std::span<const uint8_t> ProfileInput::View(uint64_t offset, size_t bytes) {
  if (fd_ < 0) {
    if (offset >= fixed_.size()) return {};
    return fixed_.subspan(offset, std::min<uint64_t>(bytes, fixed_.size() - offset));
  }
  if (window_ == nullptr) window_ = std::make_unique_for_overwrite<uint8_t[]>(kWindowBytes);
  while (offset + bytes > window_begin_ + window_bytes_ && !is_exhausted_) {
    if (offset > window_begin_ && offset - window_begin_ + bytes > kWindowBytes) {
      const size_t drop = static_cast<size_t>(std::min<uint64_t>(offset - window_begin_, window_bytes_));
      memmove(window_.get(), window_.get() + drop, window_bytes_ - drop);
      window_begin_ += drop;
      window_bytes_ -= drop;
    }
    const ssize_t got = read(fd_, window_.get() + window_bytes_, kWindowBytes - window_bytes_);
    if (got > 0) {
      window_bytes_ += static_cast<size_t>(got);
    } else if (got == 0) {
      is_exhausted_ = true;
    } else if (errno != EINTR) {
      error_ = strerror(errno);
      is_exhausted_ = true;
    }
  }
  if (offset >= window_begin_ + window_bytes_) return {};
  const size_t at = static_cast<size_t>(offset - window_begin_);
  return {window_.get() + at, std::min(bytes, window_bytes_ - at)};
}

}  // namespace softlbr::toolchain
