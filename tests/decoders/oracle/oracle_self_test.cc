// Tests of the oracle itself: each plants one fault in the decoder's result, which the oracle must detect.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "decoders/x86_64/plugin_x86_64.h"
#include "platform/base/registers_x86_64.h"
#include "tests/decoders/oracle/case_runner.h"

namespace softlbr::oracle {
namespace {

using Fault = std::function<void(softlbr_block*)>;
Fault* g_fault = nullptr;

softlbr_decoder_result LiftFaulty(softlbr_decoder* decoder, const uint8_t* code, size_t size, uint64_t pc,
                                  softlbr_block* block) {
  const softlbr_decoder_result result = softlbr_decoder_plugin_x86_64()->lift(decoder, code, size, pc, block);
  if (g_fault != nullptr) (*g_fault)(block);
  return result;
}

const softlbr_decoder_plugin* FaultyPlugin() {
  static softlbr_decoder_plugin plugin = [] {
    softlbr_decoder_plugin copy = *softlbr_decoder_plugin_x86_64();
    copy.lift = LiftFaulty;
    return copy;
  }();
  return &plugin;
}

class OracleItself : public testing::Test {
 protected:
  static void SetUpTestSuite() { runner_ = new CaseRunner(FaultyPlugin(), 1); }
  static void TearDownTestSuite() {
    delete runner_;
    runner_ = nullptr;
  }

  // Number of cases out of 64 that end with `outcome`.
  static uint32_t Count(CaseOutcome outcome, std::initializer_list<uint8_t> code, bool partial, Fault fault) {
    g_fault = &fault;
    std::vector<uint8_t> bytes(code);
    const bool is_prepared = runner_->Prepare(bytes.data(), bytes.size());
    g_fault = nullptr;
    EXPECT_TRUE(is_prepared);
    Random random(7);
    uint32_t count = 0;
    const Expectation expectation{true, 0, 0, false};
    for (uint32_t i = 0; i < 64; ++i) {
      if (runner_->Run(expectation, partial, &random).outcome == outcome) ++count;
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

  static CaseRunner* runner_;
};
CaseRunner* OracleItself::runner_ = nullptr;

constexpr std::initializer_list<uint8_t> kAddEaxEbx = {0x01, 0xd8};
constexpr std::initializer_list<uint8_t> kMovRsiRbx = {0x48, 0x89, 0x1e};  // mov [rsi], rbx
constexpr std::initializer_list<uint8_t> kPushRbx = {0x53};
constexpr std::initializer_list<uint8_t> kPaddb = {0x66, 0x0f, 0xfc, 0xc1};   // paddb xmm0, xmm1
constexpr std::initializer_list<uint8_t> kVpaddb = {0xc5, 0xf1, 0xfc, 0xc2};  // vpaddb xmm0, xmm1, xmm2
constexpr std::initializer_list<uint8_t> kJz = {0x74, 0x40};                  // jz +0x40
constexpr std::initializer_list<uint8_t> kDivRbx = {0x48, 0xf7, 0xf3};        // div rbx

TEST_F(OracleItself, ReportsNothingForCorrectLifts) {
  EXPECT_EQ(Count(CaseOutcome::kEqual, kAddEaxEbx, false, Nothing), 64u);
  EXPECT_EQ(Count(CaseOutcome::kEqual, kMovRsiRbx, false, Nothing), 64u);
  EXPECT_EQ(Count(CaseOutcome::kEqual, kPaddb, false, Nothing), 64u);
  EXPECT_EQ(Count(CaseOutcome::kEqual, kJz, false, Nothing), 64u);
}

TEST_F(OracleItself, DetectsAWrongResult) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, kAddEaxEbx, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADD)->op = SOFTLBR_OP_SUB; }),
            32u);
}

TEST_F(OracleItself, DetectsAnUntouchedUpperHalf) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, kAddEaxEbx, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADD)->flags |= SOFTLBR_UOP_MERGE; }),
            16u);
}

