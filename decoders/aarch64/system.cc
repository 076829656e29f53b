// Hints, barriers, PSTATE, system registers and maintenance: 11010101 0x; includes the hints that sign or strip
// pointers.
//
// Barriers, prefetches, yields and BTI do not change the context. Time, performance counters, random numbers and
// identification registers are UNKNOWN. Registers that user space cannot access are unallocated: an access traps.
#include "decoders/aarch64/scalable/scalable.h"

namespace softlbr::a64 {
namespace {

constexpr uint32_t kLinkRegister = 30;

Lifted Hint(uint32_t word, BlockBuilder* out) {
  const uint32_t hint = Field(word, 5, 7);
  const uint32_t key = hint >> 1 & 1;
  const uint32_t modifier = (hint & 1) != 0 ? XOrSp(31) : uint32_t{SOFTLBR_REG_ZERO};
  switch (hint) {
    case 7:  // xpaclri
      out->Add(SOFTLBR_OP_POINTER_STRIP, 8, X(kLinkRegister), X(kLinkRegister));
      break;
    case 8:   // pacia1716
    case 10:  // pacib1716
      AddSignedPointer(X(17), X(16), key, out);
      break;
    case 12:  // autia1716
    case 14:  // autib1716
      AddCheckedPointer(X(17), X(17), X(16), key, out);
      break;
    case 24:  // paciaz paciasp pacibz pacibsp
    case 25:
    case 26:
    case 27: AddSignedPointer(X(kLinkRegister), modifier, key, out); break;
    case 28:  // autiaz autiasp autibz autibsp
    case 29:
    case 30:
    case 31: AddCheckedPointer(X(kLinkRegister), X(kLinkRegister), modifier, key, out); break;
    case 40:  // chkfeat x16: clears the bits of enabled features
      out->AddUnknown(X(16));
      break;
    default:  // nop, yield, wfe, sev, dgh, esb, psb, tsb, csdb, bti, clearbhb, and unassigned hints
      break;
  }
  return Lifted::kNext;
}

Lifted Barrier(uint32_t word) {
  const uint32_t op2 = Field(word, 5, 3);
  if (op2 == 2) return Lifted::kClosesExclusive;                                       // clrex
  if (op2 == 1) return Field(word, 8, 2) == 2 ? Lifted::kNext : Lifted::kUnallocated;  // dsb nXS
  if (op2 == 7) return Field(word, 8, 4) == 0 ? Lifted::kNext : Lifted::kUnallocated;  // sb
  return op2 >= 4 ? Lifted::kNext : Lifted::kUnallocated;                              // dsb, dmb, isb
}

// smstart, smstop: the mode change zeroes or discards vectors and predicates, and changes the vector length.
Lifted ChangeStreamingMode(BlockBuilder* out) {
  for (uint32_t r = 0; r < SOFTLBR_VECTOR_REGISTERS; ++r) ForgetZ(r, out);
  ForgetPredicates(out);
  out->AddUnknown(kVectorLength);
  out->AddUnknown(kVectorBytes);
  return Lifted::kNext;
}

// PSTATE fields that user space may change, by op1:op2.
Lifted WriteState(uint32_t word, BlockBuilder* out) {
  const uint32_t crm = Field(word, 8, 4);
  switch (Field(word, 16, 3) << 3 | Field(word, 5, 3)) {
    case 0:  // cfinv
      if (crm != 0) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_FLIP_CARRY, 8, 0, 0);
      return Lifted::kNext;
    case 1:  // xaflag
    case 2:  // axflag
      if (crm != 0) return Lifted::kUnallocated;
      out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv);
      return Lifted::kNext;
    case 3 << 3 | 1:  // ssbs
    case 3 << 3 | 2:  // dit
    case 3 << 3 | 4:  // tco
    case 3 << 3 | 6:  // daifset, daifclr: trap unless the system allows user space to mask
    case 3 << 3 | 7: return Lifted::kNext;
    case 3 << 3 | 3: return ChangeStreamingMode(out);
    default: return Lifted::kUnallocated;
  }
}

