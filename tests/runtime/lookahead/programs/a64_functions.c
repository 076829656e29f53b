/* Functions for a64_functions_test.cc: compiled for AArch64, freestanding, linked at a fixed address. Each takes up to
 * four arguments, which may point to memory, and returns. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTION __attribute__((noinline, used, visibility("default")))

FUNCTION void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  uint8_t* d = to;
  const uint8_t* s = from;
  for (; bytes >= 16; bytes -= 16, d += 16, s += 16) {
    __int128 chunk;
    __builtin_memcpy(&chunk, s, 16);
    __builtin_memcpy(d, &chunk, 16);
  }
  for (; bytes != 0; --bytes) *d++ = *s++;
  return to;
}
FUNCTION void* memset(void* to, int byte, size_t bytes) {
  uint8_t* d = to;
  for (; bytes != 0; --bytes) *d++ = (uint8_t)byte;
  return to;
}
FUNCTION uint64_t a64_strlen(const char* text) {
  const uint64_t ones = 0x0101010101010101u;
  const char* p = text;
  for (; ((uintptr_t)p & 7) != 0; ++p)
    if (*p == 0) return (uint64_t)(p - text);
  for (;; p += 8) {
    uint64_t word;
    __builtin_memcpy(&word, p, 8);
    const uint64_t zeroes = (word - ones) & ~word & (ones << 7);
    if (zeroes != 0) return (uint64_t)(p - text) + (uint64_t)(__builtin_ctzll(zeroes) >> 3);
  }
}
FUNCTION int64_t a64_strcmp(const char* a, const char* b) {
  for (; *a != 0 && *a == *b; ++a, ++b) {
  }
  return (uint8_t)*a - (uint8_t)*b;
}
FUNCTION uint64_t a64_hash(const uint8_t* bytes, uint64_t count) {
  uint64_t h = 0xcbf29ce484222325u;
  for (uint64_t i = 0; i < count; ++i) h = (h ^ bytes[i]) * 0x100000001b3u;
  for (uint64_t i = 0; i + 4 <= count; i += 4) {
    uint32_t word;
    __builtin_memcpy(&word, bytes + i, 4);
    h = (h << 13 | h >> 51) + __builtin_bswap32(word) * (uint64_t)(word >> 7 | 1) / ((word & 15) + 1);
  }
  return h;
}
FUNCTION uint64_t a64_crc(const uint8_t* bytes, uint64_t count) {
  uint32_t crc = ~0u;
  for (; count >= 8; count -= 8, bytes += 8) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, 8);
    __asm__("crc32x %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    __asm__("crc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(bytes[1]));
  }
  for (; count != 0; --count, ++bytes) __asm__("crc32b %w0, %w0, %w1" : "+r"(crc) : "r"(*bytes));
  return crc;
}
FUNCTION void a64_sort(int32_t* values, uint64_t count) {
  for (uint64_t i = 1; i < count; ++i) {
    const int32_t value = values[i];
    uint64_t at = i;
    for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
    values[at] = value;
  }
}
FUNCTION uint64_t a64_switch(const uint8_t* bytes, uint64_t count) {
  uint64_t sum = 1;
  for (uint64_t i = 0; i < count; ++i) {
    switch (bytes[i] & 15) {
      case 0: sum += 3; break;
      case 1: sum *= 5; break;
      case 2: sum ^= sum >> 7; break;
      case 3: sum -= bytes[i]; break;
      case 4: sum = ~sum; break;
      case 5: sum += sum << 9; break;
      case 6: sum |= 1; break;
      case 7: sum = __builtin_bswap64(sum); break;
      case 8: sum += (uint64_t)__builtin_popcountll(sum); break;
      case 9: sum ^= (uint64_t)__builtin_clzll(sum | 1); break;
      default: sum = sum * 31 + bytes[i];
    }
  }
  return sum;
}
static char* Number(char* to, uint64_t value, unsigned base) {
  char digits[24];
  int count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  while (count != 0) *to++ = digits[--count];
  return to;
}
static int Format(char* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char* begin = to;
  for (; *format != 0; ++format) {
    if (*format != '%') {
      *to++ = *format;
      continue;
    }
    switch (*++format) {
      case 'd': {
        int64_t value = va_arg(arguments, int64_t);
        if (value < 0) *to++ = '-';
        to = Number(to, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
        break;
      }
      case 'x': to = Number(to, va_arg(arguments, uint64_t), 16); break;
      case 's':
        for (const char* s = va_arg(arguments, const char*); *s != 0;) *to++ = *s++;
        break;
      case 'f': {
        double value = va_arg(arguments, double);
        to = Number(to, (uint64_t)value, 10);
        *to++ = '.';
        to = Number(to, (uint64_t)((value - (double)(uint64_t)value) * 1000.0), 10);
        break;
      }
      default: *to++ = *format;
    }
  }
  *to = 0;
  va_end(arguments);
  return (int)(to - begin);
}
FUNCTION uint64_t a64_format(char* to, const char* text, uint64_t number) {
  return (uint64_t)Format(to, "<%s> %d %x %d %f %s|%x %x %d %d\n", text, (int64_t)number, number >> 3,
                          -(int64_t)(number >> 9), (double)(number >> 44) / 7.0, "tail", number, (uint64_t)1,
                          (int64_t)2, (int64_t)-3);
}
FUNCTION uint64_t a64_float(double* values, uint64_t count) {
  double sum = 0, largest = 0;
  for (uint64_t i = 0; i < count; ++i) {
    values[i] = (double)((int64_t)i * 37 % 101) / 3.0 - 10.0;
    sum += values[i] * values[i];
    if (values[i] > largest) largest = values[i];
  }
  float narrow = (float)sum;
  return (uint64_t)(int64_t)(__builtin_sqrt(sum) * 1000.0) + (uint64_t)largest + (uint64_t)(int32_t)narrow;
}
FUNCTION uint64_t a64_recursion(uint64_t n) { return n < 2 ? n : a64_recursion(n - 1) + a64_recursion(n - 2); }
/* Its results are UNKNOWN; control does not depend on them. */
FUNCTION uint64_t a64_atomic(uint64_t* counter, uint64_t times) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < times; ++i) {
    __atomic_fetch_add(counter, i, __ATOMIC_ACQ_REL);
    __atomic_exchange_n(counter + 1, i, __ATOMIC_RELAXED);
    sum += i;
  }
  return sum;
}
