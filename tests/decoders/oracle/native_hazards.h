// Random encodings that must not run on the CPU: they would change the test process itself (system calls, segment and
// control registers, x87 environments), never return, or cost a VM exit each. Judged by the bytes alone, independently
// of the decoder under test.
#ifndef SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_HAZARDS_H_
#define SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_HAZARDS_H_

#include <cstddef>
#include <cstdint>

namespace softlbr::oracle {

bool IsSafeToRunNatively(const uint8_t* code, size_t size);

}  // namespace softlbr::oracle

#endif  // SOFTLBR_TESTS_DECODERS_ORACLE_NATIVE_HAZARDS_H_