// Cache maintenance, memory zeroing: op1 == 3 is available in user space.
Lifted Maintain(uint32_t word, BlockBuilder* out) {
  if (Field(word, 16, 3) != 3) return Lifted::kUnallocated;
  if (Bit(word, 21)) {  // sysl
    out->AddUnknown(X(Rd(word)));
    return Lifted::kNext;
  }
  if (Field(word, 12, 4) != 7) {
    out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0);
    return Lifted::kNext;
  }
  switch (Field(word, 8, 4) << 3 | Field(word, 5, 3)) {
    case 4 << 3 | 1:    // dc zva
    case 4 << 3 | 4: {  // dc gzva
      // The block is aligned to its size, which DCZID gives.
      const uint16_t begin = out->Temp();
      const uint16_t bytes = out->Temp();
      const uint16_t mask = out->Temp();
      out->Add(SOFTLBR_OP_AND, 8, mask, SOFTLBR_A64_DCZID, 0, 15, 0, SOFTLBR_UOP_B_IMM);
      out->Add(SOFTLBR_OP_CONST, 8, bytes, 0, 0, 4);
      out->Add(SOFTLBR_OP_SHL, 8, bytes, bytes, mask);
      out->Add(SOFTLBR_OP_NEG, 8, mask, bytes);
      out->Add(SOFTLBR_OP_AND, 8, begin, X(Rd(word)), mask);
      out->Add(SOFTLBR_OP_SHR, 8, bytes, bytes, 0, 2, 0, SOFTLBR_UOP_B_IMM);  // words
      out->Add(SOFTLBR_OP_STRING_STORE, 4, begin, 0, bytes, SOFTLBR_REG_ZERO);
      return Lifted::kNext;
    }
    case 7 << 3 | 0:  // gcspushm and variants write the guarded control stack
    case 7 << 3 | 2: out->Add(SOFTLBR_OP_CLOBBER_MEMORY, 8, 0, 0); return Lifted::kNext;
    default:  // cache cleaning and invalidation, tags, prediction restriction: values do not change
      return Lifted::kNext;
  }
}

// op0:op1:CRn:CRm:op2, as in bits 19..5.
constexpr uint32_t SystemRegister(uint32_t op0, uint32_t op1, uint32_t crn, uint32_t crm, uint32_t op2) {
  return (op0 & 1) << 14 | op1 << 11 | crn << 7 | crm << 3 | op2;
}
constexpr uint32_t kNzcvRegister = SystemRegister(3, 3, 4, 2, 0);
constexpr uint32_t kFpcrRegister = SystemRegister(3, 3, 4, 4, 0);
constexpr uint32_t kThreadPointer = SystemRegister(3, 3, 13, 0, 2);
constexpr uint32_t kRandom = SystemRegister(3, 3, 2, 4, 0);
constexpr uint32_t kRandomReseeded = SystemRegister(3, 3, 2, 4, 1);
constexpr uint32_t kZeroingBlock = SystemRegister(3, 3, 0, 0, 7);
constexpr uint32_t kStreamingControl = SystemRegister(3, 3, 4, 2, 2);

bool IsUserRegister(uint32_t word) { return Field(word, 16, 3) == 3; }
// The kernel emulates reads of identification registers.
bool IsIdentification(uint32_t word) { return Bit(word, 19) && Field(word, 16, 3) == 0 && Field(word, 12, 4) == 0; }

// dst = N:Z:C:V in bits 31..28.
void ReadFlags(uint32_t dst, BlockBuilder* out) {
  constexpr uint8_t kOrder[4] = {SOFTLBR_COND_S, SOFTLBR_COND_Z, SOFTLBR_COND_C, SOFTLBR_COND_V};
  const uint16_t sum = out->Temp();
  const uint16_t flag = out->Temp();
  out->Add(SOFTLBR_OP_SETCC, 8, sum, 0, 0, 0, kOrder[0]);
  for (uint32_t i = 1; i < 4; ++i) {
    out->Add(SOFTLBR_OP_SETCC, 8, flag, 0, 0, 0, kOrder[i]);
    out->Add(SOFTLBR_OP_ADDRESS, 8, sum, flag, sum, 0, 1);
  }
  out->Add(SOFTLBR_OP_SHL, 4, dst, sum, 0, 28, 0, SOFTLBR_UOP_B_IMM);
}

constexpr int32_t MoveField(uint32_t from, uint32_t length, uint32_t to) {
  return static_cast<int32_t>(from | length << 8 | to << 16);
}

