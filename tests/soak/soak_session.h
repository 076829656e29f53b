// Shared by the tests of this folder: sessions at high rates in this process, and the account of their samples.
#ifndef SOFTLBR_TESTS_SOAK_SOAK_SESSION_H_
#define SOFTLBR_TESTS_SOAK_SOAK_SESSION_H_

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/runtime/session/session_fixture.h"

namespace softlbr {

class SoakSession : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    options_.event = SOFTLBR_EVENT_TASK_CLOCK;
    options_.period = 100003;
  }
  // A positive number from the environment, for the longer tests that README.md describes.
  static uint64_t Setting(const char* name, uint64_t usual) {
    const char* text = std::getenv(name);
    const uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
    return value != 0 ? value : usual;
  }
};

// Every sample became a complete or aborted trace, or was lost because no buffer was free; none is missing. (A trace
// that meets a critical section continues after it as another trace.)
inline void ExpectEverySampleAccounted(const SessionCounters& counters) {
  uint64_t ended = counters.traces_complete + counters.lost[static_cast<uint32_t>(LossReason::kNoFreeBuffer)];
  for (const uint64_t aborted : counters.traces_aborted) ended += aborted;
  EXPECT_GE(ended, counters.samples);
  EXPECT_LE(ended, counters.samples + counters.traces_aborted[static_cast<uint32_t>(AbortReason::kCriticalSection)]);
}

// Kilobytes in a line of a file of /proc.
inline uint64_t FieldKb(const char* path, const char* name) {
  const std::string text = ReadFile(path);
  const size_t at = text.find(name);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + std::strlen(name), nullptr, 10);
}
// Of /proc/self/status, for example "VmSize:". Resident sizes there may be wrong by 64 pages for each thread (proc(5)).
inline uint64_t StatusKb(const char* name) { return FieldKb("/proc/self/status", name); }

}  // namespace softlbr

#endif  // SOFTLBR_TESTS_SOAK_SOAK_SESSION_H_
