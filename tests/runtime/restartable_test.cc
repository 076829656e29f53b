// Exits of restartable sequences, found in machine code made here.
#include "runtime/restartable.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "decoders/x86_64/plugin_x86_64.h"
#include "platform/rseq.h"
#include "runtime/lookahead/evaluator.h"

namespace softlbr {
namespace {

class Restartable : public ::testing::Test {
 protected:
  void SetUp() override {
    plugin_ = softlbr_decoder_plugin_x86_64();
    ASSERT_EQ(plugin_->open(arena_, sizeof arena_, &decoder_), SOFTLBR_DECODER_OK);
    memory_ = static_cast<uint8_t*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    code_ = memory_ + 256;
    std::memset(memory_, 0x90, 8192);
    InitEvaluator(&bench_->evaluator, ResolvePolicy::kLookahead, plugin_->arch);
    AdoptTrueState(&bench_->evaluator);
  }
  void TearDown() override {
    plugin_->close(decoder_);
    munmap(memory_, 8192);
  }
  uint64_t Place(uint64_t offset) const { return reinterpret_cast<uint64_t>(code_) + offset; }
  // Where the sequence [0, length) of `code` can be left by who stands at `from`; relative to code_, ~0 if nowhere.
  uint64_t Exit(std::vector<uint8_t> code, uint64_t length, uint64_t from = 0) {
    std::copy(code.begin(), code.end(), code_);
    ClearPageCache(&bench_->evaluator.pages);
    const AddressRange sequence{Place(0), Place(length)};
    const uint64_t exit = FindSequenceExit(*plugin_, decoder_, bench_.get(), sequence, Place(from));
    return exit == 0 ? ~0ull : exit - Place(0);
  }

