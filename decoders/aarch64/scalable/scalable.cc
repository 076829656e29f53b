// SVE and SME: dispatches words that have semantics (scalable.h), and clobbers what all others may write.
//
// ZA has no register slots. Vectors have 16 to 256 bytes, and decoding does not tell the length: a store without
// semantics is assumed to have the longest. Reserved encodings within this space are not distinguished from allocated
// ones, because no program executes them.
#include "decoders/aarch64/scalable/scalable.h"

namespace softlbr::a64 {
namespace {

constexpr int32_t kShortestVector = 16;
constexpr int32_t kLongestVector = 256;

void ForgetP(uint32_t word, BlockBuilder* out) { out->AddUnknown(P(Rd(word))); }
void ForgetFirstFault(BlockBuilder* out) { out->AddUnknown(SOFTLBR_A64_FFR); }
void ForgetFlags(BlockBuilder* out) { out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv); }
void ForgetAllMemory(BlockBuilder* out) { out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0); }

// The `length` bytes from base + begin become UNKNOWN.
void ForgetRange(uint32_t base, uint32_t index, uint32_t shift, int32_t begin, int32_t length, BlockBuilder* out) {
  const uint16_t bytes = out->Temp();
  out->Add(SOFTLBR_OP_CONST, 8, bytes, 0, 0, length);
  out->Add(SOFTLBR_OP_STORE_UNKNOWN, 0, bytes, base, index, begin, shift);
}

// Vectors first .. first + count - 1 from base become UNKNOWN, for any vector length; `first` may be negative.
void ForgetVectors(uint32_t base, int32_t first, int32_t count, BlockBuilder* out) {
  const int32_t end = first + count;
  const int32_t begin_byte = first * (first < 0 ? kLongestVector : kShortestVector);
  const int32_t end_byte = end * (end < 0 ? kShortestVector : kLongestVector);
  ForgetRange(base, SOFTLBR_REG_ZERO, 0, begin_byte, end_byte - begin_byte, out);
}

// 00000100: element counts and vector lengths go to general registers, all other results to Z.
void Lift04(uint32_t word, BlockBuilder* out) {
  const uint32_t top = Field(word, 12, 4);
  if (Bit(word, 21) && top == 5) {  // addvl, addpl, rdvl; index has bit 21 but 15:12 = 0100
    const bool is_read = Bit(word, 23);
    out->AddUnknown(is_read ? X(Rd(word)) : XOrSp(Rd(word)));
    return;
  }
  const bool counts = Bit(word, 21) && top >= 14;  // cntb .., incb .., sqincb ..
  if (counts) {
    out->AddUnknown(X(Rd(word)));
    return;
  }
  ForgetZ(Rd(word), out);
}

// 00000101: permutations. lasta, lastb, clasta, clastb may go to a general register.
void Lift05(uint32_t word, BlockBuilder* out) {
  const uint32_t op2 = Field(word, 17, 5);
  const uint32_t top = Field(word, 13, 3);
  if ((op2 == 0x10 || op2 == 0x18) && top == 5) {
    out->AddUnknown(X(Rd(word)));
    return;
  }
  const bool is_predicate = Bit(word, 21) && top == 2 && !Bit(word, 4);  // zip1 p .., rev p, punpklo
  if (is_predicate) {
    ForgetP(word, out);
  } else {
    ForgetZ(Rd(word), out);
  }
}

// 00100101: comparisons with immediates, predicates, loop control; wide immediates to Z, counts to X.
void Lift25(uint32_t word, BlockBuilder* out) {
  const uint32_t top = Field(word, 14, 2);
  if (!Bit(word, 21) || top < 2) {  // some write two predicates
    ForgetFlags(out);
    ForgetPredicates(out);
    return;
  }
  if (top == 3) {  // add, sub, mul, dup with an immediate
    ForgetZ(Rd(word), out);
    return;
  }
  const uint32_t op2 = Field(word, 19, 3);
  if (op2 == 5 && Field(word, 12, 2) == 1) {  // setffr, wrffr
    ForgetFirstFault(out);
    return;
  }
  if (op2 == 5 && !Bit(word, 11)) {  // incp z, sqincp z
    ForgetZ(Rd(word), out);
    return;
  }
  out->AddUnknown(X(Rd(word)));  // cntp, incp x
}

void LiftLoad(uint32_t word, BlockBuilder* out) {
  const uint32_t top = Field(word, 13, 3);
  const uint32_t group = Field(word, 24, 8);
  uint32_t registers = 1;
  if ((group & 0xfe) == 0xa4) {  // contiguous
    if (top == 4 || (top == 7 && Bit(word, 20))) {
      registers = Field(word, 23, 2) + 1;  // ld2q .. ld4q; prefetches have none of it
    } else if (top >= 6) {
      registers = Field(word, 21, 2) + 1;  // ldnt1, ld2 .. ld4
    }
  }
  if (group == 0x85 && Field(word, 22, 2) == 2 && top == 0) {  // ldr p
    ForgetP(word, out);
    return;
  }
  const bool is_prefetch = !Bit(word, 4) && (group == 0x84 || group == 0x85 || group == 0xc4 || group == 0xc5);
  const bool is_prefetch_form =
      (group == 0x85 && Field(word, 22, 2) == 3 && top < 4) || (group == 0x84 && top == 6 && Field(word, 21, 2) == 0) ||
      (Field(word, 21, 2) == 0 && (top == 7 || (top == 6 && group < 0x86)) && (group & 0xbe) == 0x84) ||
      ((group & 0xbe) == 0x84 && Field(word, 21, 2) == 1 && top < 4 && Field(word, 23, 2) == 0);
  if (is_prefetch && is_prefetch_form) return;
  for (uint32_t i = 0; i < registers; ++i) ForgetZ(Rd(word) + i, out);
  // First-fault and non-fault loads also write FFR. All gathers are included, because they may be first-fault.
  const bool is_contiguous = (group & 0xfe) == 0xa4;
  if (!is_contiguous || top == 3 || (top == 5 && Bit(word, 20))) ForgetFirstFault(out);
}

