// SVE: lengths and counts, predicates, loop control. Contract: scalable.h.
#include "decoders/aarch64/scalable/scalable.h"

namespace softlbr::a64 {
namespace {

constexpr uint32_t kPatternAll = 31;

// Number of elements of patterns vl1 .. vl256; 0: another pattern.
constexpr uint32_t FixedElements(uint32_t pattern) {
  if (pattern >= 1 && pattern <= 8) return pattern;
  return pattern >= 9 && pattern <= 13 ? 16u << (pattern - 9) : 0;
}

// dst = the lane bits among the low `bytes` bits (`bytes` is a register slot, 0 .. 64).
void AddLowLanes(uint32_t dst, uint32_t bytes, uint32_t size, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_BZHI, 8, dst, AddLanePattern(size, out), bytes);
}

bool True(uint32_t word, BlockBuilder* out) {
  const uint32_t pattern = Field(word, 5, 5);
  const uint32_t size = SizeOf(word);
  const uint32_t dst = P(Rd(word));
  const uint32_t elements = FixedElements(pattern);
  if (pattern == kPatternAll) {
    AddLowLanes(dst, kVectorLength, size, out);
  } else if (elements != 0 && elements << size <= kWholeVector) {
    // VL - bytes is negative if the vector is shorter: then no lane is active.
    const uint16_t bytes = out->Temp();
    const uint16_t is_short = out->Temp();
    out->Add(SOFTLBR_OP_ADDRESS, 8, is_short, kVectorLength, SOFTLBR_REG_ZERO, -static_cast<int32_t>(elements << size));
    out->Add(SOFTLBR_OP_SAR, 8, is_short, is_short, 0, 63, 0, SOFTLBR_UOP_B_IMM);
    out->Add(SOFTLBR_OP_CONST, 8, bytes, 0, 0, static_cast<int32_t>(elements << size));
    out->Add(SOFTLBR_OP_ANDN, 8, bytes, is_short, bytes);
    AddLowLanes(dst, bytes, size, out);
  } else {
    return false;
  }
  if (Bit(word, 16)) AddPredicateTest(dst, dst, out);  // ptrues: all lanes that are true are active
  return true;
}

// whilelt, whilelo: lane i is true while n + i < m. The number of true lanes is m - n, at most all lanes.
bool While(uint32_t word, BlockBuilder* out) {
  // decreasing forms; or forms with "equal", where the last value may wrap
  if (!Bit(word, 10) || Bit(word, 4)) return false;
  const uint32_t size = SizeOf(word);
  const uint32_t width = Bit(word, 12) ? 8 : 4;
  const uint16_t lanes = out->Temp();
  const uint16_t most = out->Temp();
  const uint16_t beyond = out->Temp();
  const uint16_t not_last = out->Temp();
  out->Add(SOFTLBR_OP_SUB, width, lanes, X(Rm(word)), X(Rn(word)), 0, 0, SOFTLBR_UOP_SET_FLAGS);
  const uint32_t is_more = Bit(word, 11) ? SOFTLBR_COND_A : SOFTLBR_COND_GT;
  out->Add(SOFTLBR_OP_SELECT, 8, lanes, lanes, SOFTLBR_REG_ZERO, 0, is_more);
  out->Add(SOFTLBR_OP_SHR, 8, most, kVectorLength, 0, static_cast<int32_t>(size), 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_SUB, 8, beyond, lanes, most, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  out->Add(SOFTLBR_OP_SETCC, 8, not_last, 0, 0, 0, SOFTLBR_COND_C);
  out->Add(SOFTLBR_OP_SELECT, 8, lanes, lanes, most, 0, SOFTLBR_COND_C);
  const uint16_t bytes = out->Temp();
  out->Add(SOFTLBR_OP_SHL, 8, bytes, lanes, 0, static_cast<int32_t>(size), 0, SOFTLBR_UOP_B_IMM);
  AddLowLanes(P(Rd(word)), bytes, size, out);
  // N: the first lane is true; Z: no lane is true; C: the last lane is false; V = 0.
  out->Add(SOFTLBR_OP_NEG, 8, beyond, lanes, 0, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, not_last, 0, SOFTLBR_FLAG_C);
  return true;
}

bool Logic(uint32_t word, BlockBuilder* out) {
  const uint32_t n = P(Field(word, 5, 4));
  const uint32_t m = P(Field(word, 16, 4));
  const uint32_t governing = P(Field(word, 10, 4));
  const uint32_t dst = P(Rd(word));
  const uint32_t choice = Field(word, 23, 1) << 2 | Field(word, 9, 1) << 1 | Field(word, 4, 1);
  constexpr uint16_t kOps[8] = {SOFTLBR_OP_AND, SOFTLBR_OP_ANDN, SOFTLBR_OP_XOR, 0,
                                SOFTLBR_OP_OR,  SOFTLBR_OP_ORN,  SOFTLBR_OP_OR,  SOFTLBR_OP_AND};
  const uint16_t work = out->Temp();
  if (choice == 3) {  // sel
    if (Bit(word, 22)) return false;
    const uint16_t other = out->Temp();
    out->Add(SOFTLBR_OP_AND, 8, work, n, governing);
    out->Add(SOFTLBR_OP_ANDN, 8, other, governing, m);
    out->Add(SOFTLBR_OP_OR, 8, dst, work, other);
    return true;
  }
  out->Add(kOps[choice], 8, work, n, m, 0, 0, When(choice == 1, SOFTLBR_UOP_NEGATE));
  if (choice >= 6) out->Add(SOFTLBR_OP_NOT, 8, work, work);
  if (Bit(word, 22)) {
    const uint16_t lanes = out->Temp();  // a copy, because dst may be the governing predicate
    out->Add(SOFTLBR_OP_MOV, 8, lanes, governing);
    out->Add(SOFTLBR_OP_AND, 8, dst, work, lanes);
    AddPredicateTest(lanes, dst, out);
  } else {
    out->Add(SOFTLBR_OP_AND, 8, dst, work, governing);
  }
  return true;
}

// x = number of active lanes that are true.
uint16_t AddCount(uint32_t predicate, uint32_t size, BlockBuilder* out) {
  const uint16_t count = out->Temp();
  out->Add(SOFTLBR_OP_POPCOUNT, 8, count, AddLanesOf(predicate, size, out));
  return count;
}

}  // namespace

uint16_t AddLanePattern(uint32_t size, BlockBuilder* out) {
  constexpr int64_t kPatterns[4] = {-1, 0x5555555555555555, 0x1111111111111111, 0x0101010101010101};
  const uint16_t pattern = out->Temp();
  out->AddConst(pattern, kPatterns[size]);
  return pattern;
}

uint32_t AddLanesOf(uint32_t predicate, uint32_t size, BlockBuilder* out) {
  if (size == 0) return predicate;
  const uint16_t lanes = AddLanePattern(size, out);
  out->Add(SOFTLBR_OP_AND, 8, lanes, lanes, predicate);
  return lanes;
}

uint32_t AddBytesOf(uint32_t predicate, uint32_t size, BlockBuilder* out) {
  const uint32_t lanes = AddLanesOf(predicate, size, out);
  if (size != 0) out->Add(SOFTLBR_OP_MUL, 8, lanes, lanes, 0, (1 << (1u << size)) - 1, 0, SOFTLBR_UOP_B_IMM);
  return lanes;
}

uint16_t AddLengthTimes(uint32_t base, uint32_t shift, int32_t times, BlockBuilder* out) {
  const uint16_t sum = out->Temp();
  if (times == 0) {
    out->Add(SOFTLBR_OP_MOV, 8, sum, base);
    return sum;
  }
  uint32_t length = kVectorLength;
  if (shift != 0 || times != 1) {
    length = sum;
    out->Add(SOFTLBR_OP_SHR, 8, sum, kVectorLength, 0, static_cast<int32_t>(shift), 0, SOFTLBR_UOP_B_IMM);
    out->Add(SOFTLBR_OP_MUL, 8, sum, sum, 0, times, 0, SOFTLBR_UOP_B_IMM);
  }
  out->Add(SOFTLBR_OP_ADD, 8, sum, base, length);
  return sum;
}

void AddPredicateTest(uint32_t lanes, uint32_t result, BlockBuilder* out) {
  const uint16_t active = out->Temp();
  const uint16_t rest = out->Temp();
  const uint16_t c = out->Temp();
  const uint16_t n = out->Temp();
  out->Add(SOFTLBR_OP_AND, 8, active, lanes, result);
  // The highest lane is true iff the true lanes, as a number, exceed the other lanes.
  out->Add(SOFTLBR_OP_XOR, 8, rest, lanes, active);
  out->Add(SOFTLBR_OP_SUB, 8, rest, rest, active, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  out->Add(SOFTLBR_OP_SETCC, 8, c, 0, 0, 0, SOFTLBR_COND_NC);
  out->Add(SOFTLBR_OP_BLSI, 8, rest, lanes);
  out->Add(SOFTLBR_OP_AND, 8, rest, rest, active, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  out->Add(SOFTLBR_OP_SETCC, 8, n, 0, 0, 0, SOFTLBR_COND_NZ);
  out->Add(SOFTLBR_OP_ADDRESS, 8, c, c, n, 0, 4);  // packed: C is bit 0, S bit 4
  out->Add(SOFTLBR_OP_AND, 8, active, active, active, 0, 0, SOFTLBR_UOP_SET_FLAGS);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, c, 0, SOFTLBR_FLAG_C | SOFTLBR_FLAG_S);
}

// cntb .., incb .., rdvl, addvl, addpl.
bool LiftScalableCount(uint32_t word, BlockBuilder* out) {
  if (Field(word, 24, 8) != 0x04 || !Bit(word, 21)) return false;
  if (Field(word, 11, 5) == 0x0a) {
    const int32_t times = SignedField(word, 5, 6);
    const uint32_t opc = Field(word, 22, 2);
    if (opc == 2) {  // rdvl
      if (Rm(word) != kZeroRegister) return false;
      out->Add(SOFTLBR_OP_MUL, 8, X(Rd(word)), kVectorLength, 0, times, 0, SOFTLBR_UOP_B_IMM);
      return true;
    }
    if (opc == 3) return false;
    const uint16_t sum = AddLengthTimes(XOrSp(Rm(word)), opc == 1 ? 3 : 0, times, out);
    out->Add(SOFTLBR_OP_MOV, 8, XOrSp(Rd(word)), sum);
    return true;
  }
  if (Field(word, 11, 5) != 0x1c || Field(word, 5, 5) != kPatternAll) return false;
  const bool is_count = !Bit(word, 20);
  if (is_count && Bit(word, 10)) return false;
  const int32_t times = static_cast<int32_t>(Field(word, 16, 4)) + 1;
  const uint32_t base = is_count ? uint32_t{SOFTLBR_REG_ZERO} : X(Rd(word));
  const uint16_t sum = AddLengthTimes(base, SizeOf(word), Bit(word, 10) ? -times : times, out);
  out->Add(SOFTLBR_OP_MOV, 8, X(Rd(word)), sum);
  return true;
}

bool LiftScalablePredicate(uint32_t word, BlockBuilder* out) {
  if (Field(word, 24, 8) != 0x25) return false;
  if (Field(word, 17, 5) == 0xc && Field(word, 10, 6) == 0x38 && !Bit(word, 4)) return True(word, out);
  if ((word & 0xfffffff0) == 0x2518e400) {  // pfalse
    out->Add(SOFTLBR_OP_CONST, 8, P(Rd(word)), 0);
    return true;
  }
  if (Bit(word, 21) && Field(word, 13, 3) == 0) return While(word, out);
  if (Field(word, 14, 10) == 0x143 && Field(word, 0, 5) == 0 && !Bit(word, 9)) {  // ptest
    AddPredicateTest(P(Field(word, 10, 4)), P(Field(word, 5, 4)), out);
    return true;
  }
  if (Field(word, 20, 2) == 0 && Field(word, 14, 2) == 1) return Logic(word, out);
  if (Field(word, 16, 6) == 0x20 && Field(word, 14, 2) == 2 && !Bit(word, 9)) {  // cntp
    const uint16_t both = out->Temp();
    out->Add(SOFTLBR_OP_AND, 8, both, P(Field(word, 10, 4)), P(Field(word, 5, 4)));
    out->Add(SOFTLBR_OP_MOV, 8, X(Rd(word)), AddCount(both, SizeOf(word), out));
    return true;
  }
  if (Field(word, 17, 5) == 0x16 && Field(word, 9, 7) == 0x44) {  // incp, decp of a general register
    const uint16_t count = AddCount(P(Field(word, 5, 4)), SizeOf(word), out);
    out->Add(Bit(word, 16) ? SOFTLBR_OP_SUB : SOFTLBR_OP_ADD, 8, X(Rd(word)), X(Rd(word)), count);
    return true;
  }
  return false;
}

}  // namespace softlbr::a64