  alignas(64) uint8_t arena_[kDecoderArenaBytes];
  const softlbr_decoder_plugin* plugin_ = nullptr;
  softlbr_decoder* decoder_ = nullptr;
  std::unique_ptr<Workbench> bench_ = std::make_unique<Workbench>();
  uint8_t* memory_ = nullptr;
  uint8_t* code_ = nullptr;
};

TEST_F(Restartable, StraightCodeIsLeftAtItsEnd) {
  EXPECT_EQ(Exit({0x90, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 7), 7u);     // nop; inc rax; mov [rdi], rax
  EXPECT_EQ(Exit({0x90, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 4), 4u);     // the run goes on behind the sequence
  EXPECT_EQ(Exit({0x90, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 7, 4), 7u);  // from its last instruction
}

TEST_F(Restartable, RegularEndCountsMoreThanOtherExits) {
  // 0: jne 32; 2: inc rax; 5: mov [rdi], rax; 8:
  EXPECT_EQ(Exit({0x75, 0x1e, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 8), 8u);
  // A jump back inside: 0: inc rax; 3: jne 0; 5: nop; 6:
  EXPECT_EQ(Exit({0x48, 0xff, 0xc0, 0x75, 0xfb, 0x90}, 6), 6u);
  // The end is reached by a jump: 0: je 4; 2: jmp 6 (the end); 4: jmp 32
  EXPECT_EQ(Exit({0x74, 0x02, 0xeb, 0x02, 0xeb, 0x1a}, 6), 6u);
}

TEST_F(Restartable, OtherExitsAreTakenWhereTheEndCannotBeReached) {
  // 0: nop; 1: jmp 64; 3: nop; 4: from 0 only the jump is reached, from 3 only the end.
  EXPECT_EQ(Exit({0x90, 0xeb, 0x3d, 0x90}, 4), 64u);
  EXPECT_EQ(Exit({0x90, 0xeb, 0x3d, 0x90}, 4, 3), 4u);
  // Backwards: 0: jmp -16
  EXPECT_EQ(Exit({0xeb, 0xee}, 2), static_cast<uint64_t>(-16));
}

TEST_F(Restartable, WhatLeadsNowhereKnownHasNoExit) {
  EXPECT_EQ(Exit({0xeb, 0xfe}, 2), ~0ull);        // jmp to itself
  EXPECT_EQ(Exit({0xff, 0xe0, 0x90}, 3), ~0ull);  // jmp rax
  EXPECT_EQ(Exit({0xc3, 0x90}, 2), ~0ull);        // ret
  EXPECT_EQ(Exit({0x0f, 0x0b, 0x90}, 3), ~0ull);  // ud2
  EXPECT_EQ(Exit({0x06, 0x90}, 2), ~0ull);        // no instruction of this mode
  // A trap on one way leaves the other: 0: jne 4; 2: ud2; 4: nop; 5:
  EXPECT_EQ(Exit({0x75, 0x02, 0x0f, 0x0b, 0x90}, 5), 5u);
}

TEST_F(Restartable, AnInstructionAcrossTheEndIsNoExit) {
  EXPECT_EQ(Exit({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0xeb, 0xf4}, 5), ~0ull);
}

TEST_F(Restartable, LookIsBounded) {
  // A chain of jumps, each to the next, 100 of them: more than kMaxSequenceBlocks.
  std::vector<uint8_t> chain;
  for (int i = 0; i < 100; ++i) chain.insert(chain.end(), {0xeb, 0x00});
  EXPECT_EQ(Exit(chain, 200), ~0ull);
  EXPECT_EQ(Exit(chain, 200, 200 - 2 * (kMaxSequenceBlocks - 1)), 200u);
}

TEST_F(Restartable, IsFoundByTableThenByPlaceLearned) {
  auto map = std::make_unique<CodeMap>();
  map->sequence_count = 1;
  map->sequences[0] = AddressRange{Place(0), Place(8)};
  LearnedPcs learned{};
  AddressRange found{};
  EXPECT_TRUE(FindSequence(*map, learned, bench_.get(), Place(0), &found));
  EXPECT_EQ(found.end, Place(8));
  EXPECT_FALSE(FindSequence(*map, learned, bench_.get(), Place(8), &found)) << "the regular end is outside";
  // An abort handler: the signature stands before it.
  std::memcpy(code_ + 100, &platform::kRseqSignature, 4);
  EXPECT_FALSE(LearnFromAbort(&learned, Place(50), Place(103)));
  EXPECT_FALSE(FindSequence(*map, learned, bench_.get(), Place(50), &found));
  EXPECT_TRUE(LearnFromAbort(&learned, Place(50), Place(104)));
  EXPECT_TRUE(FindSequence(*map, learned, bench_.get(), Place(50), &found));
  EXPECT_EQ(found.begin, found.end) << "no more is known of it";
  for (uint64_t i = 0; i < kLearnedPcs; ++i) EXPECT_TRUE(LearnFromAbort(&learned, Place(200 + i), Place(104)));
  EXPECT_FALSE(FindSequence(*map, learned, bench_.get(), Place(50), &found)) << "the oldest is forgotten";
  EXPECT_TRUE(FindSequence(*map, learned, bench_.get(), Place(200), &found));
  EXPECT_FALSE(LearnFromAbort(&learned, 1, 4)) << "no memory there";
}

TEST_F(Restartable, IsFoundByThePointerOfTheThread) {
  int64_t distance = 0;
  if (!platform::FindRseqPointer(&distance)) GTEST_SKIP() << "needs a C library that registers restartable sequences";
  // A thread area of our own making, as the registers of the shadow program name it.
  const uint64_t area = Place(1024);
  MachineContext& context = bench_->evaluator.context;
  context.cells[SOFTLBR_CELL_GENERAL + 16] = area - static_cast<uint64_t>(distance);  // fs base
  context.known[SOFTLBR_CELL_GENERAL + 16] = kAllKnown;
  const platform::RseqDescriptor descriptor{0, 0, Place(16), 32, Place(104)};
  std::memcpy(code_ + 512, &descriptor, sizeof descriptor);
  const auto map = std::make_unique<CodeMap>();
  const LearnedPcs learned{};
  AddressRange found{};
  const auto point_to = [&](uint64_t address) {
    std::memcpy(code_ + 1024, &address, sizeof address);
    ClearPageCache(&bench_->evaluator.pages);
  };
  point_to(Place(512));
  EXPECT_TRUE(FindSequence(*map, learned, bench_.get(), Place(16), &found));
  EXPECT_EQ(found.begin, Place(16));
  EXPECT_EQ(found.end, Place(48));
  EXPECT_TRUE(FindSequence(*map, learned, bench_.get(), Place(47), &found));
  EXPECT_FALSE(FindSequence(*map, learned, bench_.get(), Place(48), &found));
  point_to(0);
  EXPECT_FALSE(FindSequence(*map, learned, bench_.get(), Place(16), &found));
  point_to(8);  // nothing can be read there
  EXPECT_FALSE(FindSequence(*map, learned, bench_.get(), Place(16), &found));
}

}  // namespace
}  // namespace softlbr
