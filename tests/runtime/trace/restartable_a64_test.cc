// Exits of critical sections in A64 machine code, on any host.
#include "decoders/aarch64/plugin_aarch64.h"
#include "tests/runtime/trace/restartable_fixture.h"

namespace softlbr {
namespace {

constexpr uint32_t kNop = 0xd503201f;
constexpr uint32_t kStore = 0xf9000020;  // str x0, [x1]
constexpr uint32_t kRet = 0xd65f03c0;
constexpr uint32_t kBrX0 = 0xd61f0000;
constexpr uint32_t kBlrX0 = 0xd63f0000;
constexpr uint32_t kBrk = 0xd4200000;
// Branch instructions with a displacement in bytes.
constexpr uint32_t B(int bytes) { return 0x14000000u | (static_cast<uint32_t>(bytes / 4) & 0x3ffffff); }
constexpr uint32_t BNe(int bytes) { return 0x54000001u | (static_cast<uint32_t>(bytes / 4) & 0x7ffff) << 5; }
constexpr uint32_t CbzX0(int bytes) { return 0xb4000000u | (static_cast<uint32_t>(bytes / 4) & 0x7ffff) << 5; }
constexpr uint32_t TbzX0(int bytes) { return 0x36000000u | (static_cast<uint32_t>(bytes / 4) & 0x3fff) << 5; }

class RestartableA64 : public RestartableFixture {
 protected:
  RestartableA64() : RestartableFixture(softlbr_decoder_plugin_aarch64()) {}
  uint64_t Exit(const std::vector<uint32_t>& code, uint64_t length, uint64_t from = 0) {
    for (size_t at = 0; at < 4096; at += 4) std::memcpy(memory_ + at, &kNop, 4);
    return RestartableFixture::Exit(code, length, from);
  }
};

TEST_F(RestartableA64, StraightCodeExitsAtItsEnd) {
  EXPECT_EQ(Exit({kNop, kNop, kStore}, 12), 12u);
  EXPECT_EQ(Exit({kNop, kNop, kStore}, 8), 8u);  // the block continues after the section
  EXPECT_EQ(Exit({kNop, kNop, kStore}, 12, 8), 12u);
}

TEST_F(RestartableA64, RegularEndIsPreferred) {
  EXPECT_EQ(Exit({BNe(64), kNop, kStore}, 12), 12u);
  EXPECT_EQ(Exit({CbzX0(64), kNop, kStore}, 12), 12u);
  EXPECT_EQ(Exit({TbzX0(64), kNop, kStore}, 12), 12u);
  EXPECT_EQ(Exit({kNop, BNe(-4), kStore}, 12), 12u);  // a backward jump inside
  // The end is reached by a jump: 0: cbz 8; 4: b 12 (the end); 8: b 72
  EXPECT_EQ(Exit({CbzX0(8), B(8), B(64)}, 12), 12u);
}

TEST_F(RestartableA64, OtherExitIsUsedIfEndIsUnreachable) {
  EXPECT_EQ(Exit({kNop, B(64), kNop}, 12), 68u);
  EXPECT_EQ(Exit({kNop, B(64), kNop}, 12, 8), 12u);
  EXPECT_EQ(Exit({B(-16)}, 4), static_cast<uint64_t>(-16));
}

TEST_F(RestartableA64, UnfollowableCodeHasNoExit) {
  EXPECT_EQ(Exit({B(0)}, 4), ~0ull);
  EXPECT_EQ(Exit({kBrX0, kNop}, 8), ~0ull);
  EXPECT_EQ(Exit({kBlrX0, kNop}, 8), ~0ull) << "critical sections must not contain calls";
  EXPECT_EQ(Exit({kRet, kNop}, 8), ~0ull);
  EXPECT_EQ(Exit({kBrk, kNop}, 8), ~0ull);
  EXPECT_EQ(Exit({0, kNop}, 8), ~0ull);  // undecodable
  EXPECT_EQ(Exit({BNe(8), kBrk, kNop}, 12), 12u) << "a trap on one path leaves the other";
}

TEST_F(RestartableA64, SearchIsBounded) {
  const std::vector<uint32_t> chain(100, B(4));
  EXPECT_EQ(Exit(chain, 400), ~0ull);
  EXPECT_EQ(Exit(chain, 400, 400 - 4 * (kMaxCriticalSectionBlocks - 1)), 400u);
}

TEST_F(RestartableA64, ExclusiveRegionExitsAfterItsStore) {
  // 0: ldaxr x0, [x1]; 4: cbz x0, 16; 8: add; c: stlxr w4, x0, [x1]; 10: cbnz w4, 0; 14: clrex
  const std::vector<uint32_t> code = {0xc85ffc20, CbzX0(16), 0x91000400, 0xc804fc20, 0x35ffff84, 0xd5033f5f, kNop};
  std::memcpy(code_, code.data(), code.size() * 4);
  ClearPageCache(&scratch_->evaluator.memory.pages);
  const AddressRange until_closed{0, ~0ull};
  // From between load and store, the exit is after the store.
  const uint64_t exit = FindCriticalSectionExit(*plugin_, decoder_, scratch_.get(), until_closed, Place(4));
  EXPECT_EQ(exit, Place(16));
}

}  // namespace
}  // namespace softlbr
