// SVE loads and stores of consecutive elements and of whole registers. Contract: scalable.h.
//
// Inactive elements are not accessed, so a load or store faults exactly where the CPU's does. Elements in memory may be
// narrower than in the register: loads extend, stores truncate.
#include "decoders/aarch64/scalable/scalable.h"

namespace softlbr::a64 {
namespace {

struct Transfer {
  bool is_load;
  bool is_signed;
  uint32_t lane;    // log2 of an element's bytes in the register
  uint32_t memory;  // log2 of an element's bytes in memory
};

// By dtype, whose fields are log2 of the bytes in memory and in the lane. If memory would be wider than the lane, the
// load is signed and both fields are subtracted from 3.
Transfer LoadOf(uint32_t dtype) {
  const uint32_t high = dtype >> 2;
  const uint32_t low = dtype & 3;
  if (low >= high) return Transfer{true, false, low, high};
  return Transfer{true, true, 3 - low, 3 - high};
}

void AddTransfer(const Transfer& transfer, uint32_t z, uint32_t address, uint32_t predicate, BlockBuilder* out) {
  const uint32_t narrower = transfer.lane - transfer.memory;  // log2 of the ratio
  uint32_t mask = predicate;
  uint32_t data = V(z);
  const uint32_t width = kWholeVector >> narrower;
  if (narrower == 0) {
    mask = AddBytesOf(predicate, transfer.lane, out);
  } else {
    // One mask bit per lane, packed, then repeated for each byte of an element in memory.
    data = VectorTemp(0);
    const uint16_t bits = out->Temp();
    out->Add(SOFTLBR_OP_PEXT, 8, bits, predicate, AddLanePattern(transfer.lane, out));
    if (transfer.memory != 0) {
      out->Add(SOFTLBR_OP_PDEP, 8, bits, bits, AddLanePattern(transfer.memory, out));
      out->Add(SOFTLBR_OP_MUL, 8, bits, bits, 0, (1 << (1u << transfer.memory)) - 1, 0, SOFTLBR_UOP_B_IMM);
    }
    mask = bits;
  }
  if (!transfer.is_load) {
    if (narrower != 0) {
      out->Add(SOFTLBR_OP_VTRUNCATE, kWholeVector, data, V(z), 0, 1 << transfer.memory, 1u << transfer.lane);
    }
    out->Add(SOFTLBR_OP_VSTORE_MASKED, width, data, address, mask);
    return;
  }
  out->Add(SOFTLBR_OP_VLOAD_MASKED, width, data, address, mask);
  if (narrower != 0) {
    out->Add(SOFTLBR_OP_VEXTEND, kWholeVector, V(z), data, 0, 1 << transfer.lane, 1u << transfer.memory,
             When(transfer.is_signed, SOFTLBR_UOP_SIGNED));
  }
}

// ldr, str of a predicate or a whole vector: accesses its whole length, at a multiple of that length.
bool WholeRegister(uint32_t word, bool is_load, BlockBuilder* out) {
  const bool is_vector = Bit(word, 14);
  if (!is_vector && Bit(word, 4)) return false;
  const int32_t times = SignedField(word, 16, 6) * 8 + static_cast<int32_t>(Field(word, 10, 3));
  const uint32_t op = is_load ? SOFTLBR_OP_VLOAD_MASKED : SOFTLBR_OP_VSTORE_MASKED;
  const uint16_t address = AddLengthTimes(XOrSp(Rn(word)), is_vector ? 0 : 3, times, out);
  if (is_vector) {
    out->Add(op, kWholeVector, V(Rd(word)), address, kVectorBytes);
    return true;
  }
  const uint16_t bytes = out->Temp();
  const uint16_t ones = out->Temp();
  out->Add(SOFTLBR_OP_SHR, 8, bytes, kVectorLength, 0, 3, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_CONST, 8, ones, 0, 0, -1);
  out->Add(SOFTLBR_OP_BZHI, 8, ones, ones, bytes);
  out->Add(op, 8, P(Rd(word)), address, ones);
  return true;
}

// ld1rb ..: one element for all active lanes; read only if a lane is active.
void LoadAndBroadcast(uint32_t word, BlockBuilder* out) {
  const Transfer transfer = LoadOf(Field(word, 23, 2) << 2 | Field(word, 13, 2));
  const uint32_t lanes = AddLanesOf(GoverningP(word), transfer.lane, out);
  const uint16_t mask = out->Temp();
  out->Add(SOFTLBR_OP_NEG, 8, mask, lanes);
  out->Add(SOFTLBR_OP_OR, 8, mask, mask, lanes);
  out->Add(SOFTLBR_OP_SAR, 8, mask, mask, 0, 63, 0, SOFTLBR_UOP_B_IMM);
  out->Add(SOFTLBR_OP_AND, 8, mask, mask, 0, (1 << (1u << transfer.memory)) - 1, 0, SOFTLBR_UOP_B_IMM);
  const uint16_t value = out->Temp();
  out->Add(SOFTLBR_OP_VLOAD_MASKED, 8, value, XOrSp(Rn(word)), mask,
           static_cast<int32_t>(Field(word, 16, 6) << transfer.memory));
  out->Add(transfer.is_signed ? SOFTLBR_OP_SIGN_EXTEND : SOFTLBR_OP_ZERO_EXTEND, 8, value, value, 0, 0,
           1u << transfer.memory);
  out->Add(SOFTLBR_OP_VBROADCAST, kWholeVector, VectorTemp(0), value, 0, 0, 1u << transfer.lane);
  out->Add(SOFTLBR_OP_VZERO_ABOVE, 0, VectorTemp(1), 0);
  const uint32_t bytes = AddBytesOf(GoverningP(word), transfer.lane, out);
  out->Add(SOFTLBR_OP_VSELECT_MASK, kWholeVector, V(Rd(word)), VectorTemp(0), VectorTemp(1),
           static_cast<int32_t>(bytes), 1);
}

// At an offset of imm4 vectors of memory.
void AtImmediate(uint32_t word, const Transfer& transfer, BlockBuilder* out) {
  const uint32_t narrower = transfer.lane - transfer.memory;
  const uint16_t address = AddLengthTimes(XOrSp(Rn(word)), narrower, SignedField(word, 16, 4), out);
  AddTransfer(transfer, Rd(word), address, GoverningP(word), out);
}

bool AtIndex(uint32_t word, const Transfer& transfer, BlockBuilder* out) {
  if (Rm(word) == kZeroRegister) return false;
  const uint16_t address = out->Temp();
  out->Add(SOFTLBR_OP_ADDRESS, 8, address, XOrSp(Rn(word)), X(Rm(word)), 0, transfer.memory);
  AddTransfer(transfer, Rd(word), address, GoverningP(word), out);
  return true;
}

}  // namespace

bool LiftScalableMemory(uint32_t word, BlockBuilder* out) {
  const uint32_t group = Field(word, 24, 8);
  const uint32_t top = Field(word, 13, 3);
  const uint32_t size = Field(word, 23, 2);
  const bool is_load = group < 0xe0;
  if ((group == 0x85 || group == 0xe5) && Field(word, 22, 2) == 2 && (top == 0 || top == 2)) {
    return WholeRegister(word, is_load, out);
  }
  if ((group & 0xfe) == 0x84 && Bit(word, 22) && Bit(word, 15)) {
    LoadAndBroadcast(word, out);
    return true;
  }
  if ((group & 0xfe) == 0xa4) {
    const Transfer transfer = LoadOf(Field(word, 21, 4));
    const Transfer whole = {true, false, size, size};
    const bool is_single = Field(word, 21, 2) == 0;
    if (top == 2) return AtIndex(word, transfer, out);
    if (top == 6 && is_single) return AtIndex(word, whole, out);  // ldnt1
    const bool is_streamed = top == 7 && is_single;
    if (Bit(word, 20) || (top != 5 && !is_streamed)) return false;  // first-fault, non-fault, structures
    AtImmediate(word, is_streamed ? whole : transfer, out);
    return true;
  }
  if ((group & 0xfe) != 0xe4) return false;
  const uint32_t lane = Field(word, 21, 2);
  const Transfer transfer = {false, false, lane, size};
  const Transfer whole = {false, false, size, size};
  if (top == 2) return lane >= size && AtIndex(word, transfer, out);
  if (top == 3) return lane == 0 && AtIndex(word, whole, out);  // stnt1
  if (top != 7) return false;
  const bool is_streamed = Bit(word, 20);
  if (is_streamed ? lane != 0 : lane < size) return false;
  AtImmediate(word, is_streamed ? whole : transfer, out);
  return true;
}

}  // namespace softlbr::a64
