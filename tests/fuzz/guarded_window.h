// A copy of bytes that ends directly before an unreadable page: reading beyond its end faults in every build.
#ifndef SOFTLBR_TESTS_FUZZ_GUARDED_WINDOW_H_
#define SOFTLBR_TESTS_FUZZ_GUARDED_WINDOW_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace softlbr::testing {

// Only one may exist at a time, as all use the same memory. At most kMostBytes.
class GuardedWindow {
 public:
  static constexpr size_t kMostBytes = 1 << 20;
  GuardedWindow(const uint8_t* bytes, size_t size) : begin_(End() - size) {
    if (size > kMostBytes) std::abort();
    if (size != 0) std::memcpy(begin_, bytes, size);
  }
  uint8_t* data() const { return begin_; }

 private:
  static uint8_t* End() {
    static uint8_t* const end = [] {
      constexpr size_t kGuardBytes = 65536;
      void* memory =
          mmap(nullptr, kMostBytes + kGuardBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) std::abort();
      uint8_t* const guard = static_cast<uint8_t*>(memory) + kMostBytes;
      if (mprotect(guard, kGuardBytes, PROT_NONE) != 0) std::abort();
      return guard;
    }();
    return end;
  }
  uint8_t* begin_;
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_FUZZ_GUARDED_WINDOW_H_
