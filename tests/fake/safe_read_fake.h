// platform/safe_read.h for tests: only ranges that a test has declared can be read.
#ifndef SOFTLBR_TESTS_FAKE_SAFE_READ_FAKE_H_
#define SOFTLBR_TESTS_FAKE_SAFE_READ_FAKE_H_

#include <cstdint>

namespace softlbr::fake {

// [begin, begin + bytes) can be read from now on. At most 16 areas.
void AllowReading(const void* begin, uint64_t bytes);
// Makes all memory unreadable and resets the count of probes to 0.
void ForgetReadable();
uint64_t ProbeCount();

}  // namespace softlbr::fake

#endif  // SOFTLBR_TESTS_FAKE_SAFE_READ_FAKE_H_
