// Guarded reads, of memory that may be unmapped between the probe and the read, as another thread may do at any moment.
#include "runtime/lookahead/memory/guarded_read.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <utility>

#include "platform/base/elf_machine.h"
#include "platform/syscall_filter.h"
#include "platform/thread.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/lookahead/memory/shadow_memory.h"
#include "runtime/lookahead/scratch_state.h"

namespace softlbr {
namespace {

constexpr uint64_t kPage = 4096;

// Two readable pages, whose bytes depend on their offset, and an unreadable one.
class Pages {
 public:
  Pages()
      : memory_(static_cast<uint8_t*>(
            mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    for (uint64_t i = 0; i < 2 * kPage; ++i) memory_[i] = static_cast<uint8_t>(i * 7 + i / 256);
    mprotect(memory_ + 2 * kPage, kPage, PROT_NONE);
  }
  ~Pages() { munmap(memory_, 3 * kPage); }
  uint64_t at(uint64_t offset) const { return reinterpret_cast<uint64_t>(memory_) + offset; }
  uint64_t Word(uint64_t offset, uint32_t width) const {
    uint64_t word = 0;
    std::memcpy(&word, memory_ + offset, width);
    return word;
  }
  uint8_t* memory() const { return memory_; }

 private:
  uint8_t* memory_;
};

uint64_t LowBytes(uint64_t bits, uint32_t width) { return width == 8 ? bits : bits & ((uint64_t{1} << 8 * width) - 1); }

// Lines, and what the kernel was asked while they live.
class Reader {
 public:
  Reader() {
    InitGuardLines(lines_.get());
    counts_ = {};
    refused_ = -1;
    changing_ = nullptr;
    platform::SetSyscallFilterForTest(CountCall);
  }
  ~Reader() { platform::SetSyscallFilterForTest(nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool Read(uint64_t address, uint32_t width = 8) { return ReadGuarded(lines_.get(), special, address, width, &bits); }
  bool ReadOfFile(uint64_t address, uint32_t width = 8) {
    return ReadGuarded(lines_.get(), special, address, width, &bits, true);
  }
  bool WereThereAtOnce() { return WereReadWordsThereAtOnce(lines_.get()); }
  void Forget() { ForgetGuardLines(lines_.get()); }
  void Age(uint64_t ns);  // as if the lines had been copied so long ago
  // Calls that copied one piece of memory, and several, since the last question.
  struct Counts {
    int single;
    int several;
  };
  Counts Calls() { return std::exchange(counts_, {}); }
  void Refuse(long number) { refused_ = number; }
  // As another process would, before each of the next calls that copy lines; null: no more.
  void ChangeBeforeCopies(uint8_t* byte) { changing_ = byte; }

  uint64_t bits = 0;
  const SpecialRanges* special = nullptr;

 private:
  static long CountCall(long number, long*, bool* handled) {
    if (number == SYS_process_vm_readv) ++counts_.single;
    if (number == SYS_process_vm_writev) ++counts_.several;
    if (changing_ != nullptr && (number == SYS_process_vm_readv || number == SYS_process_vm_writev)) ++*changing_;
    *handled = number == refused_;
    return -EPERM;
  }

  std::unique_ptr<GuardLines> lines_ = std::make_unique<GuardLines>();
  static Counts counts_;
  static long refused_;
  static uint8_t* changing_;
};
Reader::Counts Reader::counts_;
long Reader::refused_;
uint8_t* Reader::changing_;

void Reader::Age(uint64_t ns) {
  platform::CalibrateTicks();
  const uint64_t now = platform::Ticks();
  uint64_t ticks = 1;
  while (platform::TicksToNs(ticks) < ns) ticks *= 2;
  lines_->copied_ticks = now - ticks;
}

TEST(GuardedRead, ReadsMemoryAtAnyOffset) {
  const Pages pages;
  Reader reader;
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const uint32_t width = 1u << random() % 4;
    const uint64_t offset = random() % (2 * kPage - width + 1);
    ASSERT_TRUE(reader.Read(pages.at(offset), width)) << offset;
    ASSERT_EQ(LowBytes(reader.bits, width), pages.Word(offset, width)) << offset << " " << width;
    if (random() % 64 == 0) reader.Forget();
  }
}

TEST(GuardedRead, ReportsUnreadableMemory) {
  const Pages pages;
  Reader reader;
  EXPECT_FALSE(reader.Read(pages.at(2 * kPage)));
  EXPECT_FALSE(reader.Read(pages.at(2 * kPage - 4))) << "half of it";
  EXPECT_TRUE(reader.Read(pages.at(2 * kPage - 4), 4));
  EXPECT_FALSE(reader.Read(0));
}

TEST(GuardedRead, CachesLineUntilForgotten) {
  const Pages pages;
  Reader reader;
  ASSERT_TRUE(reader.Read(pages.at(64)));
  const uint64_t before = reader.bits;
  pages.memory()[64] ^= 0xff;
  ASSERT_TRUE(reader.Read(pages.at(64)));
  EXPECT_EQ(reader.bits, before);
  reader.Forget();
  ASSERT_TRUE(reader.Read(pages.at(64)));
  EXPECT_EQ(reader.bits, before ^ 0xff);
}

// Memory of `lines` lines, each of which holds its number.
class NumberedLines {
 public:
  explicit NumberedLines(uint64_t lines)
      : bytes_(lines * kGuardLineBytes),
        memory_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    for (uint64_t i = 0; i < lines; ++i) word(i) = i;
  }
  ~NumberedLines() { munmap(memory_, bytes_); }
  uint64_t at(uint64_t line) const { return reinterpret_cast<uint64_t>(memory_) + line * kGuardLineBytes; }
  uint64_t& word(uint64_t line) const { return *reinterpret_cast<uint64_t*>(at(line)); }

