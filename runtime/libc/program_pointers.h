// Tells whether memory that the program names to an interposed function can be read.
//
// Why: a system call refuses a pointer that cannot be read, with EFAULT. A function of ours that reads it first would
// crash instead. Context: any, except in a sandbox that does not allow our calls; also in vforked children.
// Cost: one system call (0.14 us) for each page.
// Not covered: memory that another thread unmaps meanwhile.
#ifndef SOFTLBR_RUNTIME_LIBC_PROGRAM_POINTERS_H_
#define SOFTLBR_RUNTIME_LIBC_PROGRAM_POINTERS_H_

#include <cstdint>

namespace softlbr {

// Makes no system call for a pointer in the same page as the one before.
class ReadableProbe {
 public:
  bool CanRead(const void* from, uint64_t bytes);
  // A text that ends within `most` bytes, or its first `most` bytes.
  bool CanReadText(const char* text, uint32_t most);

 private:
  bool CanReadPage(uint64_t page);

  uint64_t last_ = ~uint64_t{0};  // no page begins there
};

inline bool CanRead(const void* from, uint64_t bytes) { return ReadableProbe().CanRead(from, bytes); }

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LIBC_PROGRAM_POINTERS_H_
