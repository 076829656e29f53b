// rep movs, stos, scas and cmps of many lengths and widths, and libc's string functions between them. Argument: rounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char source[4096 + 64], target[4096 + 64];

static void MoveBytes(void* to, const void* from, size_t n) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
static void MoveWords(void* to, const void* from, size_t n) {
  __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
static void Fill(void* to, unsigned value, size_t n) {
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(value) : "memory");
}
static size_t Scan(const void* in, unsigned char value, size_t n) {
  const size_t all = n;
  __asm__ volatile("repne scasb" : "+D"(in), "+c"(n) : "a"(value) : "cc", "memory");
  return all - n;
}
static size_t Match(const void* a, const void* b, size_t n) {
  const size_t all = n;
  __asm__ volatile("cmp %%ecx, %%ecx\n\trepe cmpsb" : "+D"(a), "+S"(b), "+c"(n) : : "cc", "memory");
  return all - n;
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 900;
  size_t sum = 0;
  for (unsigned i = 0; i < sizeof source; ++i) source[i] = (unsigned char)(i * 37 + (i >> 3) + 1);
  for (unsigned round = 0; round < rounds; ++round) {
    const size_t length = (round * 53) % 400, shift = round % 61;
    switch (round % 6) {
      case 0: MoveBytes(target + shift, source, length); break;
      case 1: MoveWords(target, source + shift, length / 8); break;
      case 2: Fill(target + shift, round * 0x01010101u, length / 4); break;
      case 3: sum += Scan(source + shift, (unsigned char)round, length + 1); break;
      case 4: sum += Match(target, source + shift, length + 1); break;
      default: memmove(target + shift, target, length); break;
    }
    // Through volatile pointers, so that the compiler keeps the calls.
    size_t (*volatile length_of)(const char*) = strlen;
    void* (*volatile find)(const void*, int, size_t) = memchr;
    target[4000 + round % 60] = 0;
    sum += length_of((const char*)target + round % 64);
    sum += find(target, (int)(round & 255), length) != NULL;
    sum = sum % 3 ? sum + target[sum % 512] : sum * 5 + 1;
  }
  printf("%zu\n", sum);
  return 0;
}