 private:
  uint64_t bytes_;
  void* memory_;
};

constexpr uint64_t kLinesOfPage = kPage / kGuardLineBytes;

TEST(GuardedRead, ReplacesTheOldestLineOnceAllAreInUse) {
  const NumberedLines memory(kGuardLines + 2);
  Reader reader;
  for (uint64_t i = 0; i < kGuardLines + 2; ++i) {
    ASSERT_TRUE(reader.Read(memory.at(i)));
    ASSERT_EQ(reader.bits, i);
  }
  for (uint64_t i = 0; i < kGuardLines + 2; ++i) memory.word(i) += 1000;
  ASSERT_TRUE(reader.Read(memory.at(kGuardLines - 1)));
  EXPECT_EQ(reader.bits, kGuardLines - 1) << "kept";
  ASSERT_TRUE(reader.Read(memory.at(0)));
  EXPECT_EQ(reader.bits, 1000u) << "read again";
  ASSERT_TRUE(reader.Read(memory.at(1)));
  EXPECT_EQ(reader.bits, 1001u) << "read again";
}

TEST(GuardedRead, CopiesLinesInUseAgainByOneCall) {
  const NumberedLines memory(kGuardLines);
  Reader reader;
  for (uint64_t i = 0; i < kGuardLines; ++i) ASSERT_TRUE(reader.Read(memory.at(i)));
  EXPECT_EQ(reader.Calls().single, static_cast<int>(kGuardLines));
  for (int round = 1; round <= 3; ++round) {
    reader.Forget();
    for (uint64_t i = 0; i < kGuardLines; ++i) {
      if (i >= 1) memory.word(i - 1) += 1;  // after it was read: the next round finds it
      ASSERT_TRUE(reader.Read(memory.at(i)));
      ASSERT_EQ(reader.bits, i + static_cast<uint64_t>(i == kGuardLines - 1 ? 0 : round - 1)) << round;
    }
    const Reader::Counts calls = reader.Calls();
    EXPECT_EQ(calls.several, 1);
    EXPECT_EQ(calls.single, 0);
  }
}

TEST(GuardedRead, LinesUnusedForTwoTrueStatesAreNotCopiedAgain) {
  for (int unused = 0; unused <= 2; ++unused) {  // true states in which line 0 is not read
    const NumberedLines memory(3);
    Reader reader;
    for (const uint64_t i : {0, 1, 2}) ASSERT_TRUE(reader.Read(memory.at(i)));
    for (int state = 0; state <= unused; ++state) {
      reader.Forget();
      for (const uint64_t i : {1, 2}) ASSERT_TRUE(reader.Read(memory.at(i)));
    }
    (void)reader.Calls();
    ASSERT_TRUE(reader.Read(memory.at(0)));
    EXPECT_EQ(reader.Calls().single, unused < 2 ? 0 : 1) << unused;
  }
}

TEST(GuardedRead, LinesOfAnotherThreadAreNotCopiedAgain) {
  const NumberedLines memory(2);
  Reader reader;
  for (const uint64_t i : {0, 1}) ASSERT_TRUE(reader.Read(memory.at(i)));
  reader.Forget();
  (void)reader.Calls();
  std::thread([&] { EXPECT_TRUE(reader.Read(memory.at(0))); }).join();
  const Reader::Counts calls = reader.Calls();
  EXPECT_EQ(calls.several, 0);
  EXPECT_EQ(calls.single, 1);
}

// A hash of the address says where a line is.
TEST(GuardedRead, TwoLinesWithOneHashAreBothKept) {
  constexpr uint64_t kApart = uint64_t{1} << 18;  // lines 2^18 apart share all bits that the hash uses, 512 at a time
  constexpr uint64_t kBytes = kApart * kGuardLineBytes + kPage;
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Reader reader;
  for (int state = 0; state < 2; ++state) {
    reader.Forget();
    ASSERT_TRUE(
        // so that neither is the first, where all places begin
        reader.Read(reinterpret_cast<uint64_t>(memory) + kGuardLineBytes));
    (void)reader.Calls();
    for (int turn = 0; turn < 10; ++turn) {
      for (const uint64_t line : {uint64_t{0}, kApart}) {
        ASSERT_TRUE(reader.Read(reinterpret_cast<uint64_t>(memory) + line * kGuardLineBytes));
      }
    }
    EXPECT_EQ(reader.Calls().single, state == 0 ? 2 : 0);
  }
  munmap(memory, kBytes);
}

TEST(GuardedRead, LinesAreNotCopiedAgainAfterASecond) {
  const NumberedLines memory(2);
  Reader reader;
  for (const uint64_t i : {0, 1}) ASSERT_TRUE(reader.Read(memory.at(i)));
  for (const bool is_long_ago : {false, true}) {
    reader.Forget();
    reader.Age(is_long_ago ? 1000000001 : 1000000);
    (void)reader.Calls();
    ASSERT_TRUE(reader.Read(memory.at(0)));
    const Reader::Counts calls = reader.Calls();
    EXPECT_EQ(calls.several, is_long_ago ? 0 : 1);
    EXPECT_EQ(calls.single, is_long_ago ? 1 : 0);
  }
}

// Line i is on page i.
TEST(GuardedRead, LinesThatCannotBeReadAnyMoreAreDropped) {
  struct Case {
    uint64_t unmapped;
    int several;
    // a line is copied alone if it is the only one left, or is missing: no longer mapped, or dropped with the rest
    int single;
  };
  for (const Case& tried : {Case{1, 2, 1}, Case{3, 4, 3}, Case{8, 5, 8}}) {  // of ten
    const NumberedLines memory(10 * kLinesOfPage);
    Reader reader;
    for (uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(reader.Read(memory.at(i * kLinesOfPage)));
    for (uint64_t i = 0; i < tried.unmapped; ++i)
      munmap(reinterpret_cast<void*>(memory.at((i + 1) * kLinesOfPage)), kPage);
    const auto is_mapped = [&](uint64_t i) { return i == 0 || i > tried.unmapped; };
    for (uint64_t i = 0; i < 10; ++i) {
      if (is_mapped(i)) memory.word(i * kLinesOfPage) = 1000 + i;
    }
    reader.Forget();
    (void)reader.Calls();
    for (uint64_t i = 0; i < 10; ++i) {
      ASSERT_EQ(reader.Read(memory.at(i * kLinesOfPage)), is_mapped(i)) << tried.unmapped << " " << i;
      if (is_mapped(i)) {
        ASSERT_EQ(reader.bits, 1000 + i) << tried.unmapped;
      }
    }
    const Reader::Counts calls = reader.Calls();
    EXPECT_EQ(calls.several, tried.several) << tried.unmapped;
    EXPECT_EQ(calls.single, tried.single) << tried.unmapped;
  }
}

// They may have become device memory, which a read changes.
TEST(GuardedRead, LinesOfSpecialPagesAreNotCopiedAgain) {
  const NumberedLines memory(2 * kLinesOfPage);
  auto special = std::make_unique<SpecialRanges>();
  special->count = 1;
  special->ranges[0] = {memory.at(kLinesOfPage), memory.at(2 * kLinesOfPage), PageState::kSpecial};
  Reader reader;
  for (const uint64_t line : {uint64_t{0}, uint64_t{1}, kLinesOfPage}) ASSERT_TRUE(reader.Read(memory.at(line)));
  reader.Forget();
  reader.special = special.get();
  (void)reader.Calls();
  for (const uint64_t line : {0, 1}) ASSERT_TRUE(reader.Read(memory.at(line)));
  EXPECT_EQ(reader.Calls().single, 0);
  ASSERT_TRUE(reader.Read(memory.at(kLinesOfPage)));
  EXPECT_EQ(reader.Calls().single, 1) << "was not among the lines";
}

TEST(GuardedRead, ReadsLineByLineWhereTheKernelRefusesToCopySeveral) {
  const NumberedLines memory(20);
  Reader reader;
  reader.Refuse(SYS_process_vm_writev);
  for (int state = 0; state < 3; ++state) {
    reader.Forget();
    for (uint64_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(reader.Read(memory.at(i)));
      ASSERT_EQ(reader.bits, i);
    }
  }
  EXPECT_GE(reader.Calls().single, 60);
}

// As in the scratch states of threads that are inside the handler while several others are.
TEST(GuardedRead, WithoutLinesNothingIsKept) {
  const Pages pages;
  uint64_t bits = 0;
  ForgetGuardLines(nullptr);
  ASSERT_TRUE(ReadGuarded(nullptr, nullptr, pages.at(64), 8, &bits));
  EXPECT_EQ(bits, pages.Word(64, 8));
  pages.memory()[64] ^= 0xff;
  ASSERT_TRUE(ReadGuarded(nullptr, nullptr, pages.at(64), 8, &bits));
  EXPECT_EQ(bits, pages.Word(64, 8));
  EXPECT_FALSE(ReadGuarded(nullptr, nullptr, pages.at(2 * kPage - 4), 8, &bits));
}

TEST(GuardedRead, WordsOfFilesThatChangeMeanwhileWereNotThereAtOnce) {
  const Pages pages;
  Reader reader;
  for (const uint64_t changed : {uint64_t{kGuardLineBytes}, uint64_t{kGuardLineBytes + 8}, kPage}) {
    Reader fresh;
    ASSERT_TRUE(fresh.ReadOfFile(pages.at(0)));
    ASSERT_TRUE(fresh.ReadOfFile(pages.at(kGuardLineBytes + 4)));  // parts of two words
    ASSERT_TRUE(fresh.Read(pages.at(kPage)));
    EXPECT_TRUE(fresh.WereThereAtOnce());
    pages.memory()[changed] ^= 0xff;
    EXPECT_EQ(fresh.WereThereAtOnce(), changed == kPage) << "a word that is not read as one of a file may change";
  }
  EXPECT_TRUE(reader.WereThereAtOnce()) << "nothing was read";
  EXPECT_TRUE(WereReadWordsThereAtOnce(nullptr));
}

// Words that earlier paths have read are compared when they are copied.
TEST(GuardedRead, KnownWordsOfFilesAreSureAfterTwoEqualCopies) {
  const Pages pages;
  Reader reader;
  ASSERT_TRUE(reader.ReadOfFile(pages.at(0)));
  ASSERT_TRUE(reader.ReadOfFile(pages.at(kPage)));
  reader.Forget();
  (void)reader.Calls();
  ASSERT_TRUE(reader.ReadOfFile(pages.at(0)));
  EXPECT_EQ(reader.Calls().several, 2);
  pages.memory()[0] ^= 0xff;
  EXPECT_TRUE(reader.WereThereAtOnce()) << "both were, when they were copied";
  EXPECT_EQ(reader.Calls().several, 0);
  ASSERT_TRUE(reader.ReadOfFile(pages.at(8)));
  EXPECT_FALSE(reader.WereThereAtOnce()) << "another word, which was not compared";
}

TEST(GuardedRead, WordsOfFilesThatKeepChangingAreReadOneByOne) {
  const Pages pages;
  Reader reader;
  ASSERT_TRUE(reader.ReadOfFile(pages.at(0)));
  ASSERT_TRUE(reader.ReadOfFile(pages.at(kPage)));
  for (int path = 0; path < 3; ++path) {
    reader.Forget();
    reader.ChangeBeforeCopies(pages.memory());
    for (int round = 0; round < 4; ++round) {
      ASSERT_TRUE(reader.ReadOfFile(pages.at(kPage)));
      ASSERT_TRUE(reader.ReadOfFile(pages.at(0)));
      EXPECT_EQ(reader.bits, pages.Word(0, 8)) << path << " " << round;
    }
    EXPECT_TRUE(reader.WereThereAtOnce()) << "each was read when it was needed";
  }
  reader.ChangeBeforeCopies(nullptr);
  reader.Forget();
  ASSERT_TRUE(reader.ReadOfFile(pages.at(0)));
  const uint64_t before = reader.bits;
  pages.memory()[0] ^= 0xff;
  ASSERT_TRUE(reader.ReadOfFile(pages.at(0)));
  EXPECT_EQ(reader.bits, before) << "lines are kept again";
}

// Reads that end with a line.
TEST(GuardedRead, CachesLastBytesOfLine) {
  const Pages pages;
  Reader reader;
  for (uint64_t offset = 0; offset < 2 * kPage; offset += kGuardLineBytes) {
    ASSERT_TRUE(reader.Read(pages.at(offset)));
    for (uint64_t i = kGuardLineBytes - 8; i < kGuardLineBytes; ++i) pages.memory()[offset + i] ^= 0xff;
    for (uint32_t width = 1; width <= 8; ++width) {
      const uint64_t at = offset + kGuardLineBytes - width;
      ASSERT_TRUE(reader.Read(pages.at(at), width));
      ASSERT_EQ(LowBytes(reader.bits, width), LowBytes(~pages.Word(at, width), width))
          << "must come from the line, not from memory: " << offset << " " << width;
    }
  }
}

// An evaluator, with lines or without.
struct LinedEvaluator {
  explicit LinedEvaluator(bool has_lines = true) {
    InitEvaluator(evaluator.get(), ResolvePolicy::kLookahead, kMachineX86_64);
    InitGuardLines(lines.get());
    if (has_lines) evaluator->memory.guarded = lines.get();
  }
  ShadowMemory* memory() const { return &evaluator->memory; }

  std::unique_ptr<Evaluator> evaluator = std::make_unique<Evaluator>();
  std::unique_ptr<GuardLines> lines = std::make_unique<GuardLines>();
};

// A thread's lines are those of the scratch state that it gets.
TEST(GuardedRead, ThreadGetsTheSameLinesIfTheyAreFree) {
  auto scratch_states = std::make_unique<ScratchState[]>(kScratchStates);
  auto lines = std::make_unique<GuardLines[]>(kGuardStates);
  ScratchPool pool{};
  pool.scratch_states = scratch_states.get();
  pool.guard_lines = lines.get();
  const auto take = [&](uint32_t slot) {
    return TakeScratchState(&pool, slot, ResolvePolicy::kLookahead, kMachineX86_64);
  };
  for (const uint32_t slot : {2u, 1u, 2u}) {
    ScratchState* scratch = take(slot);
    ASSERT_NE(scratch, nullptr);
    EXPECT_EQ(scratch->evaluator.memory.guarded, &lines[slot]);
    ReturnScratchState(&pool, scratch);
  }
  for (uint32_t i = 0; i < kScratchStates; ++i) {  // all of threads that would get the second
    ScratchState* scratch = take(1);
    ASSERT_NE(scratch, nullptr);
    const uint32_t index = i == 0 ? 1 : i == 1 ? 0 : i;
    EXPECT_EQ(scratch, &scratch_states[index]) << i;
    EXPECT_EQ(scratch->evaluator.memory.guarded, index < kGuardStates ? &lines[index] : nullptr) << i;
  }
  EXPECT_EQ(take(1), nullptr);
}

long g_probes = 0;

long CountProbe(long number, long*, bool*) {
  g_probes += number == SYS_rt_sigprocmask ? 1 : 0;
  return 0;
}

// A page that the kernel has copied from need not be probed.
TEST(GuardedRead, LoadsProbeNoPage) {
  const Pages pages;
  const LinedEvaluator lined;
  Evaluator* evaluator = lined.evaluator.get();
  for (const bool is_guarded : {false, true}) {
    evaluator->memory.is_guarded = is_guarded;
    AdoptTrueState(evaluator);
    g_probes = 0;
    platform::SetSyscallFilterForTest(CountProbe);
    Value value{};
    EXPECT_EQ(LoadMemory(&evaluator->memory, pages.at(8), 8, &value), UopResult::kOk);
    EXPECT_EQ(LoadMemory(&evaluator->memory, pages.at(kPage + 8), 8, &value), UopResult::kOk);
    EXPECT_EQ(g_probes, is_guarded ? 0 : 2);
    EXPECT_EQ(LoadMemory(&evaluator->memory, pages.at(2 * kPage), 8, &value), UopResult::kUnreadable);
    EXPECT_EQ(StoreMemory(&evaluator->memory, pages.at(2 * kPage), 8, value), UopResult::kUnreadable);
    EXPECT_EQ(StoreMemory(&evaluator->memory, pages.at(8), 8, Value{42, kAllKnown}), UopResult::kOk);
    EXPECT_EQ(LoadMemory(&evaluator->memory, pages.at(8), 8, &value), UopResult::kOk);
    EXPECT_EQ(value.bits, 42u);
    platform::SetSyscallFilterForTest(nullptr);
  }
}

// Probes a page, unmaps it, and reads it by each kind of load that does not probe again.
class UnmappedMeanwhile {
 public:
  UnmappedMeanwhile(bool is_guarded, bool has_lines) : lined_(has_lines) {
    lined_.memory()->is_guarded = is_guarded;
    AdoptTrueState(lined_.evaluator.get());
    asked_ = LookUpPage(&lined_.memory()->pages, pages_.at(kPage));
    munmap(pages_.memory() + kPage, kPage);
  }
  PageState asked() const { return asked_; }
  bool LoadsPlain() {
    uint64_t bits = 0;
    const bool is_loaded = LoadPlain(*lined_.memory(), pages_.at(kPage + 64), 8, &bits);
    asm volatile("" ::"r"(bits));  // else the compiler removes the read
    return is_loaded;
  }
  UopResult Load() {
    Value value{};
    return LoadMemory(lined_.memory(), pages_.at(kPage + 64), 8, &value);
  }

 private:
  Pages pages_;
  LinedEvaluator lined_;
  PageState asked_;
};

TEST(GuardedRead, PageUnmappedAfterProbeIsUnreadable) {
  for (const bool has_lines : {false, true}) {
    UnmappedMeanwhile guarded(true, has_lines);
    ASSERT_EQ(guarded.asked(), PageState::kReadable);
    EXPECT_FALSE(guarded.LoadsPlain());
    EXPECT_EQ(guarded.Load(), UopResult::kUnreadable);
  }
}

// The main program is never unloaded, so its memory is pinned.
TEST(GuardedRead, PinnedMemoryIsReadPlainly) {
  const Pages pages;
  const LinedEvaluator lined;
  Evaluator* evaluator = lined.evaluator.get();
  evaluator->memory.is_guarded = true;
  evaluator->memory.pinned_begin = pages.at(512);
  evaluator->memory.pinned_end = pages.at(1024);
  AdoptTrueState(evaluator);
  // true if a second read sees a change made after the first
  const auto changes = [&](uint64_t offset, uint32_t width) {
    Value before{};
    Value after{};
    EXPECT_EQ(LoadMemory(&evaluator->memory, pages.at(offset), width, &before), UopResult::kOk);
    pages.memory()[offset] ^= 1;
    EXPECT_EQ(LoadMemory(&evaluator->memory, pages.at(offset), width, &after), UopResult::kOk);
    return LowBytes(before.bits ^ after.bits, width) == 1;
  };
  EXPECT_FALSE(changes(504, 8));
  EXPECT_FALSE(changes(511, 1));
  EXPECT_TRUE(changes(512, 8));
  EXPECT_TRUE(changes(1023, 8));
  EXPECT_FALSE(changes(1024, 8));
  EXPECT_FALSE(changes(1024, 1));
}

// A file that another process may shorten. The process has one thread, so reads are not guarded otherwise.
TEST(GuardedRead, FileShortenedAfterProbeIsUnreadable) {
  for (const bool has_lines : {false, true}) {
    const int file = memfd_create("file", 0);
    ASSERT_EQ(ftruncate(file, kPage), 0);
    void* memory = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0);
    ASSERT_NE(memory, MAP_FAILED);
    const auto address = reinterpret_cast<uint64_t>(memory);
    auto special = std::make_unique<SpecialRanges>();
    special->count = 1;
    special->ranges[0] = {address, address + kPage, PageState::kOfFile};
    const LinedEvaluator lined(has_lines);
    Evaluator* evaluator = lined.evaluator.get();
    evaluator->memory.pages.special = special.get();
    AdoptTrueState(evaluator);
    EXPECT_EQ(LookUpPage(&evaluator->memory.pages, address), PageState::kOfFile);
    uint64_t bits = 0;
    EXPECT_FALSE(LoadPlain(evaluator->memory, address, 8, &bits));
    Value value{};
    EXPECT_EQ(LoadMemory(&evaluator->memory, address, 8, &value), UopResult::kOk);
    EXPECT_EQ(value.known, kAllKnown);
    ASSERT_EQ(ftruncate(file, 0), 0);
    EXPECT_EQ(LoadMemory(&evaluator->memory, address + kPage - 8, 8, &value), UopResult::kUnreadable);
    munmap(memory, kPage);
    close(file);
  }
}

// Why reads are guarded.
TEST(GuardedReadDeathTest, PlainReadOfUnmappedPageKills) {
  EXPECT_DEATH(
      {
        signal(SIGSEGV, SIG_DFL);
        (void)UnmappedMeanwhile(false, false).LoadsPlain();
      },
      "");
  EXPECT_DEATH(
      {
        signal(SIGSEGV, SIG_DFL);
        (void)UnmappedMeanwhile(false, false).Load();
      },
      "");
}

}  // namespace
}  // namespace softlbr
