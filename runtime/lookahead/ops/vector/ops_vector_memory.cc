// Vector loads and stores. Contract: ops.h.
//
// Sixteen bytes at a time from a page without a mark or for a whole line of the store buffer, else word by word.
#include "runtime/lookahead/memory/shadow_memory.h"
#include "runtime/lookahead/ops/fallback.h"
#include "runtime/lookahead/ops/ops.h"
#include "runtime/lookahead/values/chunks.h"
#include "runtime/lookahead/values/operands.h"
#include "runtime/lookahead/values/vector.h"

namespace softlbr {
namespace {

// Writes the low `width` bytes of a register slot.
SOFTLBR_ALWAYS_INLINE void MergeWord(MachineContext* context, uint32_t slot, uint32_t width, Value value) {
  const uint64_t bits = WidthBits(width);
  const uint8_t mask = WidthKnown(width);
  context->regs[slot] = (context->regs[slot] & ~bits) | (value.bits & bits);
  context->known[slot] = static_cast<uint8_t>((context->known[slot] & ~mask) | (value.known & mask));
}

UopResult LoadWords(Evaluator* evaluator, uint64_t address, uint32_t bytes, uint32_t slot) {
  MachineContext& context = evaluator->context;
  for (uint32_t done = 0; done < bytes; done += 8, ++slot) {
    const uint32_t width = bytes - done < 8 ? bytes - done : 8;
    Value value = {0, kAllBytesKnown};
    if (LoadPlain(evaluator->memory, address + done, width, &value.bits)) {
      MergeWord(&context, slot, width, value);
      continue;
    }
    const UopResult result = LoadMemory(&evaluator->memory, address + done, width, &value);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
    MergeWord(&context, slot, width, value);
  }
  return UopResult::kOk;
}

UopResult StoreWords(Evaluator* evaluator, uint64_t address, uint32_t bytes, uint32_t slot) {
  for (uint32_t done = 0; done < bytes; done += 8, ++slot) {
    const uint32_t width = bytes - done < 8 ? bytes - done : 8;
    const UopResult result = StoreMemory(&evaluator->memory, address + done, width, ReadSlot(evaluator->context, slot));
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
  }
  return UopResult::kOk;
}

// True if one page holds all sixteen bytes.
SOFTLBR_ALWAYS_INLINE bool IsWithinPage(uint64_t place) {
  return (place & (kProbePageBytes - 1)) <= kProbePageBytes - kChunkBytes;
}

}  // namespace

UopResult RunVectorLoadUop(Evaluator* evaluator, const softlbr_uop& uop) {
  MachineContext& context = evaluator->context;
  const Address address = AddressOf(evaluator->context, uop);
  if (SOFTLBR_UNLIKELY(!address.is_known)) {
    ForgetBytes(&context, uop.dst, uop.width);
    return UopResult::kOk;
  }
  uint32_t slot = uop.dst;
  uint32_t done = 0;
  for (; done + kChunkBytes <= uop.width; done += kChunkBytes, slot += 2) {
    const uint64_t place = (address.value + done) & evaluator->memory.address_mask;
    uint64_t* const words = &context.regs[slot];
    if (SOFTLBR_LIKELY(IsKnownUnmarked(evaluator->memory.pages, place) && IsWithinPage(place))) {
      __builtin_memcpy(words, reinterpret_cast<const void*>(kReadsWithTag ? address.value + done : place), kChunkBytes);
      MarkChunksKnown(&context, slot, kChunkBytes);
      continue;
    }
    uint16_t known;
    if (LoadWholeLine(evaluator->memory.stores, place, words, &known) &&
        IsKnownMarked(evaluator->memory.pages, place)) {
      __builtin_memcpy(&context.known[slot], &known, sizeof(known));
      continue;
    }
    const UopResult result = LoadWords(evaluator, address.value + done, kChunkBytes, slot);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
  }
  return done < uop.width ? LoadWords(evaluator, address.value + done, uop.width - done, slot) : UopResult::kOk;
}

UopResult RunVectorStoreUop(Evaluator* evaluator, const softlbr_uop& uop) {
  const Address address = AddressOf(evaluator->context, uop);
  if (SOFTLBR_UNLIKELY(!address.is_known)) {
    PoisonMemory(&evaluator->memory);
    return UopResult::kOk;
  }
  uint32_t slot = uop.dst;
  uint32_t done = 0;
  for (; done + kChunkBytes <= uop.width; done += kChunkBytes, slot += 2) {
    const uint64_t place = (address.value + done) & evaluator->memory.address_mask;
    if (place % kStoreLineBytes == 0 && IsKnownMarked(evaluator->memory.pages, place)) {
      uint16_t known;
      __builtin_memcpy(&known, &evaluator->context.known[slot], sizeof(known));
      StoreWholeLine(&evaluator->memory.stores, place, &evaluator->context.regs[slot], known);
      continue;
    }
    const UopResult result = StoreWords(evaluator, address.value + done, kChunkBytes, slot);
    if (SOFTLBR_UNLIKELY(result != UopResult::kOk)) return result;
  }
  return done < uop.width ? StoreWords(evaluator, address.value + done, uop.width - done, slot) : UopResult::kOk;
}

}  // namespace softlbr
