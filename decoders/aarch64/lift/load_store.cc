// Loads and stores of registers and pairs: bits 28:25 = x1x0.
//
// The base register is written after the accesses, as it would not be if they faulted. Forms whose result the
// architecture leaves open (a base that is also transferred and written back, a pair loaded into one register) make
// UNKNOWN what they touch. Unprivileged accesses are ordinary accesses in user space; non-temporal hints are ignored.
#include "decoders/aarch64/lift/memory_access.h"

namespace softlbr::a64 {
namespace {

void WriteBack(uint32_t base, int32_t imm, BlockBuilder* out) {
  out->Add(SOFTLBR_OP_ADD, 8, base, base, 0, imm, 0, SOFTLBR_UOP_B_IMM);
}

struct Access {
  uint8_t bytes;  // 0: no such form
  bool is_load;
  bool is_vector;
  bool is_signed;
  bool extends_to_word;  // ldrsb w, ldrsh w
  bool is_prefetch;
};

constexpr Access DecodeAccess(uint32_t size, bool is_vector, uint32_t opc) {
  Access access = {static_cast<uint8_t>(1u << size), (opc & 1) != 0, is_vector, false, false, false};
  if (opc < 2) return access;
  if (is_vector) {
    access.bytes = size == 0 ? 16 : 0;
  } else if (size == 3) {
    access.is_prefetch = true;
    if (opc == 3) access.bytes = 0;
  } else {
    access.is_load = true;
    access.is_signed = true;
    access.extends_to_word = opc == 3;
    if (size == 2 && opc == 3) access.bytes = 0;
  }
  return access;
}

// The single-register forms, by size (bits 31:30), V (26) and opc (23:22).
struct AccessTable {
  Access of[32];
};
constexpr AccessTable MakeAccessTable() {
  AccessTable table = {};
  for (uint32_t i = 0; i < 32; ++i) table.of[i] = DecodeAccess(i >> 3, (i & 4) != 0, i & 3);
  return table;
}
constexpr AccessTable kAccesses = MakeAccessTable();

const Access& AccessOf(uint32_t word) {
  return kAccesses.of[Field(word, 30, 2) << 3 | Field(word, 26, 1) << 2 | Field(word, 22, 2)];
}

void Transfer(const Access& access, uint32_t number, const MemoryAddress& address, BlockBuilder* out) {
  if (access.is_vector) {
    TransferVector(access.is_load, access.bytes, number, address, out);
    return;
  }
  const uint32_t slot = X(number);
  if (!access.is_load) {
    AddMemory(SOFTLBR_OP_STORE, access.bytes, slot, address, 0, out);
    return;
  }
  AddMemory(SOFTLBR_OP_LOAD, access.bytes, slot, address, When(access.is_signed, SOFTLBR_UOP_SIGNED), out);
  if (access.extends_to_word) out->Add(SOFTLBR_OP_ZERO_EXTEND, 8, slot, slot, 0, 0, 4);
}

// A base register that is both written back and transferred.
void TransferUnpredictably(const Access& access, uint32_t base, const MemoryAddress& address, BlockBuilder* out) {
  if (!access.is_load) AddMemory(SOFTLBR_OP_STORE_UNKNOWN, access.bytes, 0, address, 0, out);
  out->AddUnknown(base);
}

}  // namespace

Lifted LiftSingleImmediate9(uint32_t word, BlockBuilder* out) {
  const Access& access = AccessOf(word);
  if (access.bytes == 0) return Lifted::kUnallocated;
  const uint32_t mode = Field(word, 10, 2);  // 0 unscaled, 1 post-index, 2 unprivileged, 3 pre-index
  const bool writes_back = (mode & 1) != 0;
  if (mode == 2 && access.is_vector) return Lifted::kUnallocated;
  if (access.is_prefetch) return mode == 0 ? Lifted::kNext : Lifted::kUnallocated;
  const int32_t imm = SignedField(word, 12, 9);
  const uint32_t base = XOrSp(Rn(word));
  const MemoryAddress address = {base, SOFTLBR_REG_ZERO, 0, mode == 1 ? 0 : imm};
  const bool is_unpredictable = writes_back && !access.is_vector && Rn(word) == Rd(word) && Rn(word) != kZeroRegister;
  if (is_unpredictable) {
    TransferUnpredictably(access, base, address, out);
    return Lifted::kNext;
  }
  Transfer(access, Rd(word), address, out);
  if (writes_back) WriteBack(base, imm, out);
  return Lifted::kNext;
}

Lifted LiftSingleImmediate12(uint32_t word, BlockBuilder* out) {
  const Access& access = AccessOf(word);
  if (access.bytes == 0) return Lifted::kUnallocated;
  if (access.is_prefetch) return Lifted::kNext;
  const auto imm = static_cast<int32_t>(Field(word, 10, 12) * access.bytes);
  Transfer(access, Rd(word), MemoryAddress{XOrSp(Rn(word)), SOFTLBR_REG_ZERO, 0, imm}, out);
  return Lifted::kNext;
}

namespace {

Lifted RegisterOffset(uint32_t word, BlockBuilder* out) {
  const Access& access = AccessOf(word);
  const uint32_t option = Field(word, 13, 3);
  if (access.bytes == 0 || (option & 2) == 0) return Lifted::kUnallocated;
  if (access.is_prefetch) return Lifted::kNext;
  uint32_t shift = 0;
  if (Bit(word, 12)) shift = access.bytes == 16 ? 4 : Field(word, 30, 2);
  uint32_t index = X(Rm(word));
  if ((option & 1) == 0 && index != SOFTLBR_REG_ZERO) {  // uxtw, sxtw
    const uint16_t extended = out->Temp();
    out->Add((option & 4) != 0 ? SOFTLBR_OP_SIGN_EXTEND : SOFTLBR_OP_ZERO_EXTEND, 8, extended, index, 0, 0, 4);
    index = extended;
  }
  Transfer(access, Rd(word), MemoryAddress{XOrSp(Rn(word)), index, shift, 0}, out);
  return Lifted::kNext;
}

// ldraa, ldrab: the base is authenticated with a data key and a zero modifier.
Lifted SingleAuthenticated(uint32_t word, BlockBuilder* out) {
  if (Field(word, 30, 2) != 3 || Bit(word, 26)) return Lifted::kUnallocated;
  const int32_t imm = (Bit(word, 22) ? -4096 : 0) + static_cast<int32_t>(Field(word, 12, 9)) * 8;
  const uint32_t base = XOrSp(Rn(word));
  const uint16_t stripped = out->Temp();
  AddCheckedPointer(stripped, base, SOFTLBR_REG_ZERO, Bit(word, 23) ? 3 : 2, out);
  const bool writes_back = Bit(word, 11);
  if (writes_back && Rn(word) == Rd(word) && Rn(word) != kZeroRegister) {
    out->AddUnknown(base);
    return Lifted::kNext;
  }
  out->Add(SOFTLBR_OP_LOAD, 8, X(Rd(word)), stripped, SOFTLBR_REG_ZERO, imm);
  if (writes_back) out->Add(SOFTLBR_OP_ADD, 8, base, stripped, 0, imm, 0, SOFTLBR_UOP_B_IMM);
  return Lifted::kNext;
}

}  // namespace

Lifted LiftLiteral(uint32_t word, BlockBuilder* out) {
  const uint32_t opc = Field(word, 30, 2);
  const bool is_vector = Bit(word, 26);
  if (opc == 3) return is_vector ? Lifted::kUnallocated : Lifted::kNext;  // prfm
  const int32_t imm = SignedField(word, 5, 19) * 4 + static_cast<int32_t>(out->offset());
  const MemoryAddress address = {SOFTLBR_REG_BLOCK, SOFTLBR_REG_ZERO, 0, imm};
  Access access = {static_cast<uint8_t>(4u << opc), true, is_vector, false, false, false};
  if (!is_vector && opc == 2) {  // ldrsw
    access.bytes = 4;
    access.is_signed = true;
  }
  Transfer(access, Rd(word), address, out);
  return Lifted::kNext;
}

Lifted LiftPair(uint32_t word, BlockBuilder* out) {
  const uint32_t opc = Field(word, 30, 2);
  const uint32_t mode = Field(word, 23, 2);  // 0 non-temporal, 1 post-index, 2 offset, 3 pre-index
  const bool writes_back = (mode & 1) != 0;
  const bool is_load = Bit(word, 22);
  const bool is_vector = Bit(word, 26);
  if (opc == 3) return Lifted::kUnallocated;
  Access access = {static_cast<uint8_t>(4u << opc), is_load, is_vector, false, false, false};
  uint32_t scale = access.bytes;
  if (!is_vector) {
    access.bytes = opc == 2 ? 8 : 4;
    scale = access.bytes;
    if (opc == 1) {  // ldpsw; stgp: two registers and the granule's tag
      if (mode == 0) return Lifted::kUnallocated;
      access.is_signed = is_load;
      access.bytes = is_load ? 4 : 8;
      scale = is_load ? 4 : 16;
    }
  }
  const int32_t imm = SignedField(word, 15, 7) * static_cast<int32_t>(scale);
  const uint32_t base = XOrSp(Rn(word));
  const uint32_t first = Rd(word);
  const uint32_t second = Ra(word);
  const auto bytes = static_cast<int32_t>(access.bytes);
  const MemoryAddress low = {base, SOFTLBR_REG_ZERO, 0, mode == 1 ? 0 : imm};
  const MemoryAddress high = {base, SOFTLBR_REG_ZERO, 0, low.imm + bytes};

  const bool is_base_moved = writes_back && !is_vector && Rn(word) != kZeroRegister;
  if (is_base_moved && (first == Rn(word) || second == Rn(word))) {
    if (!is_load) AddMemory(SOFTLBR_OP_STORE_UNKNOWN, 2 * access.bytes, 0, low, 0, out);
    if (is_load) out->AddUnknown(X(first));
    if (is_load) out->AddUnknown(X(second));
    out->AddUnknown(base);
    return Lifted::kNext;
  }
  if (is_load && first == second) {
    if (is_vector) {
      ForgetVector(first, 16, out);
    } else {
      out->AddUnknown(X(first));
    }
  } else if (is_load && !is_vector && first == Rn(word)) {  // the first load would change the base of the second
    Transfer(access, second, high, out);
    Transfer(access, first, low, out);
  } else {
    Transfer(access, first, low, out);
    Transfer(access, second, high, out);
  }
  if (writes_back) WriteBack(base, imm, out);
  return Lifted::kNext;
}

void TransferVector(bool is_load, uint32_t bytes, uint32_t number, const MemoryAddress& address, BlockBuilder* out) {
  const uint32_t slot = V(number);
  if (bytes == 16) {
    AddMemory(is_load ? SOFTLBR_OP_VLOAD : SOFTLBR_OP_VSTORE, 16, slot, address, 0, out);
    return;
  }
  AddMemory(is_load ? SOFTLBR_OP_LOAD : SOFTLBR_OP_STORE, bytes, slot, address, 0, out);
  if (is_load) out->Add(SOFTLBR_OP_CONST, 8, slot + 1, 0, 0, 0);
}

Lifted LiftSingleRegister(uint32_t word, BlockBuilder* out) {
  switch (Field(word, 10, 2)) {
    case 0: return LiftAtomic(word, out);
    case 2: return RegisterOffset(word, out);
    default: return SingleAuthenticated(word, out);
  }
}

}  // namespace softlbr::a64
