// Random well-formed micro-operations, for the soundness and robustness tests.
#ifndef SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_RANDOM_UOP_H_
#define SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_RANDOM_UOP_H_

#include "runtime/lookahead/uop_check.h"
#include "tests/runtime/lookahead/uop_harness.h"

namespace softlbr::lookahead_test {

// Register slots that address the test's memory; of random uops only string ops write them.
inline constexpr uint16_t kPointer = SOFTLBR_REG_GENERAL + 20;
inline constexpr uint16_t kIndex = SOFTLBR_REG_GENERAL + 21;
inline constexpr uint16_t kStringDst = SOFTLBR_REG_GENERAL + 22;
inline constexpr uint16_t kStringSrc = SOFTLBR_REG_GENERAL + 23;
inline constexpr uint16_t kStringCount = SOFTLBR_REG_GENERAL + 24;
inline constexpr uint16_t kStringDirection = SOFTLBR_REG_GENERAL + 25;

template <typename T>
T PickFrom(Random& random, std::initializer_list<T> choices) {
  return *(choices.begin() + random() % choices.size());
}

inline bool IsMemoryOp(uint32_t op) {
  return op == SOFTLBR_OP_LOAD || op == SOFTLBR_OP_STORE || op == SOFTLBR_OP_STORE_UNKNOWN || op == SOFTLBR_OP_VLOAD ||
         op == SOFTLBR_OP_VSTORE;
}
inline bool IsMaskedOp(uint32_t op) { return op == SOFTLBR_OP_VLOAD_MASKED || op == SOFTLBR_OP_VSTORE_MASKED; }
inline bool IsStringOp(uint32_t op) { return op >= SOFTLBR_OP_STRING_MOVE && op <= SOFTLBR_OP_STRING_COMPARE; }

inline uint16_t RandomScalarSlot(Random& random) {
  return PickFrom<uint16_t>(random, {SOFTLBR_REG_ZERO, kA, kA, kB, kB, kC, kC, kD, SOFTLBR_REG_TEMP});
}
inline uint16_t RandomVectorSlot(Random& random) { return PickFrom<uint16_t>(random, {kVA, kVB, kVC, kVD}); }

inline int32_t RandomImmediate(Random& random) {
  switch (random() % 6) {
    case 0: return RandomScalarSlot(random);
    case 1: return RandomVectorSlot(random);
    case 2: return static_cast<int32_t>(random() % 9);
    case 3: return PickFrom<int32_t>(random, {1, 2, 4, 8});
    case 4: return -static_cast<int32_t>(random() % 70);
    default: return static_cast<int32_t>(random());
  }
}

// A random well-formed uop with this op.
inline softlbr_uop RandomUop(Random& random, uint32_t op) {
  const bool is_vector = op == SOFTLBR_OP_VLOAD || op == SOFTLBR_OP_VSTORE || op >= SOFTLBR_OP_VMOV;
  for (;;) {
    softlbr_uop uop = {};
    uop.op = static_cast<uint16_t>(op);
    uop.width = PickFrom<uint8_t>(random, {1, 2, 4, 8});
    uop.aux = PickFrom<uint8_t>(random,
                                {1, 2, 4, 8, static_cast<uint8_t>(random() % 20), static_cast<uint8_t>(random() % 64)});
    uop.dst = RandomScalarSlot(random);
    uop.a = RandomScalarSlot(random);
    uop.b = RandomScalarSlot(random);
    uop.flags = static_cast<uint16_t>(random() & random() & 0x7ff);
    if (random() % 2 != 0) uop.flags |= SOFTLBR_UOP_SET_FLAGS;
    uop.imm = RandomImmediate(random);
    if (is_vector) {
      uop.width = PickFrom<uint8_t>(random, {4, 8, 16, 16, 32, 64});
      if (random() % 8 != 0) uop.dst = RandomVectorSlot(random);
      if (random() % 8 != 0) uop.a = RandomVectorSlot(random);
      if (random() % 8 != 0) uop.b = RandomVectorSlot(random);
      const bool is_to_scalar =
          op == SOFTLBR_OP_VEXTRACT || op == SOFTLBR_OP_FLOAT_TO_INT || op == SOFTLBR_OP_INT_TO_FLOAT;
      if (is_to_scalar) uop.width = PickFrom<uint8_t>(random, {1, 2, 4, 8});
    }
    if (IsMemoryOp(op)) {
      uop.a = kPointer;
      uop.b = PickFrom<uint16_t>(random, {SOFTLBR_REG_ZERO, kIndex});
      uop.aux = static_cast<uint8_t>(random() % 4);
      uop.imm = static_cast<int32_t>(random() % 200);
      // No store whose length is in a register slot: a random length would be too large.
      if (op == SOFTLBR_OP_STORE_UNKNOWN) uop.width = static_cast<uint8_t>(1 + random() % 64);
    }
    if (IsMaskedOp(op)) {
      uop.a = kPointer;
      uop.b = RandomScalarSlot(random);
      uop.imm = static_cast<int32_t>(random() % 200);
    }
    if (IsStringOp(op)) {
      uop.dst = kStringDst;
      uop.a = kStringSrc;
      uop.b = PickFrom<uint16_t>(random, {SOFTLBR_REG_ZERO, kStringCount});
      uop.aux = static_cast<uint8_t>(random() % 4 | (random() % 3 == 0 ? kStringDirection << 2 : 0));
      uop.imm = RandomScalarSlot(random);
      uop.flags = op >= SOFTLBR_OP_STRING_SCAN ? uint16_t{SOFTLBR_UOP_SET_FLAGS} : uint16_t{0};
    }
    if (op >= SOFTLBR_OP_BIT_TEST && op <= SOFTLBR_OP_BIT_FLIP) uop.flags |= SOFTLBR_UOP_SET_FLAGS;
    if (IsUopWellFormed(uop)) return uop;
  }
}

}  // namespace softlbr::lookahead_test

#endif  // SOFTLBR_TESTS_RUNTIME_LOOKAHEAD_RANDOM_UOP_H_
