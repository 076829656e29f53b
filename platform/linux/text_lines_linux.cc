// Contract: text_lines.h.
#include "platform/base/bytes.h"
#include "platform/base/config.h"
#include "platform/file.h"
#include "platform/linux/text_lines.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {

TextLines::TextLines(const char* path, char* buffer, uint64_t buffer_bytes)
    : fd_(OpenBriefly(path)), buffer_(buffer), capacity_(buffer_bytes) {}

TextLines::~TextLines() {
  if (IsOpen()) CloseFile(static_cast<int>(fd_));
}

void TextLines::Refill() {
  if (begin_ != 0) {
    CopyBytes(buffer_, buffer_ + begin_, end_ - begin_);  // to a lower address: CopyBytes allows this overlap
    end_ -= begin_;
    begin_ = 0;
  }
  // One byte stays free for the terminator of a last line without a newline.
  const long bytes = ReadSome(static_cast<int>(fd_), buffer_ + end_, capacity_ - 1 - end_);
  if (bytes <= 0) {
    is_at_end_ = true;
    has_failed_ = bytes < 0;
    return;
  }
  end_ += static_cast<uint64_t>(bytes);
}

char* TextLines::Next() {
  if (!IsOpen()) return nullptr;
  uint64_t scan = begin_;
  for (;;) {
    while (scan < end_ && buffer_[scan] != '\n') ++scan;
    if (scan < end_) {
      char* line = buffer_ + begin_;
      buffer_[scan] = '\0';
      begin_ = scan + 1;
      if (!is_skipping_) return line;
      is_skipping_ = false;
      scan = begin_;
      continue;
    }
    if (is_at_end_) {
      if (begin_ == end_ || is_skipping_) return nullptr;
      char* line = buffer_ + begin_;
      buffer_[end_] = '\0';
      begin_ = end_;
      return line;
    }
    if (is_skipping_) {
      begin_ = end_ = scan = 0;
    } else if (begin_ == 0 && end_ == capacity_ - 1) {  // one line fills the buffer
      buffer_[end_] = '\0';
      begin_ = end_ = 0;
      is_skipping_ = true;
      return buffer_;
    }
    scan -= begin_;  // Refill moves the unread bytes to the front
    Refill();
  }
}

uint64_t ParseHex(const char** text) {
  uint64_t value = 0;
  for (;; ++*text) {
    const char c = **text;
    if (c >= '0' && c <= '9') {
      value = value << 4 | static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value << 4 | static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return value;
    }
  }
}

uint64_t ParseDecimal(const char** text) {
  uint64_t value = 0;
  for (; **text >= '0' && **text <= '9'; ++*text) value = value * 10 + static_cast<uint64_t>(**text - '0');
  return value;
}

bool SkipPrefix(const char** text, const char* prefix) {
  const char* at = *text;
  for (; *prefix != '\0'; ++prefix, ++at) {
    if (*at != *prefix) return false;
  }
  *text = at;
  return true;
}

void SkipSpace(const char** text) {
  while (**text == ' ' || **text == '\t') ++*text;
}

}  // namespace softlbr::platform
