// Contract: shadow_memory.h.
#include "runtime/lookahead/memory/shadow_memory.h"

namespace softlbr {
namespace {

// The worse state of the one or two pages that hold 1..8 bytes.
inline PageState ProbeSpan(PageCache* pages, uint64_t address, uint32_t width) {
  const uint64_t last = address + (width - 1);
  const bool crosses = ((address ^ last) & ~(kProbePageBytes - 1)) != 0;
  if (SOFTLBR_LIKELY(!crosses)) {
    return IsKnownReadable(*pages, address) ? PageState::kReadable : LookUpPage(pages, address);
  }
  const PageState first_state = LookUpPage(pages, address);
  const PageState last_state = LookUpPage(pages, last);
  if (first_state == PageState::kUnreadable || last_state == PageState::kUnreadable) return PageState::kUnreadable;
  return first_state == PageState::kReadable ? last_state : first_state;
}

inline bool IsPinned(const ShadowMemory& memory, uint64_t place) {
  return place - memory.pinned_begin < memory.pinned_end - memory.pinned_begin;
}

}  // namespace

void RememberPageByReading(ShadowMemory* memory, uint64_t place) {
  PageCache* pages = &memory->pages;
  if (IsRemembered(*pages, place) || IsPinned(*memory, place)) return;
  const PageState state = ListedState(pages->special, place & ~(kProbePageBytes - 1));
  uint64_t byte = 0;
  if (state != PageState::kSpecial && ReadGuarded(memory->guarded, pages->special, place, 1, &byte)) {
    RememberPage(pages, place, state);
  }
}

UopResult LoadMemory(ShadowMemory* memory, uint64_t address, uint32_t width, Value* out) {
  const uint64_t place = address & memory->address_mask;
  if (memory->is_guarded) RememberPageByReading(memory, place);
  const PageState state = ProbeSpan(&memory->pages, place, width);
  if (SOFTLBR_UNLIKELY(state == PageState::kUnreadable)) return UopResult::kUnreadable;

  const StoreBuffer& stores = memory->stores;
  const uint8_t wanted = WidthKnown(width);
  BufferedValue stored = {0, 0, 0};
  if (!LoadBufferedFast(stores, place, width, &stored)) stored = LoadBuffered(stores, place, width);
  if (stored.written == wanted) {
    *out = Value{stored.bits, stored.known};
    return UopResult::kOk;
  }
  const uint64_t dead_bytes = memory->dead_end - memory->dead_begin;
  const bool is_dead = place - memory->dead_begin + (width - 1) < dead_bytes + (width - 1);
  if (SOFTLBR_UNLIKELY(is_dead || stores.is_poisoned || state == PageState::kSpecial)) {
    *out = Value{stored.bits, stored.known};
    return UopResult::kOk;
  }
  uint64_t bits;
  if ((!memory->is_guarded || IsPinned(*memory, place)) && !MustGuard(state)) {
    bits = ReadProgramMemory(kReadsWithTag ? address : place, width);
  } else if (!ReadGuarded(memory->guarded, memory->pages.special, place, width, &bits, MustGuard(state))) {
    return UopResult::kUnreadable;
  }
  if (SOFTLBR_LIKELY(stored.written == 0)) {
    *out = Value{bits, wanted};
    return UopResult::kOk;
  }
  const uint64_t stored_bits = ExpandKnown(stored.written);
  *out = Value{(stored.bits & stored_bits) | (bits & ~stored_bits),
               static_cast<uint8_t>(stored.known | (wanted & ~stored.written))};
  return UopResult::kOk;
}

UopResult StoreMemory(ShadowMemory* memory, uint64_t address, uint32_t width, Value value) {
  const uint64_t place = address & memory->address_mask;
  const uint64_t last = place + (width - 1);
  const bool crosses = ((place ^ last) & ~(kProbePageBytes - 1)) != 0;
  if (SOFTLBR_UNLIKELY(crosses || !IsKnownMarked(memory->pages, place))) {
    const PageState state = ProbeSpan(&memory->pages, place, width);
    if (!CanBeStoredTo(state)) return UopResult::kUnreadable;
    if (state == PageState::kSpecial) value.known = 0;
    MarkPage(&memory->pages, place);
    MarkPage(&memory->pages, last);
  }
  StoreBuffered(&memory->stores, place, width, value);
  return UopResult::kOk;
}

void StoreRange(ShadowMemory* memory, uint64_t address, uint64_t bytes, uint8_t value, bool is_known) {
  if (bytes == 0) return;
  const uint64_t place = address & memory->address_mask;
  const uint64_t pages = bytes / kProbePageBytes + 2;
  StoreRangeBuffered(&memory->stores, place, bytes, value, is_known);
  if (memory->stores.is_poisoned || pages > kMaxProbedPages) {
    MarkAllPages(&memory->pages);
    return;
  }
  for (uint64_t i = 0; i < pages; ++i) {  // may mark one page too many at the end, which only costs time
    MarkPage(&memory->pages, place + i * kProbePageBytes);
  }
}

void PoisonMemory(ShadowMemory* memory) {
  PoisonStoreBuffer(&memory->stores);
  MarkAllPages(&memory->pages);
}

bool HasStored(const ShadowMemory& memory, uint64_t address, uint64_t bytes) {
  const uint64_t last = address + (bytes - 1);
  const bool crosses = ((address ^ last) & ~(kProbePageBytes - 1)) != 0;
  if (SOFTLBR_LIKELY(!crosses && !MayBeMarked(memory.pages, address) && memory.pages.are_all_marked == 0)) return false;
  for (uint64_t at = 0; at < bytes; at += 8) {
    const uint64_t left = bytes - at;
    if (LoadBuffered(memory.stores, address + at, left < 8 ? static_cast<uint32_t>(left) : 8).written != 0) return true;
  }
  return false;
}

PageState ProbePages(ShadowMemory* memory, uint64_t address, uint64_t bytes) {
  if (bytes == 0) return PageState::kReadable;
  const uint64_t place = address & memory->address_mask;
  const uint64_t last = place + (bytes - 1);
  PageState worst = LookUpPage(&memory->pages, last);
  uint64_t page = place & ~(kProbePageBytes - 1);
  for (uint32_t probe = 0; probe < kMaxProbedPages && last - page < bytes + kProbePageBytes; ++probe) {
    const PageState state = LookUpPage(&memory->pages, page);
    if (state == PageState::kUnreadable || worst == PageState::kUnreadable) return PageState::kUnreadable;
    if (state > worst) worst = state;
    page += kProbePageBytes;
  }
  return worst;
}

}  // namespace softlbr
