#include "toolchain/profile/whole_frames.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runtime/format/crc32c.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kLeastScanBytes = 1 << 8;
constexpr uint64_t kMostScanBytes = 1 << 20;
// As the reader has it: in a forged file, payloads can overlap.
constexpr uint64_t kMostWastedBytes = 256ull << 20;

const uint8_t* BytesOf(const std::string& text) { return reinterpret_cast<const uint8_t*>(text.data()); }

}  // namespace

WholeFrames::WholeFrames(std::string path, uint64_t most) : path_(std::move(path)), file_(path_, std::ios::binary) {
  file_.seekg(0, std::ios::end);
  const auto end = file_.tellg();
  if (end < 0) throw StatedFailure(SafeText(path_) + ": cannot be read: " + std::strerror(errno) + "; record again");
  end_ = std::min(static_cast<uint64_t>(end), most);
}

std::string WholeFrames::Read(uint64_t at, uint64_t bytes) {
  std::string result(bytes, '\0');
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(at));
  file_.read(result.data(), static_cast<std::streamsize>(bytes));
  if (file_.gcount() != static_cast<std::streamsize>(bytes)) {
    throw StatedFailure(SafeText(path_) + ": cannot be read: " + std::strerror(errno) + "; record again");
  }
  return result;
}

WholeFrames::Found WholeFrames::FrameAt(uint64_t at) {
  bytes_ = Read(at, kFrameHeaderBytes);
  if (!DecodeFrameHeader(BytesOf(bytes_), &header_)) return Found::kNoHeader;
  const bool has_sizes = header_.version != 0 && header_.compressed_bytes <= kMaxFramePayloadBytes &&
                         header_.uncompressed_bytes <= kMaxFramePayloadBytes;
  if (!has_sizes || header_.compressed_bytes > end_ - at - kFrameHeaderBytes) return Found::kDamagedFrame;
  bytes_ += Read(at + kFrameHeaderBytes, header_.compressed_bytes);
  if (Crc32c(BytesOf(bytes_) + kFrameHeaderBytes, header_.compressed_bytes) == header_.payload_crc)
    return Found::kFrame;
  wasted_ += header_.compressed_bytes;
  return Found::kDamagedFrame;
}

// The begin of the next header at or after `at`, with whatever frame; the end if there is none.
uint64_t WholeFrames::FindHeader(uint64_t at) {
  // Most often it is a few bytes away.
  uint64_t window_bytes = kLeastScanBytes;
  while (end_ - at >= kFrameHeaderBytes) {
    const uint64_t bytes = std::min(end_ - at, window_bytes);
    const std::string window = Read(at, bytes);
    FrameHeader header;
    for (uint64_t i = 0; i + kFrameHeaderBytes <= bytes; ++i) {
      if (DecodeFrameHeader(BytesOf(window) + i, &header)) return at + i;
    }
    at += bytes - kFrameHeaderBytes + 1;
    window_bytes = std::min(2 * window_bytes, kMostScanBytes);
  }
  return end_;
}

bool WholeFrames::Next() {
  while (end_ - next_ >= kFrameHeaderBytes) {
    at_ = next_;
    const Found found = FrameAt(at_);
    if (found == Found::kFrame) {
      next_ = at_ + kFrameHeaderBytes + header_.compressed_bytes;
      return true;
    }
    if (wasted_ > at_ + kMostWastedBytes) break;
    next_ = FindHeader(at_ + (found == Found::kNoHeader ? 1 : kFrameHeaderBytes));
  }
  return false;
}

}  // namespace softlbr::toolchain
