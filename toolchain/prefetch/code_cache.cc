#include "toolchain/prefetch/code_cache.h"

#include <bit>
#include <utility>

namespace softlbr::toolchain {
namespace {

uint64_t SetsOf(uint32_t bytes, uint32_t ways) { return ways == 0 ? 0 : bytes / (uint64_t{kCodeLineBytes} * ways); }

bool IsCache(uint32_t bytes, uint32_t ways) {
  const uint64_t sets = SetsOf(bytes, ways);
  return std::has_single_bit(sets) && sets * ways * kCodeLineBytes == bytes;
}

}  // namespace

bool CodeCacheShape::IsValid() const { return IsCache(l1_bytes, l1_ways) && IsCache(l2_bytes, l2_ways) && ipc > 0; }

CodeCache::CodeCache(const CodeCacheShape& shape)
    : shape_(shape),
      cycles_per_instruction_(1 / shape.ipc),
      l1_(shape.l1_bytes / kCodeLineBytes),
      l2_(shape.l2_bytes / kCodeLineBytes),
      buffer_(shape.buffer_lines),
      l1_mask_(SetsOf(shape.l1_bytes, shape.l1_ways) - 1),
      l2_mask_(SetsOf(shape.l2_bytes, shape.l2_ways) - 1) {}

const CodeCache::Way* CodeCache::Find(uint64_t line) const {
  const Way* set = &l1_[(line & l1_mask_) * shape_.l1_ways];
  for (uint32_t i = 0; i < shape_.l1_ways; ++i) {
    if (set[i].line == line && set[i].used != 0) return &set[i];
  }
  for (const Way& way : buffer_) {
    if (way.line == line && way.used != 0) return &way;
  }
  return nullptr;
}

bool CodeCache::TouchL2(uint64_t line) {
  Way* set = &l2_[(line & l2_mask_) * shape_.l2_ways];
  Way* oldest = set;
  for (uint32_t i = 0; i < shape_.l2_ways; ++i) {
    if (set[i].line == line && set[i].used != 0) {
      set[i].used = ++clock_;
      return true;
    }
    if (set[i].used < oldest->used) oldest = &set[i];
  }
  oldest->line = line;
  oldest->used = ++clock_;
  return false;
}

PrefetchCounts* CodeCache::CountsOf(Origin origin) {
  switch (origin) {
    case Origin::kFetch: return nullptr;
    case Origin::kNextLine: return &counts_.next_line;
    case Origin::kHint: return &counts_.hint;
  }
  return nullptr;
}

CodeCache::Way* CodeCache::Replace(Way* ways, uint32_t count) {
  Way* oldest = ways;
  for (uint32_t i = 1; i < count; ++i) {
    if (ways[i].used < oldest->used) oldest = &ways[i];
  }
  PrefetchCounts* evicted = oldest->used != 0 ? CountsOf(oldest->origin) : nullptr;
  if (evicted != nullptr) ++evicted->evicted;
  return oldest;
}

uint32_t CodeCache::Bring(uint64_t line, Origin origin, uint32_t hint) {
  Way* oldest = origin == Origin::kFetch || buffer_.empty() ? Replace(SetOf(line), shape_.l1_ways)
                                                            : Replace(buffer_.data(), shape_.buffer_lines);
  ++lines_brought_;
  const uint32_t cycles = TouchL2(line) ? shape_.l2_cycles : shape_.l3_cycles;
  *oldest = {line, ++clock_, now_ + cycles, origin, hint};
  if (PrefetchCounts* issued = CountsOf(origin)) ++issued->issued;
  return cycles;
}

FetchResult CodeCache::Fetch(uint64_t line) {
  fetched_hint_ = kNoHint;
  if (line == last_line_) return FetchResult::kHit;
  last_line_ = line;
  ++counts_.fetches;
  FetchResult result = FetchResult::kHit;
  double wait = 0;
  if (Way* way = Find(line)) {
    way->used = ++clock_;
    PrefetchCounts* prefetch = CountsOf(way->origin);
    way->origin = Origin::kFetch;
    if (prefetch != nullptr && !buffer_.empty()) {
      Way* place = Replace(SetOf(line), shape_.l1_ways);
      *place = std::exchange(*way, Way{});
      way = place;
    }
    if (prefetch != nullptr) ++prefetch->useful;
    fetched_hint_ = std::exchange(way->hint, kNoHint);
    if (way->ready > now_) {
      wait = way->ready - now_;
      result = FetchResult::kLate;
      ++counts_.late;
      if (prefetch != nullptr) ++prefetch->late;
    }
  } else {
    const uint32_t cycles = Bring(line, Origin::kFetch);
    wait = cycles;
    result = FetchResult::kMiss;
    ++counts_.misses;
    if (cycles == shape_.l3_cycles) ++counts_.l2_misses;
  }
  // The prefetcher asks when the fetch does, so before the wait.
  for (uint32_t i = 1; i <= shape_.next_lines; ++i) {
    if (!Holds(line + i)) Bring(line + i, Origin::kNextLine);
  }
  now_ += wait;
  counts_.cycles += wait;
  counts_.stall_cycles += wait;
  return result;
}

void CodeCache::Hint(uint64_t line, uint32_t name) {
  ++counts_.hints;
  if (!Holds(line)) Bring(line, Origin::kHint, name);
}

void CodeCache::ForgetCounts() { counts_ = CodeCacheCounts(); }

void CodeCache::Clear() {
  l1_.assign(l1_.size(), Way{});
  l2_.assign(l2_.size(), Way{});
  buffer_.assign(buffer_.size(), Way{});
  lines_brought_ = 0;
  last_line_ = ~uint64_t{0};
}

}  // namespace softlbr::toolchain
