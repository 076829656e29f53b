// Exclusive, ordered and atomic accesses, and extensions of the load and store space.
//
// What compare-and-swap and atomic read-modify-writes load is known where SOFTLBR_REG_ATOMIC is. Results of exclusives,
// of minima and maxima, and of pairs are UNKNOWN, and so is what they store. Plain load-acquire and store-release are
// ordinary accesses. No breakpoint may be armed between a load-exclusive and the store that closes it.
#include "decoders/aarch64/lift/memory_access.h"

namespace softlbr::a64 {
namespace {

// A loaded value of `bytes` bytes, zero-extended, becomes UNKNOWN.
void ForgetLoaded(uint32_t slot, uint32_t bytes, BlockBuilder* out) {
  if (slot != SOFTLBR_REG_ZERO) out->Add(SOFTLBR_OP_UNKNOWN, bytes, slot, 0);
}

void ForgetMemory(uint32_t base, uint32_t bytes, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_STORE_UNKNOWN, bytes, 0, base, SOFTLBR_REG_ZERO);
}

Lifted Exclusive(uint32_t word, bool is_pair, BlockBuilder* out) {
  const uint32_t base = XOrSp(Rn(word));
  const uint32_t bytes = 1u << Field(word, 30, 2);
  if (Bit(word, 22)) {
    ForgetLoaded(X(Rd(word)), bytes, out);
    if (is_pair) ForgetLoaded(X(Ra(word)), bytes, out);
    return Lifted::kOpensExclusive;
  }
  ForgetMemory(base, is_pair ? 2 * bytes : bytes, out);
  ForgetLoaded(X(Rm(word)), 1, out);  // status: 0 or 1
  return Lifted::kClosesExclusive;
}

// ldar, ldlar, stlr, stllr.
Lifted Ordered(uint32_t word, BlockBuilder* out) {
  const uint32_t bytes = 1u << Field(word, 30, 2);
  out->Add(Bit(word, 22) ? SOFTLBR_OP_LOAD : SOFTLBR_OP_STORE, bytes, X(Rd(word)), XOrSp(Rn(word)), SOFTLBR_REG_ZERO);
  return Lifted::kNext;
}

// Loads what an atomic operation reads. Another thread may have written it.
uint16_t LoadAtomic(uint32_t base, uint32_t bytes, BlockBuilder* out) {
  const uint16_t old = out->Temp();
  out->Add(SOFTLBR_OP_LOAD, bytes, old, base, SOFTLBR_REG_ZERO);
  out->Add(SOFTLBR_OP_OR, bytes, old, old, SOFTLBR_REG_ATOMIC);
  return old;
}

// ldadd, ldclr, ldeor, ldset, swp: mem = mem op `operand`, `slot` = old mem. op is SOFTLBR_OP_MOV for swp.
void ReadModifyWrite(uint32_t op, uint32_t base, uint32_t bytes, uint32_t operand, uint32_t slot, BlockBuilder* out) {
  const uint16_t old = LoadAtomic(base, bytes, out);
  const uint16_t made = out->Temp();
  out->Add(op, bytes, made, operand, op == SOFTLBR_OP_MOV ? uint32_t{SOFTLBR_REG_ZERO} : old);
  out->Add(SOFTLBR_OP_STORE, bytes, made, base, SOFTLBR_REG_ZERO);
  out->Add(SOFTLBR_OP_MOV, bytes, slot, old);
}

// cas: if mem == `compared`, mem = `wanted`; `compared` = old mem. The flags are kept, so a mask selects what is
// stored.
void CompareAndStore(uint32_t base, uint32_t bytes, uint32_t compared, uint32_t wanted, BlockBuilder* out) {
  const uint32_t width = bytes == 8 ? 8 : 4;
  const uint16_t old = LoadAtomic(base, bytes, out);
  const uint16_t mask = out->Temp();
  const uint16_t made = out->Temp();
  out->Add(SOFTLBR_OP_XOR, bytes, mask, old, compared);
  out->Add(SOFTLBR_OP_CLZ, width, mask, mask);  // the number of bits if they are equal, else less
  out->Add(SOFTLBR_OP_SHR, width, mask, mask, 0, width == 8 ? 6 : 5, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_NEG, 8, mask, mask);
  out->Add(SOFTLBR_OP_XOR, bytes, made, old, wanted);
  out->Add(SOFTLBR_OP_AND, 8, made, made, mask);
  out->Add(SOFTLBR_OP_XOR, bytes, made, made, old);
  out->Add(SOFTLBR_OP_STORE, bytes, made, base, SOFTLBR_REG_ZERO);
  out->Add(SOFTLBR_OP_MOV, bytes, compared, old);
}

// cas, casp.
Lifted CompareAndSwap(uint32_t word, bool is_pair, BlockBuilder* out) {
  if (Ra(word) != kZeroRegister) return Lifted::kUnallocated;
  const uint32_t compared = Rm(word);
  if (is_pair) {
    if ((compared & 1) != 0 || (Rd(word) & 1) != 0) return Lifted::kUnallocated;
    const uint32_t bytes = Bit(word, 30) ? 8 : 4;
    ForgetMemory(XOrSp(Rn(word)), 2 * bytes, out);
    ForgetLoaded(X(compared), bytes, out);
    ForgetLoaded(X(compared + 1), bytes, out);
    return Lifted::kNext;
  }
  CompareAndStore(XOrSp(Rn(word)), 1u << Field(word, 30, 2), X(compared), X(Rd(word)), out);
  return Lifted::kNext;
}

// ldapur and variants; the last form loads SIMD registers.
Lifted AcquireUnscaled(uint32_t word, BlockBuilder* out) {
  const uint32_t size = Field(word, 30, 2);
  const uint32_t opc = Field(word, 22, 2);
  const MemoryAddress address = {XOrSp(Rn(word)), SOFTLBR_REG_ZERO, 0, SignedField(word, 12, 9)};
  if (Bit(word, 26)) {
    if (Field(word, 10, 2) != 2 || (opc >= 2 && size != 0)) return Lifted::kUnallocated;
    TransferVector((opc & 1) != 0, opc >= 2 ? 16 : 1u << size, Rd(word), address, out);
    return Lifted::kNext;
  }
  const uint32_t slot = X(Rd(word));
  if (opc == 0) {
    AddMemory(SOFTLBR_OP_STORE, 1u << size, slot, address, 0, out);
    return Lifted::kNext;
  }
  if ((opc >= 2 && size == 3) || (opc == 3 && size == 2)) return Lifted::kUnallocated;
  AddMemory(SOFTLBR_OP_LOAD, 1u << size, slot, address, When(opc >= 2, SOFTLBR_UOP_SIGNED), out);
  if (opc == 3) out->Add(SOFTLBR_OP_ZERO_EXTEND, 8, slot, slot, 0, 0, 4);
  return Lifted::kNext;
}

// ldiapp, stilp; ldapr and stlr with base update.
Lifted AcquirePair(uint32_t word, BlockBuilder* out) {
  if (!Bit(word, 31)) return Lifted::kUnallocated;
  const uint32_t base = XOrSp(Rn(word));
  const uint32_t bytes = Bit(word, 30) ? 8 : 4;
  const uint32_t opc = Field(word, 22, 2);
  const bool is_load = (opc & 1) != 0;
  if (opc >= 2) {
    if (Field(word, 12, 9) != 0) return Lifted::kUnallocated;
    const auto step = static_cast<int32_t>(bytes);
    if (Rn(word) == Rd(word) && Rn(word) != kZeroRegister) {
      if (!is_load) out->Add(SOFTLBR_OP_STORE_UNKNOWN, bytes, 0, base, SOFTLBR_REG_ZERO, -step);
      out->AddUnknown(base);
      return Lifted::kNext;
    }
    out->Add(is_load ? SOFTLBR_OP_LOAD : SOFTLBR_OP_STORE, bytes, X(Rd(word)), base, SOFTLBR_REG_ZERO,
             is_load ? 0 : -step);
    out->Add(SOFTLBR_OP_ADD, 8, base, base, 0, is_load ? step : -step, 0, SOFTLBR_UOP_B_IMM);
    return Lifted::kNext;
  }
  const uint32_t opc2 = Field(word, 12, 4);
  if (opc2 > 1) return Lifted::kUnallocated;
  // opc2 0: the base is updated, after a load or before a store.
  const auto step = static_cast<int32_t>(2 * bytes);
  const bool writes_back = opc2 == 0;
  const int32_t imm = writes_back && !is_load ? -step : 0;
  const uint32_t first = Rd(word);
  const uint32_t second = Rm(word);
  const bool is_base_in_pair = (first == Rn(word) || second == Rn(word)) && Rn(word) != kZeroRegister;
  if (is_base_in_pair || (is_load && first == second)) {
    if (!is_load) out->Add(SOFTLBR_OP_STORE_UNKNOWN, 2 * bytes, 0, base, SOFTLBR_REG_ZERO, imm);
    if (is_load) out->AddUnknown(X(first));
    if (is_load) out->AddUnknown(X(second));
    if (writes_back) out->AddUnknown(base);
    return Lifted::kNext;
  }
  const uint32_t op = is_load ? SOFTLBR_OP_LOAD : SOFTLBR_OP_STORE;
  out->Add(op, bytes, X(first), base, SOFTLBR_REG_ZERO, imm);
  out->Add(op, bytes, X(second), base, SOFTLBR_REG_ZERO, imm + static_cast<int32_t>(bytes));
  if (writes_back) {
    out->Add(SOFTLBR_OP_ADD, 8, base, base, 0, is_load ? step : -step, 0, SOFTLBR_UOP_B_IMM);
  }
  return Lifted::kNext;
}

// Tags in memory. Only the zeroing forms change anything that a program can observe.
Lifted MemoryTags(uint32_t word, BlockBuilder* out) {
  constexpr int32_t kGranule = 16;
  const uint32_t opc = Field(word, 22, 2);
  const uint32_t mode = Field(word, 10, 2);  // 0: ldg and bulk forms, 1 post-index, 2 offset, 3 pre-index
  if (Field(word, 30, 2) != 3) return Lifted::kUnallocated;
  const uint32_t base = XOrSp(Rn(word));
  const int32_t imm = SignedField(word, 12, 9) * kGranule;
  if (mode == 0) {
    if (opc != 1) return Lifted::kUnallocated;  // ldgm, stgm, stzgm: privileged
    ForgetTag(X(Rd(word)), out);
    return Lifted::kNext;
  }
  const int32_t offset = mode == 1 ? 0 : imm;
  if ((opc & 1) != 0) {  // stzg, stz2g
    const int32_t bytes = opc == 3 ? 2 * kGranule : kGranule;
    for (int32_t at = 0; at < bytes; at += 8)
      out->Add(SOFTLBR_OP_STORE, 8, SOFTLBR_REG_ZERO, base, SOFTLBR_REG_ZERO, offset + at);
  }
  if (mode != 2) out->Add(SOFTLBR_OP_ADD, 8, base, base, 0, imm, 0, SOFTLBR_UOP_B_IMM);
  return Lifted::kNext;
}

// cpy*, set*: the CPU decides how far each of the three steps gets.
Lifted CopyOrSet(uint32_t word, BlockBuilder* out) {
  const bool is_set = Field(word, 22, 2) == 3;
  const uint32_t step = is_set ? Field(word, 14, 2) : Field(word, 22, 2);
  const uint32_t d = Rd(word);
  const uint32_t n = Rn(word);
  const uint32_t s = Rm(word);
  if (Field(word, 30, 2) != 0 || step == 3) return Lifted::kUnallocated;
  if (d == n || d == s || n == s || d == kZeroRegister || n == kZeroRegister) return Lifted::kUnallocated;
  if (!is_set && s == kZeroRegister) return Lifted::kUnallocated;
  out->AddUnknown(X(d));
  out->AddUnknown(X(n));
  if (!is_set) out->AddUnknown(X(s));
  if (step == 0) out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv);
  out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0);
  return Lifted::kNext;
}

