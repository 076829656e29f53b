// platform/pointer_auth.h for tests: a CPU with or without pointer authentication, independent of the real one.
#ifndef SOFTLBR_TESTS_FAKE_POINTER_AUTH_FAKE_H_
#define SOFTLBR_TESTS_FAKE_POINTER_AUTH_FAKE_H_

#include <cstdint>

namespace softlbr::fake {

// Simulates a CPU that signs: `address_bits` bits of an address, the signature above them and below bit 55. 0, as at
// the start: the code is another CPU's.
void SetSigningCpu(uint32_t address_bits);

}  // namespace softlbr::fake

#endif  // SOFTLBR_TESTS_FAKE_POINTER_AUTH_FAKE_H_
