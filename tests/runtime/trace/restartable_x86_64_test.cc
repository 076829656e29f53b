// Exits of critical sections in x86-64 machine code.
#include "decoders/x86_64/plugin_x86_64.h"
#include "tests/runtime/trace/restartable_fixture.h"

namespace softlbr {
namespace {

class RestartableX86 : public RestartableFixture {
 protected:
  RestartableX86() : RestartableFixture(softlbr_decoder_plugin_x86_64()) {}
  uint64_t Exit(const std::vector<uint8_t>& code, uint64_t length, uint64_t from = 0) {
    std::memset(memory_, 0x90, 8192);
    return RestartableFixture::Exit(code, length, from);
  }
};

TEST_F(RestartableX86, StraightCodeExitsAtItsEnd) {
  EXPECT_EQ(Exit({0x90, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 7), 7u);     // nop; inc rax; mov [rdi], rax
  EXPECT_EQ(Exit({0x90, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 4), 4u);     // the block continues after the section
  EXPECT_EQ(Exit({0x90, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 7, 4), 7u);  // from its last instruction
}

TEST_F(RestartableX86, RegularEndIsPreferred) {
  // 0: jne 32; 2: inc rax; 5: mov [rdi], rax; 8:
  EXPECT_EQ(Exit({0x75, 0x1e, 0x48, 0xff, 0xc0, 0x48, 0x89, 0x07}, 8), 8u);
  // A backward jump inside: 0: inc rax; 3: jne 0; 5: nop; 6:
  EXPECT_EQ(Exit({0x48, 0xff, 0xc0, 0x75, 0xfb, 0x90}, 6), 6u);
  // The end is reached by a jump: 0: je 4; 2: jmp 6 (the end); 4: jmp 32
  EXPECT_EQ(Exit({0x74, 0x02, 0xeb, 0x02, 0xeb, 0x1a}, 6), 6u);
}

TEST_F(RestartableX86, OtherExitIsUsedIfEndIsUnreachable) {
  // 0: nop; 1: jmp 64; 3: nop; 4:  From 0 only the jump is reached, from 3 only the end.
  EXPECT_EQ(Exit({0x90, 0xeb, 0x3d, 0x90}, 4), 64u);
  EXPECT_EQ(Exit({0x90, 0xeb, 0x3d, 0x90}, 4, 3), 4u);
  // Backwards: 0: jmp -16
  EXPECT_EQ(Exit({0xeb, 0xee}, 2), static_cast<uint64_t>(-16));
}

TEST_F(RestartableX86, UnfollowableCodeHasNoExit) {
  EXPECT_EQ(Exit({0xeb, 0xfe}, 2), ~0ull);        // jmp to itself
  EXPECT_EQ(Exit({0xff, 0xe0, 0x90}, 3), ~0ull);  // jmp rax
  EXPECT_EQ(Exit({0xc3, 0x90}, 2), ~0ull);        // ret
  EXPECT_EQ(Exit({0x0f, 0x0b, 0x90}, 3), ~0ull);  // ud2
  EXPECT_EQ(Exit({0x06, 0x90}, 2), ~0ull);        // invalid in 64-bit mode
  // A trap on one path leaves the other: 0: jne 4; 2: ud2; 4: nop; 5:
  EXPECT_EQ(Exit({0x75, 0x02, 0x0f, 0x0b, 0x90}, 5), 5u);
}

TEST_F(RestartableX86, InstructionAcrossTheEndIsNoExit) {
  EXPECT_EQ(Exit({0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8, 0xeb, 0xf4}, 5), ~0ull);
}

TEST_F(RestartableX86, SearchIsBounded) {
  // A chain of 100 jumps, each to the next: more than kMaxCriticalSectionBlocks.
  std::vector<uint8_t> chain;
  for (int i = 0; i < 100; ++i) chain.insert(chain.end(), {0xeb, 0x00});
  EXPECT_EQ(Exit(chain, 200), ~0ull);
  EXPECT_EQ(Exit(chain, 200, 200 - 2 * (kMaxCriticalSectionBlocks - 1)), 200u);
}

}  // namespace
}  // namespace softlbr