void ForgetFlags(BlockBuilder* out) { out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv); }

// ldclrp, ldsetp, swpp and the rcw forms for translation table entries: 16 bytes; both registers get the old value.
Lifted AtomicPair(uint32_t word, BlockBuilder* out) {
  const uint32_t opc = Field(word, 12, 4);
  const bool is_checked = opc >= 9 && opc <= 11;
  if (Bit(word, 31) || (!is_checked && (Bit(word, 30) || (opc != 1 && opc != 3 && opc != 8))))
    return Lifted::kUnallocated;
  if (Rd(word) == kZeroRegister || Rm(word) == kZeroRegister) return Lifted::kUnallocated;
  ForgetMemory(XOrSp(Rn(word)), 16, out);
  out->AddUnknown(X(Rd(word)));
  out->AddUnknown(X(Rm(word)));
  if (is_checked) ForgetFlags(out);
  return Lifted::kNext;
}

// rcwcas, rcwcasp.
Lifted CheckedCompareAndSwap(uint32_t word, bool is_pair, BlockBuilder* out) {
  if (Bit(word, 31) || Field(word, 12, 4) != 0) return Lifted::kUnallocated;
  if (is_pair && ((Rm(word) & 1) != 0 || (Rd(word) & 1) != 0)) return Lifted::kUnallocated;
  ForgetMemory(XOrSp(Rn(word)), is_pair ? 16 : 8, out);
  ForgetLoaded(X(Rm(word)), 8, out);
  if (is_pair) ForgetLoaded(X(Rm(word) + 1), 8, out);
  ForgetFlags(out);
  return Lifted::kNext;
}

}  // namespace

