// The kernel's text files, line by line, in a buffer of the caller's.
//
// Context: control. A line longer than the buffer is cut at the buffer's end; its rest is skipped.
#ifndef SOFTLBR_PLATFORM_LINUX_TEXT_LINES_H_
#define SOFTLBR_PLATFORM_LINUX_TEXT_LINES_H_

#include <cstdint>

namespace softlbr::platform {

class TextLines {
 public:
  // Opens path; IsOpen says whether that worked. buffer must outlive this.
  TextLines(const char* path, char* buffer, uint64_t buffer_bytes);
  ~TextLines();
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;

  bool IsOpen() const { return fd_ >= 0; }
  // The next line, NUL-terminated, without its newline; valid until the next call. nullptr at the end or on a read error.
  char* Next();
  // True if a read failed: what came before is incomplete.
  bool HasFailed() const { return has_failed_; }

 private:
  void Refill();

  long fd_;
  char* buffer_;
  uint64_t capacity_;
  uint64_t begin_ = 0;  // of what is unread in the buffer
  uint64_t end_ = 0;
  bool is_at_end_ = false;
  bool has_failed_ = false;
  bool is_skipping_ = false;  // the rest of a line that was cut
};

// Reads a number and moves *text past it. No digits: 0.
uint64_t ParseHex(const char** text);
uint64_t ParseDecimal(const char** text);
// Moves *text past `prefix` if it starts with it.
bool SkipPrefix(const char** text, const char* prefix);
void SkipSpace(const char** text);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_TEXT_LINES_H_
