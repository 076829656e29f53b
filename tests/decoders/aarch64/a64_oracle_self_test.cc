// Tests of the A64 oracle itself: each plants one fault in the decoder's result, which the oracle must detect.
#include <gtest/gtest.h>

#include <functional>

#include "decoders/aarch64/plugin_aarch64.h"
#include "platform/base/registers_aarch64.h"
#include "tests/decoders/aarch64/a64_case_runner.h"

namespace softlbr::oracle {
namespace {

using Fault = std::function<void(softlbr_block*)>;
Fault* g_fault = nullptr;

softlbr_decoder_result LiftFaulty(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                  softlbr_block* block) {
  const softlbr_decoder_result result = softlbr_decoder_plugin_aarch64()->lift(decoder, code, size, pc, block);
  if (g_fault != nullptr) (*g_fault)(block);
  return result;
}

const softlbr_decoder_plugin* FaultyPlugin() {
  static softlbr_decoder_plugin plugin = [] {
    softlbr_decoder_plugin copy = *softlbr_decoder_plugin_aarch64();
    copy.lift = LiftFaulty;
    return copy;
  }();
  return &plugin;
}

class A64OracleItself : public testing::Test {
 protected:
  static void SetUpTestSuite() { runner_ = new A64CaseRunner(FaultyPlugin(), 1); }
  static void TearDownTestSuite() {
    delete runner_;
    runner_ = nullptr;
  }

  // Number of cases out of 64 that end with `outcome`.
  static uint32_t Count(A64Outcome outcome, uint32_t word, bool partial, Fault fault) {
    g_fault = &fault;
    const bool is_prepared = runner_->Prepare(&word, 1);
    g_fault = nullptr;
    EXPECT_TRUE(is_prepared);
    Random random(7);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 64; ++i) {
      if (runner_->Run(A64Expectation{true, 0, false}, partial, &random).outcome == outcome) ++count;
    }
    return count;
  }
  static void Nothing(softlbr_block*) {}
  static softlbr_uop* Find(softlbr_block* block, uint32_t op) {
    for (uint32_t i = 0; i < block->uop_count; ++i) {
      if (block->uops[i].op == op) return &block->uops[i];
    }
    ADD_FAILURE() << "no uop " << op;
    return &block->uops[0];
  }

  static A64CaseRunner* runner_;
};
A64CaseRunner* A64OracleItself::runner_ = nullptr;

constexpr uint32_t kAddsW = 0x2b020020;    // adds w0, w1, w2
constexpr uint32_t kSubsX = 0xeb020020;    // subs x0, x1, x2
constexpr uint32_t kStrPre = 0xf8008c22;   // str x2, [x1, #8]!
constexpr uint32_t kStrW = 0xb9000022;     // str w2, [x1]
constexpr uint32_t kLdrD = 0xfd400020;     // ldr d0, [x1]
constexpr uint32_t kAdd8b = 0x0e228420;    // add v0.8b, v1.8b, v2.8b
constexpr uint32_t kAdd16b = 0x4e228420;   // add v0.16b, v1.16b, v2.16b
constexpr uint32_t kBeq = 0x54000200;      // b.eq +0x40
constexpr uint32_t kBlr = 0xd63f0060;      // blr x3
constexpr uint32_t kUdiv = 0x9ac20820;     // udiv x0, x1, x2
constexpr uint32_t kAtomic = 0xf8224023;   // ldsmax x2, x3, [x1]
constexpr uint32_t kSha256h = 0x5e024020;  // sha256h q0, q1, v2.4s

TEST_F(A64OracleItself, ReportsNothingForCorrectLifts) {
  for (uint32_t word : {kAddsW, kSubsX, kStrPre, kStrW, kLdrD, kAdd8b, kAdd16b, kBeq, kBlr, kUdiv})
    EXPECT_EQ(Count(A64Outcome::kEqual, word, false, Nothing), 64u) << std::hex << word;
}

TEST_F(A64OracleItself, DetectsAWrongResult) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kAddsW, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADD)->op = SOFTLBR_OP_XOR; }),
            32u);
}

TEST_F(A64OracleItself, DetectsAnUntouchedUpperHalf) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kAddsW, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADD)->flags |= SOFTLBR_UOP_MERGE; }),
            16u);
}

