// LD1..LD4 and ST1..ST4: bits 29:24 = 00110x, for whole registers, single lanes and replicated lanes.
//
// Interleaved structures are lifted element by element: they are rare, so speed does not matter.
#include "decoders/aarch64/lift/memory_access.h"

namespace softlbr::a64 {
namespace {

MemoryAddress At(uint32_t base, uint32_t offset) {
  return MemoryAddress{base, SOFTLBR_REG_ZERO, 0, static_cast<int32_t>(offset)};
}

// After all accesses, adds the number of bytes, or Xm, to the base.
void MoveBase(uint32_t word, uint32_t bytes, BlockBuilder* out) {
  if (!Bit(word, 23)) return;
  const uint32_t base = XOrSp(Rn(word));
  if (Rm(word) == kZeroRegister) {
    out->Add(SOFTLBR_OP_ADD, 8, base, base, 0, static_cast<int32_t>(bytes), 0, SOFTLBR_UOP_B_IMM);
  } else {
    out->Add(SOFTLBR_OP_ADD, 8, base, base, X(Rm(word)));
  }
}

// Registers and elements per structure, by opcode. registers 0: unallocated.
struct Shape {
  uint8_t registers;
  uint8_t interleaved;
};
constexpr Shape kShapes[16] = {{4, 4}, {0, 0}, {4, 1}, {0, 0}, {3, 3}, {0, 0}, {3, 1}, {1, 1},
                               {2, 2}, {0, 0}, {2, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}};

// Element i of every register, then element i + 1. At most 128 uops.
void Interleave(uint32_t word, uint32_t registers, uint32_t bytes, uint32_t lane, BlockBuilder* out) {
  const bool is_load = Bit(word, 22);
  const uint32_t base = XOrSp(Rn(word));
  const uint16_t value = out->Temp();
  uint32_t at = 0;
  for (uint32_t element = 0; element < bytes / lane; ++element) {
    for (uint32_t i = 0; i < registers; ++i, at += lane) {
      const uint32_t slot = V((Rd(word) + i) % SOFTLBR_VECTOR_REGISTERS);
      if (is_load) {
        AddMemory(SOFTLBR_OP_LOAD, lane, value, At(base, at), 0, out);
        out->Add(SOFTLBR_OP_VINSERT, 16, slot, value, 0, static_cast<int32_t>(element), lane);
      } else {
        out->Add(SOFTLBR_OP_VEXTRACT, 8, value, slot, 0, static_cast<int32_t>(element), lane);
        AddMemory(SOFTLBR_OP_STORE, lane, value, At(base, at), 0, out);
      }
    }
  }
  for (uint32_t i = 0; is_load && bytes < 16 && i < registers; ++i)
    out->Add(SOFTLBR_OP_VZERO_ABOVE, bytes, V((Rd(word) + i) % SOFTLBR_VECTOR_REGISTERS), 0);
}

Lifted Multiple(uint32_t word, BlockBuilder* out) {
  const Shape shape = kShapes[Field(word, 12, 4)];
  const uint32_t bytes = Bit(word, 30) ? 16 : 8;
  const uint32_t lane = 1u << Field(word, 10, 2);
  const bool is_load = Bit(word, 22);
  const uint32_t base = XOrSp(Rn(word));
  if (shape.registers == 0 || (Bit(word, 23) ? Bit(word, 21) : Field(word, 16, 6) != 0)) return Lifted::kUnallocated;
  if (shape.interleaved > 1 && lane == bytes) return Lifted::kUnallocated;  // .1d
  const uint32_t total = bytes * shape.registers;
  if (shape.interleaved == 1) {
    for (uint32_t i = 0; i < shape.registers; ++i)
      TransferVector(is_load, bytes, (Rd(word) + i) % SOFTLBR_VECTOR_REGISTERS, At(base, bytes * i), out);
  } else {
    Interleave(word, shape.registers, bytes, lane, out);
  }
  MoveBase(word, total, out);
  return Lifted::kNext;
}

Lifted Single(uint32_t word, BlockBuilder* out) {
  const uint32_t opcode = Field(word, 13, 3);
  const bool is_load = Bit(word, 22);
  const uint32_t size = Field(word, 10, 2);
  const uint32_t base = XOrSp(Rn(word));
  const uint32_t registers = 1 + (Bit(word, 21) ? 1u : 0u) + ((opcode & 1) != 0 ? 2u : 0u);
  if (!Bit(word, 23) && Rm(word) != 0) {
    // ldap1, stl1: one lane of 8 bytes with ordering
    if (Rm(word) != 1 || Bit(word, 21) || opcode != 4 || size != 1 || Bit(word, 12)) return Lifted::kUnallocated;
  }
  const bool replicates = opcode >= 6;
  uint32_t lane = 1u << (opcode >> 1);
  uint32_t index = (Bit(word, 30) ? 8u : 0u) | (Bit(word, 12) ? 4u : 0u) | size;
  switch (opcode >> 1) {
    case 1:
      if ((size & 1) != 0) return Lifted::kUnallocated;
      index >>= 1;
      break;
    case 2:
      if ((size & 2) != 0) return Lifted::kUnallocated;
      if (size == 0) {
        index >>= 2;
      } else {
        if (Bit(word, 12)) return Lifted::kUnallocated;
        lane = 8;
        index >>= 3;
      }
      break;
    case 3:
      if (!is_load || Bit(word, 12)) return Lifted::kUnallocated;
      lane = 1u << size;
      break;
    default: break;
  }
  const uint32_t bytes = Bit(word, 30) ? 16 : 8;
  for (uint32_t i = 0; i < registers; ++i) {
    const uint32_t slot = V((Rd(word) + i) % SOFTLBR_VECTOR_REGISTERS);
    const uint16_t value = out->Temp();
    if (!is_load) {
      out->Add(SOFTLBR_OP_VEXTRACT, 8, value, slot, 0, static_cast<int32_t>(index), lane);
      AddMemory(SOFTLBR_OP_STORE, lane, value, At(base, lane * i), 0, out);
      continue;
    }
    AddMemory(SOFTLBR_OP_LOAD, lane, value, At(base, lane * i), 0, out);
    if (replicates) {
      out->Add(SOFTLBR_OP_VBROADCAST, bytes, slot, value, 0, 0, lane);
      if (bytes < 16) out->Add(SOFTLBR_OP_VZERO_ABOVE, bytes, slot, 0);
    } else {
      out->Add(SOFTLBR_OP_VINSERT, 16, slot, value, 0, static_cast<int32_t>(index), lane);
    }
  }
  MoveBase(word, registers * lane, out);
  return Lifted::kNext;
}

}  // namespace

Lifted LiftStructure(uint32_t word, BlockBuilder* out) {
  if (Bit(word, 31)) return Lifted::kUnallocated;
  return Bit(word, 24) ? Single(word, out) : Multiple(word, out);
}

}  // namespace softlbr::a64