void LiftStore(uint32_t word, BlockBuilder* out) {
  const uint32_t base = XOrSp(Rn(word));
  const uint32_t top = Field(word, 13, 3);
  const uint32_t size = Field(word, 23, 2);
  const bool is_whole = Field(word, 22, 10) == (0xe58u >> 2 | 0) && (top == 0 || top == 2);
  if (is_whole) {  // str p, str z
    const int32_t imm = SignedField(word, 16, 6) * 8 + static_cast<int32_t>(Field(word, 10, 3));
    ForgetVectors(base, imm, 1, out);
    return;
  }
  if (top == 7) {  // scalar + imm: st1, or stnt1, st2 .. st4 where bit 20 is set
    const auto count = static_cast<int32_t>(Bit(word, 20) ? Field(word, 21, 2) + 1 : 1);
    ForgetVectors(base, SignedField(word, 16, 4) * count, count, out);
    return;
  }
  if ((top == 2 || top == 3) && Rm(word) != kZeroRegister) {  // scalar + scalar
    const int32_t count = top == 3 ? static_cast<int32_t>(Field(word, 21, 2)) + 1 : 1;
    ForgetRange(base, X(Rm(word)), size, 0, count * kLongestVector, out);
    return;
  }
  ForgetAllMemory(out);  // scatters and the rest
}

void LiftVectorOrPredicate(uint32_t word, BlockBuilder* out) {
  const uint32_t group = Field(word, 24, 8);
  switch (group) {
    case 0x04: Lift04(word, out); return;
    case 0x05: Lift05(word, out); return;
    case 0x24:  // comparisons
      ForgetFlags(out);
      ForgetP(word, out);
      return;
    case 0x25: Lift25(word, out); return;
    case 0x45:
      if (Bit(word, 21) && Field(word, 13, 3) == 4) {  // match, nmatch; also encodings near histcnt, which write Z
        ForgetFlags(out);
        ForgetP(word, out);
      }
      ForgetZ(Rd(word), out);
      if (Field(word, 11, 5) == 31) ForgetZ(Rd(word) + 1, out);  // pmull, pmlal into two registers
      return;
    case 0x65: {
      // Comparisons write predicates: bits 15:13 = x1x, or comparisons with zero, whose Pd has bit 4 for ne.
      ForgetP(word, out);
      ForgetZ(Rd(word), out);
      return;
    }
    default: ForgetZ(Rd(word), out); return;
  }
}

// SME. Tiles have no register slots. Loads and stores of several Z registers under a counter predicate share this
// space.
void LiftMatrix(uint32_t word, BlockBuilder* out) {
  switch (Field(word, 24, 8)) {
    case 0xa0:
    case 0xa1:
      if (Bit(word, 23)) return;  // outer products
      if (Bit(word, 21)) {
        ForgetAllMemory(out);
        return;
      }
      // Two or four registers, consecutive or with a stride of 8 or 4.
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t first = Bit(word, 24) ? Rd(word) & 0x13 : Rd(word) & 0x1c;
        ForgetZ(first + i * (Bit(word, 24) ? 4 : 1), out);
      }
      return;
    case 0xc0:
    case 0xc1:
      for (uint32_t i = 0; i < 4; ++i) ForgetZ((Rd(word) & 0x1c) + i, out);
      if (Bit(word, 21)) {  // strided results
        for (uint32_t i = 0; i < 4; ++i) ForgetZ((Rd(word) & 0x13) + 4 * i, out);
      }
      return;
    case 0xe0:
    case 0xe1:
      if (Bit(word, 21)) ForgetAllMemory(out);
      return;
    default: return;
  }
}

}  // namespace

void ForgetZ(uint32_t number, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_UNKNOWN, kWholeVector, V(number % SOFTLBR_VECTOR_REGISTERS), 0);
}

void ForgetPredicates(BlockBuilder* out) {
  static_assert(SOFTLBR_A64_FFR == SOFTLBR_A64_P0 + 16, "two runs of eight register slots, and one");
  out->Add(SOFTLBR_OP_UNKNOWN, 64, P(0), 0);
  out->Add(SOFTLBR_OP_UNKNOWN, 64, P(8), 0);
  ForgetFirstFault(out);
}

Lifted LiftScalable(uint32_t word, BlockBuilder* out) {
  if (Field(word, 25, 4) == 0) {
    LiftMatrix(word, out);
  } else if (!Bit(word, 31)) {
    const bool is_lifted = LiftScalableCount(word, out) || LiftScalablePredicate(word, out) ||
                           LiftScalableCompare(word, out) || LiftScalableVector(word, out) ||
                           LiftScalableMerge(word, out);
    if (!is_lifted) LiftVectorOrPredicate(word, out);
  } else if (LiftScalableMemory(word, out)) {
    return Lifted::kNext;
  } else if (Field(word, 29, 3) == 7) {
    LiftStore(word, out);
  } else {
    LiftLoad(word, out);
  }
  return Lifted::kNext;
}

}  // namespace softlbr::a64