Lifted ReadRegister(uint32_t word, BlockBuilder* out) {
  const uint32_t dst = X(Rd(word));
  if (!IsUserRegister(word) && !IsIdentification(word)) return Lifted::kUnallocated;
  switch (Field(word, 5, 15)) {
    case kNzcvRegister: ReadFlags(dst, out); return Lifted::kNext;
    case kFpcrRegister: out->Add(SOFTLBR_OP_MOV, 8, dst, SOFTLBR_A64_FPCR); return Lifted::kNext;
    case kZeroingBlock: out->Add(SOFTLBR_OP_MOV, 8, dst, SOFTLBR_A64_DCZID); return Lifted::kNext;
    case kThreadPointer: out->Add(SOFTLBR_OP_MOV, 8, dst, SOFTLBR_A64_TPIDR); return Lifted::kNext;
    case kRandom:
    case kRandomReseeded:
      out->AddUnknown(dst);
      out->Add(SOFTLBR_OP_CLOBBER_FLAGS, 8, 0, 0, 0, kNzcv);
      return Lifted::kNext;
    default: out->AddUnknown(dst); return Lifted::kNext;
  }
}

void WriteFlags(uint32_t source, BlockBuilder* out) {
  const uint16_t packed = out->Temp();
  out->Add(SOFTLBR_OP_BITFIELD, 8, packed, 0, source, MoveField(30, 2, 3));  // N, Z
  out->Add(SOFTLBR_OP_BITFIELD, 8, packed, 0, source, MoveField(29, 1, 0), 0, SOFTLBR_UOP_MERGE);
  out->Add(SOFTLBR_OP_BITFIELD, 8, packed, 0, source, MoveField(28, 1, 5), 0, SOFTLBR_UOP_MERGE);
  out->Add(SOFTLBR_OP_SET_FLAGS_FROM, 8, 0, packed, 0, kNzcv);
}

Lifted WriteRegister(uint32_t word, BlockBuilder* out) {
  const uint32_t source = X(Rd(word));
  if (!IsUserRegister(word)) return Lifted::kUnallocated;
  switch (Field(word, 5, 15)) {
    case kNzcvRegister: WriteFlags(source, out); return Lifted::kNext;
    case kFpcrRegister:
      // Reading FPCR back gives the written bits that this CPU implements: always RMode, FZ, DN and AHP. Writing 0
      // always reads back 0.
      out->Add(SOFTLBR_OP_ROUNDING, 8, 0, source);
      out->Add(SOFTLBR_OP_AND, 8, SOFTLBR_A64_FPCR, source, 0, 0x07c00000, 0, SOFTLBR_UOP_B_IMM);
      if (source != SOFTLBR_REG_ZERO) {
        const uint16_t rest = out->Temp();
        const uint16_t unknown = out->Temp();
        out->AddUnknown(unknown);
        out->Add(SOFTLBR_OP_AND, 8, rest, source, 0, 0x003fffff, 0, SOFTLBR_UOP_B_IMM);
        out->Add(SOFTLBR_OP_AND, 8, rest, rest, unknown);
        out->Add(SOFTLBR_OP_OR, 8, SOFTLBR_A64_FPCR, SOFTLBR_A64_FPCR, rest);
      }
      return Lifted::kNext;
    case kThreadPointer: out->Add(SOFTLBR_OP_MOV, 8, SOFTLBR_A64_TPIDR, source); return Lifted::kNext;
    case kStreamingControl: return ChangeStreamingMode(out);
    default: return Lifted::kNext;
  }
}

}  // namespace

Lifted LiftSystem(uint32_t word, BlockBuilder* out) {
  if (Field(word, 22, 2) != 0) return Lifted::kUnallocated;  // 128-bit system registers: privileged
  const uint32_t op0 = Field(word, 19, 2);
  if (op0 >= 2) return Bit(word, 21) ? ReadRegister(word, out) : WriteRegister(word, out);
  if (op0 == 1) return Maintain(word, out);
  if (Bit(word, 21)) return Lifted::kUnallocated;
  const uint32_t crn = Field(word, 12, 4);
  if (crn == 1) {  // wfet, wfit
    const bool is_wait = Field(word, 16, 3) == 3 && Field(word, 8, 4) == 0 && Field(word, 5, 3) <= 1;
    return is_wait ? Lifted::kNext : Lifted::kUnallocated;
  }
  if (Rd(word) != kZeroRegister) return Lifted::kUnallocated;
  if (crn == 4) return WriteState(word, out);
  if (Field(word, 16, 3) != 3) return Lifted::kUnallocated;
  if (crn == 2) return Hint(word, out);
  return crn == 3 ? Barrier(word) : Lifted::kUnallocated;
}

}  // namespace softlbr::a64
