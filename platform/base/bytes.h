// Copying, filling and comparing bytes without libc.
//
// Context: handler-safe. Cost: one iteration per 8 bytes. Header-only, so that no object of the runtime imports memcpy
// or similar functions. Each copying or filling loop contains a compiler barrier: without it the optimiser would turn
// the loop into a call to memcpy or memset.
#ifndef SOFTLBR_PLATFORM_BASE_BYTES_H_
#define SOFTLBR_PLATFORM_BASE_BYTES_H_

#include <cstdint>
#include <type_traits>

#include "platform/base/attributes.h"

namespace softlbr {

// Loads a value from an address of any alignment.
template <typename T>
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE T LoadUnaligned(const void* from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  T value;
  __builtin_memcpy(&value, from, sizeof(T));  // the size is constant: the compiler emits loads, not a call
  return value;
}

template <typename T>
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void StoreUnaligned(void* to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  __builtin_memcpy(to, &value, sizeof(T));
}

// Copies from low to high addresses: the ranges may overlap only if output is below input.
SOFTLBR_HANDLER_SAFE inline void CopyBytes(void* output, const void* input, uint64_t bytes) {
  char* to = static_cast<char*>(output);
  const char* from = static_cast<const char*>(input);
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
    StoreUnaligned(to, LoadUnaligned<uint64_t>(from));
    __asm__ volatile("" ::: "memory");
  }
  for (; bytes != 0; --bytes) {
    *to++ = *from++;
    __asm__ volatile("" ::: "memory");
  }
}

SOFTLBR_HANDLER_SAFE inline void FillBytes(void* output, uint8_t value, uint64_t bytes) {
  char* to = static_cast<char*>(output);
  const uint64_t pattern = 0x0101010101010101u * value;
  for (; bytes >= 8; bytes -= 8, to += 8) {
    StoreUnaligned(to, pattern);
    __asm__ volatile("" ::: "memory");
  }
  for (; bytes != 0; --bytes) {
    *to++ = static_cast<char>(value);
    __asm__ volatile("" ::: "memory");
  }
}

inline bool EqualBytes(const void* left, const void* right, uint64_t bytes) {
  const char* a = static_cast<const char*>(left);
  const char* b = static_cast<const char*>(right);
  for (; bytes >= 8; bytes -= 8, a += 8, b += 8) {
    if (LoadUnaligned<uint64_t>(a) != LoadUnaligned<uint64_t>(b)) return false;
  }
  for (; bytes != 0; --bytes) {
    if (*a++ != *b++) return false;
  }
  return true;
}

// Number of bytes before the terminating zero, at most limit.
inline uint64_t StringBytes(const char* text, uint64_t limit) {
  uint64_t length = 0;
  while (length < limit && text[length] != '\0') {
    ++length;
    __asm__ volatile("" ::: "memory");  // keeps the loop from becoming a call to strlen
  }
  return length;
}

}  // namespace softlbr

#endif  // SOFTLBR_PLATFORM_BASE_BYTES_H_
