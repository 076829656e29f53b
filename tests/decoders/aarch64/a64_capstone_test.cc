// Compares with Capstone, over random words: which words are instructions and where branches go.
//
// Capstone 4.0.2 knows ARMv8.0 and a few extensions. A word that only Capstone knows must be privileged; a word that
// only we know must be of a kind listed here. Branches must agree in kind and target.
#include <capstone/capstone.h>

#include <cstdio>
#include <map>
#include <string>

#include "tests/decoders/aarch64/a64_explained.h"
#include "tests/decoders/aarch64/a64_plugin_fixture.h"
#include "tests/decoders/oracle/random.h"

namespace softlbr {
namespace {

constexpr uint32_t kRandomWords = 300000;
constexpr uint32_t kRandomBranches = 100000;

struct Kind {
  uint32_t mask;
  uint32_t value;
  const char* why;
};
// In the order of the encoding space.
constexpr Kind kUnknownToCapstone[] = {
    {0xffff0000, 0x00000000, "udf"},
    {0x9e000000, 0x80000000, "SME"},
    {0x1e000000, 0x04000000, "SVE"},
    {0x3f000000, 0x08000000, "CAS, limited ordering; exclusives with ones that should be"},
    {0xbf000000, 0x0d000000, "ldap1, stl1"},
    {0x1f800000, 0x11800000, "tags and extremes"},
    {0xffc00000, 0xf3800000, "autiasppc"},
    {0x3b000000, 0x19000000, "RCpc, tags in memory, memory copies, 128-bit atomics"},
    {0x1fe00000, 0x1a000000, "addpt, rmif, setf"},
    {0x1fe00000, 0x1ac00000, "tags, authentication, extremes, counts"},
    {0x1fe00000, 0x1b600000, "maddpt"},
    {0x7ec00000, 0x1ec00000, "half precision"},
    {0x7fe07c00, 0x1e204000, "frint32z and its kin, bfcvt"},
    {0x7fa07c00, 0x1e204000, "the same"},
    {0x3a000000, 0x28000000, "pairs with registers the architecture warns of; stgp"},
    {0x3b200000, 0x38000000, "a base that is transferred and moved"},
    {0x3f200c00, 0x38200000, "LSE"},
    {0xff200400, 0xf8200400, "ldraa"},
    {0xff000010, 0x54000010, "bc.cond"},
    {0xff000000, 0x55000000, "retaasppc"},
    {0xfe000000, 0xd6000000, "authenticated branches"},
    {0xff000000, 0xce000000, "SHA-512, SHA-3, SM3, SM4"},
    {0x8e200400, 0x0e000400, "SIMD with bit 21 clear: half precision, dot and matrix products"},
    {0x8f7e0c00, 0x0e780800, "SIMD, half precision, two registers"},
    {0x8f7e0c00, 0x0e300800, "SIMD, half precision, across"},
    {0x8f200c00, 0x0e200800, "SIMD, two registers: frint32z, 8-bit floats"},
    {0x8f200400, 0x0e200400, "SIMD, three registers: products of halves, famax"},
    {0x9fa08c00, 0x0e808000, "SIMD, look-up"},
    {0x9f208400, 0x0e000000, "SIMD, luti2, luti4"},
    {0x8f000400, 0x0f000000, "SIMD by element: half precision, dot products"},
    {0x8f800400, 0x0f000400, "SIMD shifts: half precision"},
};

const Kind* WhyUnknown(uint32_t word) {
  for (const Kind& kind : kUnknownToCapstone) {
    if ((word & kind.mask) == kind.value) return &kind;
  }
  return nullptr;
}

class A64Capstone : public test::A64PluginTest {
 protected:
  A64Capstone() {
    EXPECT_EQ(cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &handle_), CS_ERR_OK);
    EXPECT_EQ(cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
    instruction_ = cs_malloc(handle_);
  }
  ~A64Capstone() override {
    cs_free(instruction_, 1);
    cs_close(&handle_);
  }

