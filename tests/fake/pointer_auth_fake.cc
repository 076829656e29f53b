// Contract: pointer_auth_fake.h, and platform/pointer_auth.h over it.
#include "tests/fake/pointer_auth_fake.h"

#include "platform/pointer_auth.h"

namespace softlbr::fake {
namespace {
uint32_t bits = 0;

uint64_t SignatureMask() { return ((uint64_t{1} << 55) - 1) & ~((uint64_t{1} << bits) - 1); }
}  // namespace

void SetSigningCpu(uint32_t address_bits) { bits = address_bits; }

}  // namespace softlbr::fake

namespace softlbr::platform {

bool StripPointer(uint64_t pointer, uint64_t* out) {
  const uint64_t mask = fake::SignatureMask();
  *out = (pointer >> 55 & 1) != 0 ? pointer | mask : pointer & ~mask;
  return fake::bits != 0;
}

bool SignPointer(uint64_t pointer, uint64_t modifier, uint32_t key, uint64_t* out) {
  if (key > 1) return false;
  uint64_t stripped = 0;
  if (!StripPointer(pointer, &stripped)) return false;
  const uint64_t signature = (stripped * 0x9e3779b97f4a7c15 ^ (modifier + key + 1) * 0xc2b2ae3d27d4eb4f) >> 3;
  const uint64_t mask = fake::SignatureMask();
  *out = (pointer & ~mask) | (signature & mask);
  return true;
}

}  // namespace softlbr::platform
