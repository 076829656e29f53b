// A model of the instruction fetch of one core: L1-I, L2 and L3 with LRU replacement, a next-line prefetcher, and code
// prefetch hints.
//
// The caller reports what executes, in order: Execute(n) for n instructions, Fetch(line) where execution enters a line,
// Hint(line, name) for a code prefetch. Time is kept in cycles: an instruction takes 1 / ipc; a fetch that has to wait
// adds its wait.
//   L1-I, L2   set-associative, LRU; a line enters both when it is asked for, by whom ever. Only code is in the L2.
//   L3         holds everything: a line that is not in the L2 comes after l3_cycles, the first time too.
//   next line  each Fetch asks for the next_lines lines behind it that are not in the L1-I.
//   Hint       asks for its line, and for no further one.
//   buffer     of prefetched lines, if there is one: LRU; a line leaves it for the L1-I when it is fetched.
// A requested line takes its place in the L1-I at once and is ready when its cycles are over. A fetch before that waits
// for the remaining cycles and counts as late, not as a miss.
// Not modelled: data in the L2, wrong-path fetches, the µop cache, the TLB, limits on outstanding requests.
//
// Used by the `prefetch` command and by a plugin of an emulator (tests/reference). Host code, one thread.
#ifndef SOFTLBR_TOOLCHAIN_PREFETCH_CODE_CACHE_H_
#define SOFTLBR_TOOLCHAIN_PREFETCH_CODE_CACHE_H_

#include <cstdint>
#include <vector>

namespace softlbr::toolchain {

inline constexpr uint32_t kCodeLineBytes = 64;
inline constexpr uint64_t CodeLineOf(uint64_t address) { return address / kCodeLineBytes; }

inline constexpr uint32_t kNoHint = ~uint32_t{0};

struct CodeCacheShape {
  uint32_t l1_bytes = 32u << 10;
  uint32_t l1_ways = 8;
  uint32_t l2_bytes = 256u << 10;
  uint32_t l2_ways = 8;
  uint32_t l2_cycles = 12;
  uint32_t l3_cycles = 76;
  uint32_t next_lines = 2;    // 0: no next-line prefetcher
  uint32_t buffer_lines = 0;  // 0: prefetched lines go into the L1-I
  double ipc = 0.67;          // instructions per cycle while no fetch waits

  // Ways above 0; a power of two of sets, at least one, in both caches; 0 < ipc.
  bool IsValid() const;
};

enum class FetchResult : uint8_t {
  kHit,
  kLate,  // asked for before, but not ready yet
  kMiss,
};

// How the lines of one kind of prefetch fared. useful + evicted <= issued; the others are still in the L1-I, unused.
struct PrefetchCounts {
  uint64_t issued = 0;   // lines that were not in the L1-I
  uint64_t useful = 0;   // of them: fetched before they were evicted
  uint64_t late = 0;     // of the useful: before they were ready
  uint64_t evicted = 0;  // without having been fetched
};

struct CodeCacheCounts {
  uint64_t instructions = 0;
  uint64_t fetches = 0;  // of lines
  uint64_t misses = 0;
  uint64_t late = 0;
  uint64_t l2_misses = 0;  // of the misses
  uint64_t hints = 0;      // executed; those not issued found their line in the L1-I
  PrefetchCounts next_line;
  PrefetchCounts hint;
  double stall_cycles = 0;
  double cycles = 0;  // with the stalls
};

class CodeCache {
 public:
  explicit CodeCache(const CodeCacheShape& shape);  // a valid one

  void Execute(uint64_t instructions) {
    counts_.instructions += instructions;
    const double cycles = static_cast<double>(instructions) * cycles_per_instruction_;
    counts_.cycles += cycles;
    now_ += cycles;
  }
  // A line that was fetched last is still being executed: a hit that is not counted.
  FetchResult Fetch(uint64_t line);
  // name: of the caller's, given back by fetched_hint().
  void Hint(uint64_t line, uint32_t name = kNoHint);
  // The hint that brought the line of the last Fetch, if this was the first fetch of that line since.
  uint32_t fetched_hint() const { return fetched_hint_; }

  bool Holds(uint64_t line) const { return Find(line) != nullptr; }
  // True once as many lines were brought as the L1-I has room for: what it held at the start hardly matters any more.
  bool IsWarm() const { return lines_brought_ >= l1_.size(); }
  // All caches empty; the counts go on.
  void Clear();
  const CodeCacheCounts& counts() const { return counts_; }
  // Begins to count anew; the caches stay as they are. Lines that are there unused still count when they are fetched.
  void ForgetCounts();

 private:
  enum class Origin : uint8_t { kFetch, kNextLine, kHint };
  struct Way {
    uint64_t line = 0;
    uint64_t used = 0;  // higher is more recent; 0: empty
    double ready = 0;   // cycle
    Origin origin = Origin::kFetch;
    uint32_t hint = kNoHint;  // that brought it
  };

  const Way* Find(uint64_t line) const;
  Way* Find(uint64_t line) { return const_cast<Way*>(static_cast<const CodeCache*>(this)->Find(line)); }
  // Where a line that is brought goes; what was there is evicted.
  Way* Replace(Way* ways, uint32_t count);
  Way* SetOf(uint64_t line) { return &l1_[(line & l1_mask_) * shape_.l1_ways]; }
  // Puts an absent line into the L1-I or the buffer and returns how long it takes.
  uint32_t Bring(uint64_t line, Origin origin, uint32_t hint = kNoHint);
  bool TouchL2(uint64_t line);  // whether it was there; it is now
  PrefetchCounts* CountsOf(Origin origin);

  CodeCacheShape shape_;
  double cycles_per_instruction_;
  std::vector<Way> l1_;
  std::vector<Way> l2_;
  std::vector<Way> buffer_;
  uint64_t l1_mask_, l2_mask_;
  uint64_t clock_ = 0;          // uses of ways
  double now_ = 0;              // cycles
  uint64_t lines_brought_ = 0;  // since all was empty
  uint32_t fetched_hint_ = kNoHint;
  uint64_t last_line_ = ~uint64_t{0};
  CodeCacheCounts counts_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PREFETCH_CODE_CACHE_H_