TEST_F(A64OracleItself, DetectsStaleFlags) {
  EXPECT_GT(
      Count(A64Outcome::kMismatch, kAddsW, false,
            [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADD)->flags &= static_cast<uint16_t>(~SOFTLBR_UOP_SET_FLAGS); }),
      32u);
}

TEST_F(A64OracleItself, DetectsACarryThatIsABorrow) {
  EXPECT_EQ(Count(A64Outcome::kMismatch, kSubsX, false,
                  [](softlbr_block* b) {
                    Find(b, SOFTLBR_OP_SUB)->flags &= static_cast<uint16_t>(~SOFTLBR_UOP_CARRY_NOT_BORROW);
                  }),
            64u);
}

TEST_F(A64OracleItself, DetectsALostStore) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kStrPre, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_STORE)->op = SOFTLBR_OP_NOP; }),
            32u);
}

TEST_F(A64OracleItself, DetectsAStoreToTheWrongAddress) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kStrPre, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADD)->imm -= 8; }),
            32u);
}

TEST_F(A64OracleItself, DetectsATooWideStore) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kStrW, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_STORE)->width = 8; }),
            32u);
}

TEST_F(A64OracleItself, DetectsAVectorNotZeroedAbove) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kAdd8b, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_CONST)->op = SOFTLBR_OP_NOP; }),
            32u);
  EXPECT_GT(Count(A64Outcome::kMismatch, kLdrD, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_CONST)->op = SOFTLBR_OP_NOP; }),
            32u);
}

TEST_F(A64OracleItself, DetectsAWrongLaneSize) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kAdd16b, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_VADD)->aux = 2; }),
            32u);
}

TEST_F(A64OracleItself, DetectsAWrongRegister) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kAdd16b, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_VADD)->dst += 8; }),
            32u);
}

TEST_F(A64OracleItself, DetectsAWrongTarget) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kBeq, false, [](softlbr_block* b) { b->end.disp += 4; }), 16u);
}

TEST_F(A64OracleItself, DetectsAWrongCondition) {
  EXPECT_EQ(Count(A64Outcome::kMismatch, kBeq, false, [](softlbr_block* b) { b->end.condition ^= 1; }), 64u);
}

TEST_F(A64OracleItself, DetectsALostReturnAddress) {
  EXPECT_EQ(Count(A64Outcome::kMismatch, kBlr, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADDRESS)->imm += 4; }),
            64u);
}

TEST_F(A64OracleItself, DetectsAMissingClobber) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kAtomic, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_STORE_UNKNOWN)->op = SOFTLBR_OP_NOP; }),
            16u);  // memory changes in half of the cases
  EXPECT_GT(Count(A64Outcome::kMismatch, kAtomic, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_UNKNOWN)->op = SOFTLBR_OP_NOP; }),
            32u);
  EXPECT_GT(
      Count(A64Outcome::kMismatch, kSha256h, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_UNKNOWN)->width = 8; }),
      32u);
}

TEST_F(A64OracleItself, DetectsNeedlessUnknowns) {
  EXPECT_GT(Count(A64Outcome::kUnknown, kAdd16b, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_VADD)->op = SOFTLBR_OP_UNKNOWN; }),
            48u);
  EXPECT_GT(Count(A64Outcome::kUnknown, kBeq, false, [](softlbr_block* b) { b->end.condition = SOFTLBR_COND_UNKNOWN; }),
            48u);
}

// UNKNOWN inputs have garbage under them: a result that uses it and is marked known is detected.
TEST_F(A64OracleItself, DetectsAResultThatIgnoresItsInputs) {
  EXPECT_GT(Count(A64Outcome::kMismatch, kUdiv, true,
                  [](softlbr_block* b) {
                    softlbr_uop* uop = Find(b, SOFTLBR_OP_DIV);
                    uop->op = SOFTLBR_OP_CONST;
                    uop->imm = 42;
                  }),
            32u);
}

TEST_F(A64OracleItself, DetectsAFalseTrap) {
  EXPECT_EQ(Count(A64Outcome::kMismatch, kSubsX, false, [](softlbr_block* b) { b->end.kind = SOFTLBR_END_SYSCALL; }),
            64u);
}

}  // namespace
}  // namespace softlbr::oracle
