// Vector loads and stores. Contract: ops.h.
//
// Sixteen bytes at a time where that can be: of a page without a mark, or a whole line of the store buffer. Else by words.
// Under a mask: what is not picked is neither read nor probed.
#include "runtime/lookahead/chunks.h"
#include "runtime/lookahead/fallback.h"
#include "runtime/lookahead/memory.h"
#include "runtime/lookahead/operands.h"
#include "runtime/lookahead/ops.h"
#include "runtime/lookahead/vector.h"

namespace softlbr {
namespace {

// The low `width` bytes of a cell.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE void MergeWord(MachineContext* context, uint32_t cell, uint32_t width, Value value) {
  const uint64_t bits = WidthBits(width);
  const uint8_t mask = WidthKnown(width);
  context->cells[cell] = (context->cells[cell] & ~bits) | (value.bits & bits);
  context->known[cell] = static_cast<uint8_t>((context->known[cell] & ~mask) | (value.known & mask));
}

SOFTLBR_HANDLER_SAFE UopResult LoadWords(Evaluator* evaluator, uint64_t address, uint32_t bytes, uint32_t cell) {
  MachineContext& context = evaluator->context;
  for (uint32_t done = 0; done < bytes; done += 8, ++cell) {
    const uint32_t width = bytes - done < 8 ? bytes - done : 8;
    Value value = {0, kAllBytesKnown};
    if (LoadPlain(*evaluator, address + done, width, &value.bits)) {
      MergeWord(&context, cell, width, value);
      continue;
    }
    const UopResult result = LoadMemory(evaluator, address + done, width, &value);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
    MergeWord(&context, cell, width, value);
  }
  return UopResult::kOk;
}

SOFTLBR_HANDLER_SAFE UopResult StoreWords(Evaluator* evaluator, uint64_t address, uint32_t bytes, uint32_t cell) {
  for (uint32_t done = 0; done < bytes; done += 8, ++cell) {
    const uint32_t width = bytes - done < 8 ? bytes - done : 8;
    const UopResult result = StoreMemory(evaluator, address + done, width, ReadCell(evaluator->context, cell));
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
  }
  return UopResult::kOk;
}

// One page holds all sixteen bytes.
SOFTLBR_HANDLER_SAFE SOFTLBR_ALWAYS_INLINE bool IsWithinPage(uint64_t place) {
  return (place & (kProbePageBytes - 1)) <= kProbePageBytes - kChunkBytes;
}

}  // namespace

UopResult RunVectorLoadUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext& context = evaluator->context;
  const Address address = AddressOf(*evaluator, uop);
  if (SOFTLBR_UNLIKELY(!address.is_known)) {
    ForgetBytes(&context, uop.dst, uop.width);
    return UopResult::kOk;
  }
  uint32_t cell = uop.dst;
  uint32_t done = 0;
  for (; done + kChunkBytes <= uop.width; done += kChunkBytes, cell += 2) {
    const uint64_t place = (address.value + done) & evaluator->address_mask;
    uint64_t* const words = &context.cells[cell];
    if (SOFTLBR_LIKELY(IsKnownUnmarked(evaluator->pages, place) && IsWithinPage(place))) {
      __builtin_memcpy(words, reinterpret_cast<const void*>(kReadsWithTag ? address.value + done : place), kChunkBytes);
      MarkChunksKnown(&context, cell, kChunkBytes);
      continue;
    }
    uint16_t known;
    if (LoadWholeLine(evaluator->stores, place, words, &known) && IsKnownMarked(evaluator->pages, place)) {
      __builtin_memcpy(&context.known[cell], &known, sizeof(known));
      continue;
    }
    const UopResult result = LoadWords(evaluator, address.value + done, kChunkBytes, cell);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
  }
  return done < uop.width ? LoadWords(evaluator, address.value + done, uop.width - done, cell) : UopResult::kOk;
}

UopResult RunVectorStoreUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const Address address = AddressOf(*evaluator, uop);
  if (SOFTLBR_UNLIKELY(!address.is_known)) {
    PoisonMemory(evaluator);
    return UopResult::kOk;
  }
  uint32_t cell = uop.dst;
  uint32_t done = 0;
  for (; done + kChunkBytes <= uop.width; done += kChunkBytes, cell += 2) {
    const uint64_t place = (address.value + done) & evaluator->address_mask;
    if (place % kStoreLineBytes == 0 && IsKnownMarked(evaluator->pages, place)) {
      uint16_t known;
      __builtin_memcpy(&known, &evaluator->context.known[cell], sizeof(known));
      StoreWholeLine(&evaluator->stores, place, &evaluator->context.cells[cell], known);
      continue;
    }
    const UopResult result = StoreWords(evaluator, address.value + done, kChunkBytes, cell);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
  }
  return done < uop.width ? StoreWords(evaluator, address.value + done, uop.width - done, cell) : UopResult::kOk;
}

// Words of which all bytes or none are picked at once, others byte by byte: of a run there are two at most.
UopResult RunMaskedUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext& context = evaluator->context;
  const bool is_load = uop.op == SOFTLBR_OP_VLOAD_MASKED;
  const uint64_t address = context.cells[uop.a] + static_cast<uint64_t>(int64_t{uop.imm});
  const uint64_t mask = context.cells[uop.b];
  if ((context.known[uop.a] & context.known[uop.b]) != kAllKnown) {
    if (is_load) {
      ForgetBytes(&context, uop.dst, uop.width);
    } else {
      PoisonMemory(evaluator);
    }
    return UopResult::kOk;
  }
  uint32_t step = 1;
  for (uint32_t at = 0; at < uop.width; at += step) {
    const uint32_t in_word = at % 8;
    const uint64_t left = mask >> at;
    const uint32_t cell = uop.dst + at / 8;
    if (in_word == 0) {
      step = (left + 1) % 256 <= 1 ? 8 : 1;
      if (is_load) WriteCell(&context, cell, Value{0, kAllBytesKnown});
    }
    if ((left & 1) == 0) continue;
    Value value = ReadCell(context, cell);
    value.bits >>= 8 * in_word;
    value.known = static_cast<uint8_t>(value.known >> in_word);
    const UopResult result = is_load ? LoadMemory(evaluator, address + at, step, &value)
                                     : StoreMemory(evaluator, address + at, step, value);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
    if (!is_load) continue;
    context.cells[cell] |= (value.bits & WidthBits(step)) << (8 * in_word);
    context.known[cell] &= static_cast<uint8_t>(~((~uint32_t{value.known} & WidthKnown(step)) << in_word));
  }
  return UopResult::kOk;
}

}  // namespace softlbr
