// A small virtual machine; each of its instructions ends in its own indirect jump. Argument: rounds.
#include <stdio.h>
#include <stdlib.h>

enum Operation {
  kSet,
  kCopy,
  kAdd,
  kTripleAddOne,
  kHalve,
  kSkipIfEven,
  kSkipIfOne,
  kSkipIfBelow,
  kJump,
  kCall,
  kReturn,
  kHalt
};

struct Instruction {
  unsigned char operation, a, b;
  signed char jump;
};

// r0: number under test, r1: its Collatz steps, r2: longest seen, r3: x, r4: limit
static const struct Instruction kProgram[] = {
    {kSet, 0, 1, 0},           //  0  r0 = 1
    {kSet, 2, 0, 0},           //  1  r2 = 0
    {kCopy, 3, 0, 0},          //  2  outer: r3 = r0
    {kSet, 1, 0, 0},           //  3  r1 = 0
    {kSkipIfOne, 3, 0, 2},     //  4  inner: if (r3 == 1) go to 7
    {kCall, 0, 0, 12},         //  5  one step
    {kJump, 0, 0, 4},          //  6
    {kSkipIfBelow, 1, 2, 1},   //  7  if (r1 < r2) go to 9
    {kCopy, 2, 1, 0},          //  8  r2 = r1
    {kAdd, 0, 1, 0},           //  9  r0 += 1
    {kSkipIfBelow, 4, 0, 1},   // 10  if (r4 < r0) go to 12 - end
    {kJump, 0, 0, 2},          // 11
    {kSkipIfBelow, 4, 0, 5},   // 12  step (or the end): if (r4 < r0) go to 18
    {kAdd, 1, 1, 0},           // 13  r1 += 1
    {kSkipIfEven, 3, 0, 2},    // 14  if (r3 even) go to 17
    {kTripleAddOne, 3, 0, 0},  // 15
    {kReturn, 0, 0, 0},        // 16
    {kHalve, 3, 0, 0},         // 17
    {kSkipIfBelow, 4, 0, 1},   // 18
    {kReturn, 0, 0, 0},        // 19
    {kHalt, 0, 0, 0},          // 20
};

static unsigned long Run(unsigned long limit) {
  static const void* const kLabels[] = {&&set,   &&copy,         &&add,         &&triple_add_one,
                                        &&halve, &&skip_if_even, &&skip_if_one, &&skip_if_below,
                                        &&jump,  &&call,         &&ret,         &&halt};
  unsigned long r[5] = {0, 0, 0, 0, limit};
  unsigned stack[8], depth = 0, pc = 0;
  const struct Instruction* i;
#define NEXT                     \
  do {                           \
    i = &kProgram[pc++];         \
    goto* kLabels[i->operation]; \
  } while (0)
  NEXT;
set:
  r[i->a] = i->b;
  NEXT;
copy:
  r[i->a] = r[i->b];
  NEXT;
add:
  r[i->a] += i->b;
  NEXT;
triple_add_one:
  r[i->a] = r[i->a] * 3 + 1;
  NEXT;
halve:
  r[i->a] >>= 1;
  NEXT;
skip_if_even:
  if ((r[i->a] & 1) == 0) pc += (unsigned)i->jump;
  NEXT;
skip_if_one:
  if (r[i->a] == 1) pc += (unsigned)i->jump;
  NEXT;
skip_if_below:
  if (r[i->a] < r[i->b]) pc += (unsigned)i->jump;
  NEXT;
jump:
  pc = (unsigned)i->jump;
  NEXT;
call:
  stack[depth++ & 7] = pc;
  pc = (unsigned)i->jump;
  NEXT;
ret:
  pc = stack[--depth & 7];
  NEXT;
halt:
  return r[2];
#undef NEXT
}

int main(int argc, char** argv) {
  const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 8;
  unsigned long sum = 0;
  for (unsigned round = 0; round < rounds; ++round) sum = sum * 31 + Run(110 + round % 5);
  printf("%lu\n", sum);
  return 0;
}
