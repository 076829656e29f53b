// platform/pointer_auth.h for tests: a CPU with or without pointer authentication, whatever this one is.
#ifndef SOFTLBR_TESTS_FAKE_POINTER_AUTH_FAKE_H_
#define SOFTLBR_TESTS_FAKE_POINTER_AUTH_FAKE_H_

#include <cstdint>

namespace softlbr::fake {

// The bits of an address on a CPU that signs, with the signature above them and below bit 55; 0: the code is another CPU's,
// as at the start.
void SetSigningCpu(uint32_t address_bits);

}  // namespace softlbr::fake

#endif  // SOFTLBR_TESTS_FAKE_POINTER_AUTH_FAKE_H_
