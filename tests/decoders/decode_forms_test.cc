// Compares the decoder's lengths and displacements with the assembler's, over forms/*.S; cuts windows short in front of
// a guard page.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "decoders/x86_64/decode/instruction.h"
#include "tests/decoders/forms/forms.h"

namespace softlbr::x86 {
namespace {

using test::AllForms;
using test::Describe;
using test::Form;

// A page followed by a page that faults.
class GuardedPage {
 public:
  GuardedPage() : bytes_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    void* area = mmap(nullptr, 2 * bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page_ = static_cast<uint8_t*>(area);
    if (area == MAP_FAILED || mprotect(page_ + bytes_, bytes_, PROT_NONE) != 0) page_ = nullptr;
  }
  ~GuardedPage() {
    if (page_ != nullptr) munmap(page_, 2 * bytes_);
  }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;

  bool IsReady() const { return page_ != nullptr; }
  // Copies the bytes so that the last one is the last readable byte.
  const uint8_t* Put(const uint8_t* code, size_t size) {
    uint8_t* at = page_ + bytes_ - size;
    std::memcpy(at, code, size);
    return at;
  }

 private:
  size_t bytes_;
  uint8_t* page_ = nullptr;
};

// Reports the first few failures and counts the others.
class Failures {
 public:
  void Add(const std::string& text) {
    if (count_++ < 30) ADD_FAILURE() << text;
  }
  size_t count() const { return count_; }

