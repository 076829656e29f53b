// Reads the kernel's text files line by line into a buffer of the caller.
//
// Context: control. A line longer than the buffer is cut at the buffer's end; the rest of the line is skipped.
#ifndef SOFTLBR_PLATFORM_LINUX_TEXT_LINES_H_
#define SOFTLBR_PLATFORM_LINUX_TEXT_LINES_H_

#include <cstdint>

namespace softlbr::platform {

class TextLines {
 public:
  // Opens path; IsOpen tells whether that worked. buffer must outlive this object.
  TextLines(const char* path, char* buffer, uint64_t buffer_bytes);
  ~TextLines();
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;

  bool IsOpen() const { return fd_ >= 0; }
  // The next line, NUL-terminated, without its newline; valid until the next call. nullptr at the end or on a read
  // error.
  char* Next();
  // True if a read failed: the lines returned so far are incomplete.
  bool HasFailed() const { return has_failed_; }

 private:
  void Refill();

  long fd_;
  char* buffer_;
  uint64_t capacity_;
  uint64_t begin_ = 0;  // start of the unread bytes in the buffer
  uint64_t end_ = 0;
  bool is_at_end_ = false;
  bool has_failed_ = false;
  bool is_skipping_ = false;  // the rest of a cut line is being skipped
};

// Parses a number and moves *text past it. 0 if there is no digit.
uint64_t ParseHex(const char** text);
uint64_t ParseDecimal(const char** text);
// Moves *text past `prefix` and returns true, if *text starts with it.
bool SkipPrefix(const char** text, const char* prefix);
void SkipSpace(const char** text);

}  // namespace softlbr::platform

#endif  // SOFTLBR_PLATFORM_LINUX_TEXT_LINES_H_
