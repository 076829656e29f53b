// The fast path of vector ops when every byte is known: 16-byte chunks in the CPU's own vector registers.
//
// Context: handler; the signal frame keeps the program's vector registers. A vector of 16, 32 or 64 bytes is one, two
// or four chunks of consecutive register slots. Shorter vectors take the general path (vector.h).
#ifndef SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_CHUNKS_H_
#define SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_CHUNKS_H_

#include <cstdint>
#include <type_traits>

#include "decoders/api/ir.h"
#include "platform/base/attributes.h"
#include "platform/base/machine_context.h"

namespace softlbr {

inline constexpr uint32_t kChunkBytes = 16;

typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef uint16_t Halves __attribute__((vector_size(16)));
typedef uint32_t Words __attribute__((vector_size(16)));
typedef uint64_t Longs __attribute__((vector_size(16)));
typedef int8_t SignedBytes __attribute__((vector_size(16)));
typedef int16_t SignedHalves __attribute__((vector_size(16)));
typedef int32_t SignedWords __attribute__((vector_size(16)));
typedef int64_t SignedLongs __attribute__((vector_size(16)));

template <typename Chunk>
using LaneOf = std::remove_cv_t<std::remove_reference_t<decltype(Chunk{}[0])>>;

template <typename Chunk>
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE Chunk LoadChunk(const uint64_t* words) {
  Chunk chunk;
  __builtin_memcpy(&chunk, words, sizeof(chunk));
  return chunk;
}
template <typename Chunk>
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void StoreChunk(uint64_t* words, Chunk chunk) {
  __builtin_memcpy(words, &chunk, sizeof(chunk));
}

// The masks of `Known` as many slots, as one number.
template <typename Known>
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE Known LoadKnown(const MachineContext& context, uint32_t slot) {
  Known known;
  __builtin_memcpy(&known, &context.known[slot], sizeof(known));
  return known;
}
// True if the vectors at slots a and b consist of whole chunks and every byte is known. A vector beyond 16 bytes has
// all slots of a register (uop_check.h).
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool AreChunksKnown(const MachineContext& context, uint32_t a, uint32_t b,
                                                               uint32_t width) {
  if (width == kChunkBytes) return (LoadKnown<uint16_t>(context, a) & LoadKnown<uint16_t>(context, b)) == UINT16_MAX;
  if (width < kChunkBytes) return false;
  const uint64_t unknown = ~(LoadKnown<uint64_t>(context, a) & LoadKnown<uint64_t>(context, b));
  return unknown << (width == 2 * kChunkBytes ? 32 : 0) == 0;
}
// True if dst does not start within the slots of `from`, or equals it: each chunk can be written before the next one is
// read.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool CanWriteInTurn(uint32_t dst, uint32_t from) {
  return dst - from - 1 >= SOFTLBR_SLOTS_PER_VECTOR - 1;  // modulo 2^32
}
// True if both operands are whole chunks with every byte known, and the result can be written chunk by chunk.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool AreOperandsPlain(const MachineContext& context, const softlbr_uop& uop,
                                                                 uint32_t b) {
  return AreChunksKnown(context, uop.a, b, uop.width) && CanWriteInTurn(uop.dst, uop.a) && CanWriteInTurn(uop.dst, b);
}
// Marks whole chunks of a register as known.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void MarkChunksKnown(MachineContext* context, uint32_t slot,
                                                                uint32_t width) {
  constexpr uint64_t kAll = UINT64_MAX;
  if (width == kChunkBytes) {
    __builtin_memcpy(&context->known[slot], &kAll, 2);
  } else if (width == 2 * kChunkBytes) {
    __builtin_memcpy(&context->known[slot], &kAll, 4);
  } else {
    __builtin_memcpy(&context->known[slot], &kAll, 8);
  }
}

// Copies kWidth bytes (16, 32 or 64) with their known masks.
template <uint32_t kWidth>
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void CopyRegisterSlots(MachineContext* context, uint32_t dst,
                                                                  uint32_t from) {
  struct {
    uint8_t bytes[kWidth];
  } regs;  // all are read before any is written
  struct {
    uint8_t bytes[kWidth / 8];
  } known;
  __builtin_memcpy(&regs, &context->regs[from], sizeof(regs));
  __builtin_memcpy(&known, &context->known[from], sizeof(known));
  __builtin_memcpy(&context->regs[dst], &regs, sizeof(regs));
  __builtin_memcpy(&context->known[dst], &known, sizeof(known));
}
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void CopyChunks(MachineContext* context, uint32_t dst, uint32_t from,
                                                           uint32_t width) {
  if (width == kChunkBytes) {
    CopyRegisterSlots<kChunkBytes>(context, dst, from);
  } else if (width == 2 * kChunkBytes) {
    CopyRegisterSlots<2 * kChunkBytes>(context, dst, from);
  } else {
    CopyRegisterSlots<4 * kChunkBytes>(context, dst, from);
  }
}

// Bytes [width, 64) of the register at `slot` become 0; width 0, 16, 32, 48 or 64.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void ZeroChunksAbove(MachineContext* context, uint32_t slot,
                                                                uint32_t width) {
  if (width >= 4 * kChunkBytes) return;
  uint64_t* const words = &context->regs[slot];
  if (width == 0) StoreChunk(words, Longs{});
  if (width <= kChunkBytes) StoreChunk(words + 2, Longs{});
  if (width <= 2 * kChunkBytes) StoreChunk(words + 4, Longs{});
  StoreChunk(words + 6, Longs{});
  uint64_t known;
  __builtin_memcpy(&known, &context->known[slot], sizeof(known));
  known |= UINT64_MAX << width;  // one bit for each byte
  __builtin_memcpy(&context->known[slot], &known, sizeof(known));
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LOOKAHEAD_VALUES_CHUNKS_H_