 private:
  size_t count_ = 0;
};

constexpr uint8_t kCpus[] = {kUnknownCpu, kIntel, kAmd};

TEST(DecodeForms, ListIsComplete) { EXPECT_GT(AllForms().size(), 40000u); }

TEST(DecodeForms, LengthMatchesTheAssembler) {
  Failures failures;
  for (const Form& form : AllForms()) {
    uint8_t window[32];
    std::memset(window, 0xcc, sizeof(window));
    std::memcpy(window, form.code, form.length);
    Instruction in;
    const DecodeResult result = Decode(window, sizeof(window), kIntel, &in);
    if (result != DecodeResult::kOk) {
      failures.Add("unknown: " + Describe(form));
    } else if (in.length != form.length) {
      failures.Add("length " + std::to_string(in.length) + ": " + Describe(form));
    }
  }
  EXPECT_EQ(failures.count(), 0u);
}

// Long and short windows use different decoding paths (decode.cc), which must agree in every field.
void ExpectSameInBothWays(const uint8_t* window, uint8_t cpu, Failures* failures, const std::string& what) {
  Instruction with_long;
  Instruction with_short;
  const DecodeResult long_result = Decode(window, 32, cpu, &with_long);
  const DecodeResult short_result = Decode(window, kMaxInstructionBytes, cpu, &with_short);
  if (long_result != short_result) {
    failures->Add("results differ: " + what);
  } else if (long_result == DecodeResult::kOk && std::memcmp(&with_long, &with_short, sizeof(Instruction)) != 0) {
    failures->Add("fields differ: " + what);
  }
}

TEST(DecodeForms, LongAndShortWindowsAgree) {
  Failures failures;
  for (const Form& form : AllForms()) {
    uint8_t window[32] = {};
    std::memcpy(window, form.code, form.length);
    for (const uint8_t cpu : kCpus) ExpectSameInBothWays(window, cpu, &failures, Describe(form));
  }
  EXPECT_EQ(failures.count(), 0u);
}

TEST(Decode, LongAndShortWindowsAgreeOnRandomBytes) {
  Failures failures;
  uint64_t state = 20241120;
  const auto next = [&state] {  // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  };
  for (int i = 0; i < 3000000; ++i) {
    uint8_t window[32];
    for (int j = 0; j < 4; ++j) {
      const uint64_t word = next();
      std::memcpy(window + 8 * j, &word, 8);
    }
    if (i & 1) window[0] = static_cast<uint8_t>(0x40 | (window[0] & 15));
    if (i & 2) window[i & 1] = 0x0f;
    if (i % 16 < 4) window[0] = 0x66;
    ExpectSameInBothWays(window, kCpus[i % 3], &failures, std::to_string(i));
  }
  EXPECT_EQ(failures.count(), 0u);
}

TEST(DecodeForms, DisplacementMatchesTheAssembler) {
  Failures failures;
  size_t checked = 0;
  for (const Form& form : AllForms()) {
    if (!form.has_disp) continue;
    Instruction in;
    ASSERT_EQ(Decode(form.code, form.length, kIntel, &in), DecodeResult::kOk) << Describe(form);
    ++checked;
    if (!in.IsMemory() || !in.is_disp_exact || in.disp != form.disp)
      failures.Add("displacement " + std::to_string(in.disp) + ": " + Describe(form));
  }
  EXPECT_GT(checked, 40000u);
  EXPECT_EQ(failures.count(), 0u);
}

TEST(DecodeForms, CutWindowIsTruncatedAndNotOverread) {
  GuardedPage page;
  ASSERT_TRUE(page.IsReady());
  Failures failures;
  for (const Form& form : AllForms()) {
    for (uint32_t size = 0; size < form.length; ++size) {
      Instruction in;
      const DecodeResult result = Decode(page.Put(form.code, size), size, kIntel, &in);
      if (result != DecodeResult::kTruncated)
        failures.Add("not truncated at " + std::to_string(size) + ": " + Describe(form));
    }
    Instruction in;
    if (Decode(page.Put(form.code, form.length), form.length, kIntel, &in) != DecodeResult::kOk ||
        in.length != form.length)
      failures.Add("not known with its last byte at the window's end: " + Describe(form));
  }
  EXPECT_EQ(failures.count(), 0u);
}

TEST(Decode, FifteenBytesAreTheMaximum) {
  // 66 ... 66 nopw 0x0(%rax,%rax,1): eight opcode bytes and 7 or 8 prefixes.
  uint8_t code[16];
  std::memset(code, 0x66, sizeof(code));
  const uint8_t nop[] = {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00};
  std::memcpy(code + 7, nop, sizeof(nop));
  Instruction in;
  ASSERT_EQ(Decode(code, 15, kIntel, &in), DecodeResult::kOk);
  EXPECT_EQ(in.length, 15);
  std::memset(code, 0x66, sizeof(code));
  std::memcpy(code + 8, nop, sizeof(nop));
  EXPECT_EQ(Decode(code, 16, kIntel, &in), DecodeResult::kUnknown);
  std::memset(code, 0x66, sizeof(code));
  EXPECT_EQ(Decode(code, 16, kIntel, &in), DecodeResult::kUnknown);
}

TEST(Decode, InvalidIn64BitModeIsUnknown) {
  const std::initializer_list<std::initializer_list<uint8_t>> codes = {
      {0x06},
      {0x07},
      {0x27},
      {0x37},
      {0x60},
      {0x82, 0xc0, 0x01},
      {0x9a, 0, 0, 0, 0, 0, 0},
      {0xea, 0, 0, 0, 0, 0, 0},
      {0xce},
      {0xd4, 0x0a},
      {0xd6},
      {0xd5, 0x0a},
      {0x8d, 0xc0},                          // lea with a register operand
      {0x8f, 0xe8, 0x78, 0xc2, 0xec, 0x0e},  // XOP
      {0xff, 0xf8},
      {0xff, 0xd8},  // group 5 /7, far call with a register
      {0x0f, 0x04},
      {0x0f, 0x24},
      {0x0f, 0xa6, 0xc0},
      {0x0f, 0xb8, 0xc0},
      {0x0f, 0xba, 0xc0, 0x01},
      {0x48, 0xc5, 0xf8, 0x58, 0xc1},              // REX before VEX
      {0x66, 0xc5, 0xf8, 0x58, 0xc1},              // 66 before VEX
      {0xf0, 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1},  // LOCK before EVEX
      {0x62, 0xf9, 0x7c, 0x48, 0x58, 0xc1},        // EVEX: reserved bit set
      {0x62, 0xf1, 0x78, 0x48, 0x58, 0xc1},        // EVEX: fixed bit clear
      {0x62, 0xf1, 0x7c, 0x68, 0x58, 0xc1},        // EVEX: length 3 without rounding
      {0x62, 0xf4, 0x7c, 0x48, 0x58, 0xc1},        // EVEX map 4
      {0xc4, 0xe0, 0x78, 0x58, 0xc1},              // VEX map 0
      {0x0f, 0x0f, 0xc1, 0x00},                    // 3DNow! suffix that does not exist
      {0xf3, 0x0f, 0x01, 0xc8},                    // monitor with a prefix
  };
  for (const auto& code : codes) {
    uint8_t window[16] = {};
    std::copy(code.begin(), code.end(), window);
    Instruction in;
    EXPECT_EQ(Decode(window, sizeof(window), kIntel, &in), DecodeResult::kUnknown)
        << std::hex << int{window[0]} << ' ' << int{window[1]} << ' ' << int{window[2]};
  }
}

TEST(Decode, RexCountsOnlyDirectlyBeforeTheOpcode) {
  const uint8_t code[] = {0x48, 0x66, 0x05, 0x34, 0x12};  // rex.W has no effect: add $0x1234, %ax
  Instruction in;
  ASSERT_EQ(Decode(code, sizeof(code), kIntel, &in), DecodeResult::kOk);
  EXPECT_EQ(in.length, 5);
  EXPECT_EQ(in.operand_bytes, 2);
}

TEST(Decode, MemoryOperandsAreDecoded) {
  const uint8_t code[] = {0x65, 0x4a, 0x8b, 0x84, 0xa5, 0x78, 0x56, 0x34, 0x12};  // mov gs:0x12345678(%rbp,%r12,4),%rax
  Instruction in;
  ASSERT_EQ(Decode(code, sizeof(code), kIntel, &in), DecodeResult::kOk);
  EXPECT_EQ(in.base, SOFTLBR_X86_RBP);
  EXPECT_EQ(in.index, GprSlot(12));
  EXPECT_EQ(in.scale, 2);
  EXPECT_EQ(in.disp, 0x12345678);
  EXPECT_EQ(in.segment, Segment::kGs);
  const uint8_t absolute[] = {0x8b, 0x04, 0x25, 0x00, 0x00, 0x00, 0x80};  // mov 0xffffffff80000000,%eax
  ASSERT_EQ(Decode(absolute, sizeof(absolute), kIntel, &in), DecodeResult::kOk);
  EXPECT_EQ(in.base, SOFTLBR_REG_ZERO);
  EXPECT_EQ(in.index, SOFTLBR_REG_ZERO);
  EXPECT_EQ(in.disp, INT32_MIN);
  const uint8_t no_index[] = {0x41, 0x8b, 0x44, 0x24, 0x7f};  // mov 0x7f(%r12),%eax
  ASSERT_EQ(Decode(no_index, sizeof(no_index), kIntel, &in), DecodeResult::kOk);
  EXPECT_EQ(in.base, GprSlot(12));
  EXPECT_EQ(in.index, SOFTLBR_REG_ZERO);
  const uint8_t relative[] = {0x49, 0x8b, 0x05, 0xfc, 0xff, 0xff, 0xff};  // mov -4(%rip),%rax: REX.B has no effect
  ASSERT_EQ(Decode(relative, sizeof(relative), kIntel, &in), DecodeResult::kOk);
  EXPECT_TRUE(in.IsRipRelative());
  EXPECT_EQ(in.disp, -4);
}

}  // namespace
}  // namespace softlbr::x86
