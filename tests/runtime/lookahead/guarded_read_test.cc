// Guarded reads, of memory that may be unmapped between the probe and the read, as another thread may do at any moment.
#include "runtime/lookahead/memory/guarded_read.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <random>

#include "platform/base/elf_machine.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/lookahead/memory/shadow_memory.h"

namespace softlbr {
namespace {

constexpr uint64_t kPage = 4096;

// Two readable pages, whose bytes depend on their offset, and an unreadable one.
class Pages {
 public:
  Pages() : memory_(static_cast<uint8_t*>(mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
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

TEST(GuardedRead, ReadsMemoryAtAnyOffset) {
  const Pages pages;
  auto lines = std::make_unique<GuardLines>();
  ForgetGuardLines(lines.get());
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const uint32_t width = 1u << random() % 4;
    const uint64_t offset = random() % (2 * kPage - width + 1);
    uint64_t bits = 0;
    ASSERT_TRUE(ReadGuarded(lines.get(), pages.at(offset), width, &bits)) << offset;
    ASSERT_EQ(LowBytes(bits, width), pages.Word(offset, width)) << offset << " " << width;
  }
}

TEST(GuardedRead, ReportsUnreadableMemory) {
  const Pages pages;
  auto lines = std::make_unique<GuardLines>();
  ForgetGuardLines(lines.get());
  uint64_t bits = 0;
  EXPECT_FALSE(ReadGuarded(lines.get(), pages.at(2 * kPage), 8, &bits));
  EXPECT_FALSE(ReadGuarded(lines.get(), pages.at(2 * kPage - 4), 8, &bits)) << "half of it";
  EXPECT_TRUE(ReadGuarded(lines.get(), pages.at(2 * kPage - 4), 4, &bits));
  EXPECT_FALSE(ReadGuarded(lines.get(), 0, 8, &bits));
}

TEST(GuardedRead, CachesLineUntilForgotten) {
  const Pages pages;
  auto lines = std::make_unique<GuardLines>();
  ForgetGuardLines(lines.get());
  uint64_t before = 0;
  uint64_t after = 0;
  ASSERT_TRUE(ReadGuarded(lines.get(), pages.at(64), 8, &before));
  pages.memory()[64] ^= 0xff;
  ASSERT_TRUE(ReadGuarded(lines.get(), pages.at(64), 8, &after));
  EXPECT_EQ(after, before);
  ForgetGuardLines(lines.get());
  ASSERT_TRUE(ReadGuarded(lines.get(), pages.at(64), 8, &after));
  EXPECT_EQ(after, before ^ 0xff);
}

// Of three lines that belong to one set, the two used last stay.
TEST(GuardedRead, ReplacesLeastRecentlyUsedLineOfASet) {
  constexpr uint64_t kApart = kGuardLineBytes * kGuardLines * kGuardLines;  // addresses this far apart are in the same set
  constexpr uint64_t kBytes = 3 * kApart + kPage;
  auto* memory = static_cast<uint8_t*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  const uint64_t begin = reinterpret_cast<uint64_t>(memory);
  const auto place = [&](uint64_t i) { return (i * kApart) / sizeof(uint64_t); };
  auto* words = reinterpret_cast<uint64_t*>(memory);
  auto lines = std::make_unique<GuardLines>();
  ForgetGuardLines(lines.get());
  uint64_t bits = 0;
  const auto read = [&](uint64_t i) {
    EXPECT_TRUE(ReadGuarded(lines.get(), begin + i * kApart, 8, &bits));
    return bits;
  };
  for (uint64_t i = 0; i < 3; ++i) words[place(i)] = i + 1;
  for (const uint64_t i : {0, 1, 0, 2}) EXPECT_EQ(read(i), i + 1);
  for (uint64_t i = 0; i < 3; ++i) words[place(i)] = 0;
  EXPECT_EQ(read(0), 1u) << "kept";
  EXPECT_EQ(read(2), 3u) << "kept";
  EXPECT_EQ(read(1), 0u) << "read again";
  munmap(memory, kBytes);
}

// Reads that end with a line.
TEST(GuardedRead, CachesLastBytesOfLine) {
  const Pages pages;
  auto lines = std::make_unique<GuardLines>();
  ForgetGuardLines(lines.get());
  for (uint64_t offset = 0; offset < 2 * kPage; offset += kGuardLineBytes) {
    uint64_t bits = 0;
    ASSERT_TRUE(ReadGuarded(lines.get(), pages.at(offset), 8, &bits));
    for (uint64_t i = kGuardLineBytes - 8; i < kGuardLineBytes; ++i) pages.memory()[offset + i] ^= 0xff;
    for (uint32_t width = 1; width <= 8; ++width) {
      const uint64_t at = offset + kGuardLineBytes - width;
      ASSERT_TRUE(ReadGuarded(lines.get(), pages.at(at), width, &bits));
      ASSERT_EQ(LowBytes(bits, width), LowBytes(~pages.Word(at, width), width))
          << "must come from the line, not from memory: " << offset << " " << width;
    }
  }
}

// Probes a page, unmaps it, and reads it by each kind of load that does not probe again.
class UnmappedMeanwhile {
 public:
  explicit UnmappedMeanwhile(bool is_guarded) : evaluator_(new Evaluator) {
    InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, kMachineX86_64);
    evaluator_->memory.is_guarded = is_guarded;
    AdoptTrueState(evaluator_.get());
    asked_ = LookUpPage(&evaluator_->memory.pages, pages_.at(kPage));
    munmap(pages_.memory() + kPage, kPage);
  }
  PageState asked() const { return asked_; }
  bool LoadsPlain() {
    uint64_t bits = 0;
    const bool is_loaded = LoadPlain(evaluator_->memory, pages_.at(kPage + 64), 8, &bits);
    asm volatile("" ::"r"(bits));  // else the compiler removes the read
    return is_loaded;
  }
  UopResult Load() {
    Value value{};
    return LoadMemory(&evaluator_->memory, pages_.at(kPage + 64), 8, &value);
  }

 private:
  Pages pages_;
  std::unique_ptr<Evaluator> evaluator_;
  PageState asked_;
};

TEST(GuardedRead, PageUnmappedAfterProbeIsUnreadable) {
  UnmappedMeanwhile guarded(true);
  ASSERT_EQ(guarded.asked(), PageState::kReadable);
  EXPECT_FALSE(guarded.LoadsPlain());
  EXPECT_EQ(guarded.Load(), UopResult::kUnreadable);
}

// The main program is never unloaded, so its memory is pinned.
TEST(GuardedRead, PinnedMemoryIsReadPlainly) {
  const Pages pages;
  auto evaluator = std::make_unique<Evaluator>();
  InitEvaluator(evaluator.get(), ResolvePolicy::kLookahead, kMachineX86_64);
  evaluator->memory.is_guarded = true;
  evaluator->memory.pinned_begin = pages.at(512);
  evaluator->memory.pinned_end = pages.at(1024);
  AdoptTrueState(evaluator.get());
  const auto changes = [&](uint64_t offset, uint32_t width) {  // true if a second read sees a change made after the first
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
  const int file = memfd_create("file", 0);
  ASSERT_EQ(ftruncate(file, kPage), 0);
  void* memory = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto address = reinterpret_cast<uint64_t>(memory);
  auto special = std::make_unique<SpecialRanges>();
  special->count = 1;
  special->ranges[0] = {address, address + kPage, true};
  auto evaluator = std::make_unique<Evaluator>();
  InitEvaluator(evaluator.get(), ResolvePolicy::kLookahead, kMachineX86_64);
  evaluator->memory.pages.special = special.get();
  AdoptTrueState(evaluator.get());
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

// Why reads are guarded.
TEST(GuardedReadDeathTest, PlainReadOfUnmappedPageKills) {
  EXPECT_DEATH(
      {
        signal(SIGSEGV, SIG_DFL);
        (void)UnmappedMeanwhile(false).LoadsPlain();
      },
      "");
  EXPECT_DEATH(
      {
        signal(SIGSEGV, SIG_DFL);
        (void)UnmappedMeanwhile(false).Load();
      },
      "");
}

}  // namespace
}  // namespace softlbr