  bool Disassemble(uint32_t word) {
    const auto* code = reinterpret_cast<const uint8_t*>(&word);
    size_t size = sizeof(word);
    uint64_t address = test::kA64Pc;
    return cs_disasm_iter(handle_, &code, &size, &address, instruction_);
  }
  std::string Text() const { return std::string(instruction_->mnemonic) + " " + instruction_->op_str; }
  std::string Mnemonic() const { return instruction_->mnemonic; }
  // The last immediate operand, which is a branch's target.
  uint64_t Target() const {
    const cs_arm64& detail = instruction_->detail->arm64;
    uint64_t target = 0;
    for (uint8_t i = 0; i < detail.op_count; ++i) {
      if (detail.operands[i].type == ARM64_OP_IMM) target = static_cast<uint64_t>(detail.operands[i].imm);
    }
    return target;
  }
  // The terminator kind of Capstone's mnemonic; FALLTHROUGH if it is not a branch.
  uint8_t EndKind() const {
    const std::string name = Mnemonic();
    if (name == "b") return SOFTLBR_END_JUMP;
    if (name == "bl") return SOFTLBR_END_CALL;
    if (name == "br" || name == "braa" || name == "brab" || name == "braaz" || name == "brabz")
      return SOFTLBR_END_INDIRECT_JUMP;
    if (name == "blr" || name == "blraa" || name == "blrab" || name == "blraaz" || name == "blrabz")
      return SOFTLBR_END_INDIRECT_CALL;
    if (name == "ret" || name == "retaa" || name == "retab") return SOFTLBR_END_RETURN;
    if (name == "b.al" || name == "b.nv") return SOFTLBR_END_JUMP;
    if (name.rfind("b.", 0) == 0 || name == "cbz" || name == "cbnz" || name == "tbz" || name == "tbnz")
      return SOFTLBR_END_CONDITIONAL;
    if (name == "svc") return SOFTLBR_END_SYSCALL;
    if (name == "brk" || name == "hlt") return SOFTLBR_END_TRAP;
    return SOFTLBR_END_FALLTHROUGH;
  }

  // Adds failures; counts the words by outcome.
  void Compare(uint32_t word, std::map<std::string, uint32_t>* counts) {
    const bool is_known = Lift({word}).instruction_count == 1;
    const bool is_theirs = Disassemble(word);
    if (is_known && is_theirs) {
      ++(*counts)["both"];
      const uint8_t kind = EndKind();
      EXPECT_EQ(block_.end.kind, kind) << Text();
      const bool is_direct = kind == SOFTLBR_END_JUMP || kind == SOFTLBR_END_CALL || kind == SOFTLBR_END_CONDITIONAL;
      if (!is_direct) return;
      ++(*counts)["direct branches"];
      EXPECT_EQ(block_.end.base, SOFTLBR_REG_BLOCK);
      EXPECT_EQ(test::kA64Pc + static_cast<uint64_t>(block_.end.disp), Target()) << Text();
      return;
    }
    if (!is_known && !is_theirs) {
      ++(*counts)["neither"];
    } else if (is_known) {
      const Kind* kind = WhyUnknown(word);
      ++(*counts)["ours only"];
      EXPECT_NE(kind, nullptr) << std::hex << word << " is unknown to Capstone";
    } else {
      ++(*counts)["privileged"];
      EXPECT_TRUE(oracle::IsPrivileged(word)) << std::hex << word << " " << Text();
    }
  }
  static void Print(const std::map<std::string, uint32_t>& counts) {
    for (const auto& [name, count] : counts) printf("%s %u  ", name.c_str(), count);
    printf("\n");
  }

  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

TEST_F(A64Capstone, AgreesOnRandomWords) {
  oracle::Random random(20240301);
  std::map<std::string, uint32_t> counts;
  for (uint32_t i = 0; i < kRandomWords && !HasFailure(); ++i) Compare(static_cast<uint32_t>(random.Next()), &counts);
  Print(counts);
  EXPECT_GT(counts["both"], kRandomWords / 4);
}

TEST_F(A64Capstone, AgreesOnBranches) {
  oracle::Random random(20240302);
  std::map<std::string, uint32_t> counts;
  for (uint32_t i = 0; i < kRandomBranches && !HasFailure(); ++i) {
    auto word = static_cast<uint32_t>(random.Next());
    if (random.OneIn(8)) {  // most bits of indirect branches are fixed
      word = 0xd61f0000 | (word & 0x00600fff);
    } else {
      word = (word & ~0x1c000000u) | 0x14000000;
    }
    Compare(word, &counts);
  }
  Print(counts);
  EXPECT_GT(counts["direct branches"], kRandomBranches / 3);
}

}  // namespace
}  // namespace softlbr