TEST_F(OracleItself, DetectsStaleFlags) {
  EXPECT_GT(
      Count(CaseOutcome::kMismatch, kAddEaxEbx, false,
            [](softlbr_block* b) { Find(b, SOFTLBR_OP_ADD)->flags &= static_cast<uint16_t>(~SOFTLBR_UOP_SET_FLAGS); }),
      32u);
}

TEST_F(OracleItself, DetectsALostStore) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, kPushRbx, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_STORE)->op = SOFTLBR_OP_NOP; }),
            32u);
}

TEST_F(OracleItself, DetectsAStoreToTheWrongAddress) {
  EXPECT_GT(
      Count(CaseOutcome::kMismatch, kMovRsiRbx, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_STORE)->imm += 8; }),
      32u);
}

TEST_F(OracleItself, DetectsATooWideStore) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, {0x89, 0x1e}, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_STORE)->width = 8; }),
            32u);
}

TEST_F(OracleItself, DetectsAVectorNotZeroedAbove) {
  if (runner_->native().vector_level() == VectorLevel::kSse) GTEST_SKIP() << "needs AVX";
  EXPECT_GT(Count(CaseOutcome::kMismatch, kVpaddb, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_VZERO_ABOVE)->op = SOFTLBR_OP_NOP; }),
            16u);
}

TEST_F(OracleItself, DetectsAWrongRegister) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, kPaddb, false, [](softlbr_block* b) { Find(b, SOFTLBR_OP_VADD)->dst += 8; }),
            32u);
}

TEST_F(OracleItself, DetectsAWrongTarget) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, kJz, false, [](softlbr_block* b) { b->end.disp += 1; }), 8u);
}

TEST_F(OracleItself, DetectsAWrongCondition) {
  EXPECT_EQ(Count(CaseOutcome::kMismatch, kJz, false, [](softlbr_block* b) { b->end.condition ^= 1; }), 64u);
}

TEST_F(OracleItself, DetectsAMissedDivideError) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, kDivRbx, false,
                  [](softlbr_block* b) {
                    Find(b, SOFTLBR_OP_DIV)->op = SOFTLBR_OP_NOP;
                    for (uint32_t i = 0; i < b->uop_count; ++i) {
                      if (b->uops[i].op == SOFTLBR_OP_REM) b->uops[i].op = SOFTLBR_OP_NOP;
                    }
                  }),
            16u);
}

// Cases with another rounding mode do not count, because floating point may be UNKNOWN there.
TEST_F(OracleItself, DetectsNeedlessUnknowns) {
  EXPECT_GT(Count(CaseOutcome::kUnknown, kPaddb, false,
                  [](softlbr_block* b) { Find(b, SOFTLBR_OP_VADD)->op = SOFTLBR_OP_UNKNOWN; }),
            48u);
  EXPECT_GT(Count(CaseOutcome::kUnknown, kJz, false, [](softlbr_block* b) { b->end.condition = SOFTLBR_COND_UNKNOWN; }),
            48u);
}

// UNKNOWN inputs have garbage under them: a result that uses it and is marked known is detected.
TEST_F(OracleItself, DetectsAResultThatIgnoresItsInputs) {
  EXPECT_GT(Count(CaseOutcome::kMismatch, kAddEaxEbx, true,
                  [](softlbr_block* b) {
                    softlbr_uop* uop = Find(b, SOFTLBR_OP_ADD);
                    uop->op = SOFTLBR_OP_CONST;
                    uop->imm = 42;
                  }),
            32u);
}

// A shorter length leaves bytes that run as code; a longer one swallows the jump behind the instruction.
TEST_F(OracleItself, RejectsAWrongLength) {
  Fault fault = [](softlbr_block* b) { b->byte_length -= 1; };
  g_fault = &fault;
  const uint8_t code[] = {0x01, 0xd8};
  const bool is_prepared = runner_->Prepare(code, sizeof(code));
  g_fault = nullptr;
  EXPECT_FALSE(is_prepared);
}

}  // namespace
}  // namespace softlbr::oracle
