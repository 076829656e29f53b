// Collects failures, one per form, and prints the first ones, so that a broken family does not flood the log.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_FAILURES_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_FAILURES_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace softlbr::oracle {

inline std::string BytesText(const uint8_t* code, size_t size) {
  std::string text;
  char byte[4];
  for (size_t i = 0; i < size; ++i) {
    std::snprintf(byte, sizeof(byte), "%02x", code[i]);
    text += byte;
  }
  return text;
}

class Failures {
 public:
  explicit Failures(uint64_t most_shown) : most_shown_(most_shown) {}
  void Add(const std::string& form, const uint8_t* code, size_t size, const std::string& what) {
    if (++count_ > most_shown_) return;
    std::printf("  %-44s %-32s %s\n", form.c_str(), BytesText(code, size).c_str(), what.c_str());
  }
  uint64_t count() const { return count_; }

 private:
  uint64_t most_shown_;
  uint64_t count_ = 0;
};

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_FAILURES_H_
