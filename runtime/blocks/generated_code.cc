#include "runtime/blocks/generated_code.h"

#include "platform/base/bytes.h"

#include "platform/base/handler_prelude.h"

namespace softlbr {
namespace {

static_assert((kComparedBlocks & (kComparedBlocks - 1)) == 0, "used as a mask");

// Copies code from pages found readable. False: it cannot be read.
bool CopyCurrentCode(ShadowMemory* memory, uint64_t pc, uint64_t bytes, uint8_t* to) {
  bool must_guard = memory->is_guarded;
  for (uint64_t address = pc; address - pc < bytes; address = (address | (kProbePageBytes - 1)) + 1) {
    if (memory->is_guarded) RememberPageByReading(memory, address);
    const PageState state = LookUpPage(&memory->pages, address);
    if (!CanBeRead(state)) return false;
    must_guard |= MustGuard(state);
  }
  if (!must_guard) {
    CopyBytes(to, reinterpret_cast<const void*>(pc), bytes);
    return true;
  }
  while (bytes != 0) {
    const uint64_t left_in_line = kGuardLineBytes - pc % kGuardLineBytes;  // a read across lines would not be cached
    uint64_t step = bytes < left_in_line ? bytes : left_in_line;
    if (step > sizeof(uint64_t)) step = sizeof(uint64_t);
    uint64_t word = 0;
    if (!ReadGuarded(memory->guarded, memory->pages.special, pc, static_cast<uint32_t>(step), &word)) return false;
    CopyBytes(to, &word, step);
    pc += step;
    to += step;
    bytes -= step;
  }
  return true;
}

}  // namespace

void ForgetComparisons(ScratchState* scratch) {
  ComparedBlocks& compared = scratch->compared;
  if (++compared.round != 0) return;
  for (uint64_t& entry : compared.entries) {
    entry = 0;
    asm volatile("" ::: "memory");  // else the compiler would call memset
  }
  compared.round = 1;
}

bool IsCodeCurrent(ScratchState* scratch, const FoundBlock& found) {
  // The address of a block's links names the block as long as the handler is in the cache's epoch.
  const uint64_t number = reinterpret_cast<uint64_t>(found.links) / alignof(BlockLinks);
  const uint64_t tag = static_cast<uint64_t>(scratch->compared.round) << 32 | static_cast<uint32_t>(number);
  uint64_t* entry = &scratch->compared.entries[(number ^ number >> 8) & (kComparedBlocks - 1)];
  if (*entry == tag) return true;
  if (!CopyCurrentCode(&scratch->evaluator.memory, found.view.pc, found.view.byte_length, scratch->code)) return false;
  if (CodeSum(scratch->code, found.view.byte_length) != found.code_sum) return false;
  *entry = tag;
  return true;
}

}  // namespace softlbr