Lifted LiftExclusive(uint32_t word, BlockBuilder* out) {
  const bool is_pair_or_cas = Bit(word, 21);
  if (Bit(word, 23)) return is_pair_or_cas ? CompareAndSwap(word, false, out) : Ordered(word, out);
  if (!is_pair_or_cas) return Exclusive(word, false, out);
  return Bit(word, 31) ? Exclusive(word, true, out) : CompareAndSwap(word, true, out);
}

Lifted LiftAtomic(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 26)) return Lifted::kUnallocated;
  const uint32_t size = Field(word, 30, 2);
  const uint32_t bytes = 1u << size;
  const uint32_t base = XOrSp(Rn(word));
  const uint32_t opc = Field(word, 12, 3);
  const bool acquires = Bit(word, 23);
  const bool releases = Bit(word, 22);
  if (Bit(word, 15)) {
    const bool is_plain = !acquires && !releases;
    if (opc == 4) {  // ldapr
      if (!acquires || releases || Rm(word) != kZeroRegister) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_LOAD, bytes, X(Rd(word)), base, SOFTLBR_REG_ZERO);
      return Lifted::kNext;
    }
    if (size == 3 && is_plain && (opc == 1 || opc == 5)) {  // st64b, ld64b
      if (Rm(word) != kZeroRegister || Rd(word) > 22 || (Rd(word) & 1) != 0) return Lifted::kUnallocated;
      if (opc == 1) {
        ForgetMemory(base, 64, out);
      } else {
        for (uint32_t i = 0; i < 8; ++i) out->AddUnknown(X(Rd(word) + i));
      }
      return Lifted::kNext;
    }
    if (size == 3 && is_plain && (opc == 2 || opc == 3)) {  // st64bv0, st64bv
      if (Rd(word) > 22 || (Rd(word) & 1) != 0) return Lifted::kUnallocated;
      ForgetMemory(base, 64, out);
      out->AddUnknown(X(Rm(word)));
      return Lifted::kNext;
    }
    if (size < 2 && opc >= 1 && opc <= 3) {  // rcwclr, rcwswp, rcwset
      ForgetMemory(base, 8, out);
      ForgetLoaded(X(Rd(word)), 8, out);
      ForgetFlags(out);
      return Lifted::kNext;
    }
    if (opc != 0) return Lifted::kUnallocated;
    ReadModifyWrite(SOFTLBR_OP_MOV, base, bytes, X(Rm(word)), X(Rd(word)), out);  // swp
    return Lifted::kNext;
  }
  static constexpr uint8_t kOps[4] = {SOFTLBR_OP_ADD, SOFTLBR_OP_ANDN, SOFTLBR_OP_XOR, SOFTLBR_OP_OR};
  if (opc < 4) {
    ReadModifyWrite(kOps[opc], base, bytes, X(Rm(word)), X(Rd(word)), out);
    return Lifted::kNext;
  }
  ForgetMemory(base, bytes, out);
  ForgetLoaded(X(Rd(word)), bytes, out);
  return Lifted::kNext;
}

Lifted LiftMemoryExtension(uint32_t word, BlockBuilder* out) {
  const uint32_t low = Field(word, 10, 2);
  if (Bit(word, 21)) {
    if (Bit(word, 26)) return Lifted::kUnallocated;
    if (Field(word, 30, 2) == 3) return MemoryTags(word, out);
    if (low == 0) return AtomicPair(word, out);
    return low >= 2 ? CheckedCompareAndSwap(word, low == 3, out) : Lifted::kUnallocated;
  }
  if (low == 1) return CopyOrSet(word, out);
  if (Bit(word, 26)) return AcquireUnscaled(word, out);
  if (low == 0) return AcquireUnscaled(word, out);
  return low == 2 ? AcquirePair(word, out) : Lifted::kUnallocated;
}

}  // namespace softlbr::a64
