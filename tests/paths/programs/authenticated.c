/* Every return and every indirect call goes through a signed pointer: built with -mbranch-protection=standard and for
 * ARMv8.3, so that the compiler uses retaa as well as autiasp. Runs until it is killed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t (*operation)(uint64_t, uint64_t);

__attribute__((noinline)) static uint64_t add(uint64_t a, uint64_t b) { return a + b; }
__attribute__((noinline)) static uint64_t mix(uint64_t a, uint64_t b) { return (a ^ b) * 0x9e3779b97f4a7c15u; }
__attribute__((noinline)) static uint64_t turn(uint64_t a, uint64_t b) { return a << (b & 31) | a >> (63 - (b & 31)); }

/* A pointer signed explicitly, as in a program with its own function tables. */
static operation sign(operation plain, uint64_t modifier) {
  uint64_t pointer = (uint64_t)plain;
  __asm__ volatile("pacia %0, %1" : "+r"(pointer) : "r"(modifier));
  return (operation)pointer;
}
__attribute__((noinline)) static uint64_t call_signed(operation signed_pointer, uint64_t modifier, uint64_t a,
                                                      uint64_t b) {
  register uint64_t x0 __asm__("x0") = a;
  register uint64_t x1 __asm__("x1") = b;
  __asm__ volatile("blraa %2, %3"
                   : "+r"(x0), "+r"(x1)
                   : "r"(signed_pointer), "r"(modifier)
                   : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
                     "x17", "x18", "x30", "cc", "memory");
  return x0;
}
/* The data key, and stripping. */
__attribute__((noinline)) static uint64_t read_signed(const uint64_t* place, uint64_t modifier) {
  uint64_t pointer = (uint64_t)place;
  uint64_t stripped;
  __asm__ volatile("pacda %0, %1" : "+r"(pointer) : "r"(modifier));
  stripped = pointer;
  __asm__ volatile("xpacd %0" : "+r"(stripped));
  __asm__ volatile("autda %0, %1" : "+r"(pointer) : "r"(modifier));
  return *(const uint64_t*)pointer + (stripped == (uint64_t)place ? 1 : 3);
}

__attribute__((noinline)) static uint64_t descend(unsigned depth, uint64_t state, const operation* plain) {
  if (depth == 0) return state;
  state = call_signed(sign(plain[state % 3], depth), depth, state, depth);
  if (state & 1) state += read_signed(&state, depth);
  return descend(depth - 1, state, plain) + descend(depth / 2, state >> 3, plain);
}

int main(void) {
  static const operation plain[3] = {add, mix, turn};
  uint64_t state = 88172645463325252u;
  for (;;) {
    state ^= descend(7, state, plain) + (state << 7);
    char text[64];
    snprintf(text, sizeof text, "%llx %u", (unsigned long long)state, (unsigned)strlen(text));
    for (char* p = text; *p; ++p) state = mix(state, (uint64_t)*p);
  }
}
