// Compares our lengths with Capstone's over real programs, and lists the errors of Capstone 4.0.2.
//
// Our decoder walks every instruction of .text; Capstone decodes at each offset where ours stops. If both decode, the
// lengths must agree. If only one does, it must be for a known reason.
//
// Explained disagreements: 66 before near branches (the vendors' processors differ; decode.cc describes our choice),
// and ud0 and ud1, whose modrm byte Capstone omits. None of these occurs in code.
#include <capstone/capstone.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "decoders/x86_64/decode/instruction.h"
#include "tests/decoders/elf_text.h"

namespace softlbr::x86 {
namespace {

class Capstone {
 public:
  Capstone() {
    EXPECT_EQ(cs_open(CS_ARCH_X86, CS_MODE_64, &handle_), CS_ERR_OK);
    insn_ = cs_malloc(handle_);
  }
  ~Capstone() {
    cs_free(insn_, 1);
    cs_close(&handle_);
  }
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;

  uint32_t Length(const uint8_t* code, size_t size) {
    uint64_t address = 0;
    return cs_disasm_iter(handle_, &code, &size, &address, insn_) ? insn_->size : 0;
  }
  std::string Mnemonic() const { return insn_->mnemonic; }

 private:
  csh handle_ = 0;
  cs_insn* insn_ = nullptr;
};

// Forms that compilers and glibc emit but Capstone 4.0.2 does not decode.
bool IsKnownGap(const Instruction& in) {
  const uint32_t op = in.opcode;
  if (in.encoding == Encoding::kEvex) return true;  // compares into masks, tests, vpternlog, BF16, FP16, ...
  if (in.encoding == Encoding::kVex) {
    if (in.map == Map::k0F) return (op >= 0x41 && op <= 0x4b) || (op >= 0x90 && op <= 0x99);  // masks
    return true;  // vbroadcasti128, 256-bit vaes and vpclmulqdq, AVX-VNNI, GFNI, ...
  }
  if (in.map == Map::k0F) return op == 0x01 || op == 0x1e || op == 0xae || op == 0xc7;  // pku, rdssp, incssp, ...
  if (in.map == Map::k0F38) return op == 0xf5 || op == 0xf6 || op == 0xf8 || op == 0xf9 || op == 0xcf;
  return in.map == Map::k0F3A && (op == 0xce || op == 0xcf);
}

struct Walk {
  uint64_t instructions = 0;
  uint64_t unknown_to_us = 0;  // Capstone decodes, we do not
  uint64_t unknown_to_capstone = 0;
  uint64_t unexplained = 0;  // of these
  uint64_t lengths_differ = 0;
  std::string first;
};

Walk WalkFile(const std::string& path) {
  Walk walk;
  const test::CodeSection text = test::ReadText(path);
  Capstone capstone;
  size_t at = 0;
  while (at < text.bytes.size()) {
    const uint8_t* code = text.bytes.data() + at;
    const size_t size = text.bytes.size() - at;
    Instruction in;
    const uint32_t ours = Decode(code, size, kIntel, &in) == DecodeResult::kOk ? in.length : 0;
    const uint32_t theirs = capstone.Length(code, size);
    ++walk.instructions;
    bool is_bad = false;
    if (ours == 0 && theirs != 0) ++walk.unknown_to_us, is_bad = true;
    if (ours != 0 && theirs != 0 && ours != theirs) ++walk.lengths_differ, is_bad = true;
    if (ours != 0 && theirs == 0) {
      ++walk.unknown_to_capstone;
      if (!IsKnownGap(in)) ++walk.unexplained, is_bad = true;
    }
    if (is_bad && walk.first.empty())
      walk.first = std::to_string(text.address + at) + ": ours " + std::to_string(ours) + ", Capstone " +
                   std::to_string(theirs) + " " + (theirs != 0 ? capstone.Mnemonic() : std::string());
    at += ours != 0 ? ours : 1;
  }
  return walk;
}

class CapstoneAgreement : public ::testing::TestWithParam<const char*> {};

TEST_P(CapstoneAgreement, EveryInstructionOfTheFile) {
  const Walk walk = WalkFile(GetParam());
  if (walk.instructions == 0) GTEST_SKIP() << "missing file: " << GetParam();
  EXPECT_GT(walk.instructions, 1000u);
  EXPECT_EQ(walk.lengths_differ, 0u) << walk.first;
  EXPECT_EQ(walk.unknown_to_us, 0u) << walk.first;
  EXPECT_EQ(walk.unexplained, 0u) << walk.first;
  RecordProperty("instructions", std::to_string(walk.instructions));
  RecordProperty("unknown_to_capstone", std::to_string(walk.unknown_to_capstone));
}

// Files whose .text contains only code. A file missing on this machine is skipped by name.
INSTANTIATE_TEST_SUITE_P(Files, CapstoneAgreement,
                         ::testing::Values("/usr/bin/perl", "/lib/x86_64-linux-gnu/libc.so.6",
                                           "/lib64/ld-linux-x86-64.so.2", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
                                           "/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/python3",
                                           "/usr/bin/x86_64-linux-gnu-ld.bfd"));

// libcrypto has tables inside .text, so both decoders walk through data. Where both decode an instruction they must
// agree, except for the encodings listed. Capstone decodes like AMD processors: 66 shortens a near branch's
// displacement.
TEST(CapstoneAgreementInData, LengthsDifferOnlyWhereProcessorsRejectOrDisagree) {
  const test::CodeSection text = test::ReadText("/lib/x86_64-linux-gnu/libcrypto.so.3");
  if (text.bytes.empty()) GTEST_SKIP() << "missing file: libcrypto.so.3";
  Capstone capstone;
  std::map<std::string, int> differing;
  int both = 0;
  for (size_t at = 0; at + 16 < text.bytes.size(); ++at) {  // every offset: decodes data as well as code
    Instruction in;
    const uint8_t* code = text.bytes.data() + at;
    if (Decode(code, 16, kAmd, &in) != DecodeResult::kOk) continue;
    const uint32_t theirs = capstone.Length(code, 16);
    if (theirs == 0) continue;
    ++both;
    // By the manuals ud1 has a modrm byte; Capstone omits it. ud1 traps, so the length does not matter.
    const bool is_undefined = in.encoding == Encoding::kLegacy && in.map == Map::k0F && in.opcode == 0xb9;
    if (in.length != theirs && !is_undefined) {
      char bytes[64];
      snprintf(bytes, sizeof(bytes), "%02x %02x %02x %02x %02x", code[0], code[1], code[2], code[3], code[4]);
      if (differing[capstone.Mnemonic()]++ == 0)
        ADD_FAILURE() << capstone.Mnemonic() << " " << bytes << " ours " << int{in.length} << " Capstone " << theirs;
    }
  }
  EXPECT_GT(both, 1000000);
}

// Why Capstone alone is not trusted. If a line fails here, a newer Capstone has fixed it.
TEST(CapstoneErrors, MatchTheList) {
  Capstone capstone;
  const auto mnemonic = [&](std::initializer_list<uint8_t> code) {
    return capstone.Length(code.begin(), code.size()) != 0 ? capstone.Mnemonic() : std::string("unknown");
  };
  EXPECT_EQ(mnemonic({0xf3, 0x0f, 0xae, 0xe8}), "lfence");                     // incssp %eax
  EXPECT_EQ(mnemonic({0x66, 0x0f, 0xae, 0xf0}), "mfence");                     // tpause %eax
  EXPECT_EQ(mnemonic({0xf3, 0x0f, 0xc7, 0xf8}), "rdseed");                     // rdpid %rax
  EXPECT_EQ(mnemonic({0xc4, 0xe1, 0xfb, 0x93, 0xc0}), "unknown");              // kmovq %k0,%rax
  EXPECT_EQ(mnemonic({0xc4, 0xe1, 0xf8, 0x98, 0xc0}), "unknown");              // kortestq %k0,%k0
  EXPECT_EQ(mnemonic({0x62, 0xf3, 0x7d, 0x48, 0x3f, 0xc2, 0x00}), "unknown");  // vpcmpeqb into %k0
  EXPECT_EQ(mnemonic({0xc4, 0xe2, 0x7d, 0x5a, 0x1a}), "unknown");              // vbroadcasti128 (%rdx),%ymm3
}

}  // namespace
}  // namespace softlbr::x86
