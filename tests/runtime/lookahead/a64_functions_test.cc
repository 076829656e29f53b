// Whole A64 functions, lifted by the plugin and evaluated, compared with Unicorn's final state: every register and
// every byte.
#include <elf.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unicorn/unicorn.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "decoders/aarch64/plugin_aarch64.h"
#include "platform/base/elf_machine.h"
#include "platform/base/registers_aarch64.h"
#include "runtime/blocks/block_check.h"
#include "runtime/lookahead/evaluator.h"
#include "runtime/lookahead/memory/shadow_memory.h"
#include "tests/fake/safe_read_fake.h"

namespace softlbr::lookahead_test {
namespace {

constexpr uint64_t kDataBytes = 65536;
constexpr uint64_t kReturn = 0x7ff000;  // unmapped
constexpr uint64_t kMostBlocks = 1000000;
constexpr uint64_t kImageBytes = 1 << 20;

class A64Functions : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ifstream file(SOFTLBR_A64_FUNCTIONS, std::ios::binary);
    image_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  void SetUp() override {
    if (image_.size() < sizeof(Elf64_Ehdr)) GTEST_SKIP() << "needs aarch64-linux-gnu-gcc at build time";
    ASSERT_TRUE(LoadImage());
    data_ =
        static_cast<uint8_t*>(mmap(nullptr, kDataBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    fake::ForgetReadable();
    fake::AllowReading(code_, kImageBytes);
    fake::AllowReading(data_, kDataBytes);
    plugin_ = softlbr_decoder_plugin_aarch64();
    ASSERT_EQ(plugin_->open(arena_, sizeof arena_, SOFTLBR_DECODER_VARIANT_HOST, &decoder_), SOFTLBR_DECODER_OK);
    ASSERT_EQ(uc_open(UC_ARCH_ARM64, UC_MODE_ARM, &emulator_), UC_ERR_OK);
    uc_ctl_set_cpu_model(emulator_, UC_CPU_ARM64_MAX);
    ASSERT_EQ(uc_mem_map(emulator_, Code(), kImageBytes, UC_PROT_READ | UC_PROT_EXEC), UC_ERR_OK);
    ASSERT_EQ(uc_mem_write(emulator_, Code(), code_, kImageBytes), UC_ERR_OK);
    ASSERT_EQ(uc_mem_map(emulator_, Data(), kDataBytes, UC_PROT_READ | UC_PROT_WRITE), UC_ERR_OK);
    InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, kMachineAarch64);
    random_.seed(1);
  }
  void TearDown() override {
    if (emulator_ != nullptr) uc_close(emulator_);
    if (code_ != nullptr) munmap(code_, kImageBytes);
    if (data_ != nullptr) munmap(data_, kDataBytes);
  }

  uint64_t Code() const { return reinterpret_cast<uint64_t>(code_); }
  uint64_t Data(uint64_t offset = 0) const { return reinterpret_cast<uint64_t>(data_) + offset; }

  // Maps the program at its link-time address and fills functions_.
  bool LoadImage() {
    const auto* header = reinterpret_cast<const Elf64_Ehdr*>(image_.data());
    const auto* segments = reinterpret_cast<const Elf64_Phdr*>(image_.data() + header->e_phoff);
    const uint64_t base = segments[0].p_vaddr & ~uint64_t{0xffff};
    void* got = mmap(reinterpret_cast<void*>(base), kImageBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != reinterpret_cast<void*>(base)) return false;
    code_ = static_cast<uint8_t*>(got);
    for (int i = 0; i < header->e_phnum; ++i) {
      if (segments[i].p_type != PT_LOAD || segments[i].p_vaddr + segments[i].p_memsz > base + kImageBytes) continue;
      std::memcpy(reinterpret_cast<void*>(segments[i].p_vaddr), image_.data() + segments[i].p_offset,
                  segments[i].p_filesz);
    }
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(image_.data() + header->e_shoff);
    for (int i = 0; i < header->e_shnum; ++i) {
      if (sections[i].sh_type != SHT_SYMTAB) continue;
      const auto* symbols = reinterpret_cast<const Elf64_Sym*>(image_.data() + sections[i].sh_offset);
      const char* names = image_.data() + sections[sections[i].sh_link].sh_offset;
      for (uint64_t k = 0; k < sections[i].sh_size / sizeof(Elf64_Sym); ++k)
        functions_[names + symbols[k].st_name] = symbols[k].st_value;
    }
    return true;
  }

  void FillText(uint64_t offset, uint64_t length) {
    for (uint64_t i = 0; i < length; ++i) data_[offset + i] = static_cast<uint8_t>('a' + random_() % 26);
    data_[offset + length] = 0;
  }

  // Evaluates the function until it returns, runs it in Unicorn and compares. may_be_unknown: results of atomics may be
  // UNKNOWN.
  void Check(const std::string& name, std::vector<uint64_t> arguments, bool may_be_unknown = false) {
    const auto function = functions_.find(name);
    ASSERT_NE(function, functions_.end()) << name;
    MachineContext& context = evaluator_->context;
    std::memset(static_cast<void*>(&context), 0, sizeof context);
    std::memset(context.known, kAllKnown, sizeof context.known);
    for (uint32_t i = 0; i < 31; ++i)
      context.regs[SOFTLBR_A64_X0 + i] = i < arguments.size() ? arguments[i] : random_();
    context.regs[SOFTLBR_A64_X30] = kReturn;
    context.regs[SOFTLBR_A64_SP] = context.sp = Data(kDataBytes - 4096);
    for (uint32_t r = 0; r < 32; ++r) {
      context.regs[SOFTLBR_REG_VECTOR + 8 * r] = random_() >> 3;
      context.regs[SOFTLBR_REG_VECTOR + 8 * r + 1] = random_() >> 3;
    }
    context.flags_known = SOFTLBR_FLAG_ALL;
    context.rounding_is_default = true;
    context.pc = function->second;
    for (int i = 0; i < 31; ++i) {
      const int id = i < 29 ? UC_ARM64_REG_X0 + i : i == 29 ? int{UC_ARM64_REG_X29} : int{UC_ARM64_REG_X30};
      uc_reg_write(emulator_, id, &context.regs[SOFTLBR_A64_X0 + i]);
    }
    uc_reg_write(emulator_, UC_ARM64_REG_SP, &context.sp);
    for (int r = 0; r < 32; ++r)
      uc_reg_write(emulator_, UC_ARM64_REG_Q0 + r, &context.regs[SOFTLBR_REG_VECTOR + 8 * r]);
    uc_mem_write(emulator_, Data(), data_, kDataBytes);

    AdoptTrueState(evaluator_.get());
    auto block = std::make_unique<softlbr_block>();
    uint64_t blocks = 0;
    while (context.pc != kReturn && ++blocks < kMostBlocks) {
      const uint64_t pc = context.pc;
      ASSERT_EQ(plugin_->lift(decoder_, reinterpret_cast<const uint8_t*>(pc), 256, pc, block.get()),
                SOFTLBR_DECODER_OK);
      ASSERT_TRUE(IsBlockWellFormed(*block, pc, 256));
      const BlockExit exit = RunBlock(evaluator_.get(), ViewOf(*block), 0);
      ASSERT_EQ(exit.outcome, BlockOutcome::kNext) << name << " at " << std::hex << exit.branch_pc;
    }
    ASSERT_LT(blocks, kMostBlocks);
    ASSERT_EQ(uc_emu_start(emulator_, function->second, kReturn, 0, 0), UC_ERR_OK) << name;
    Compare(name, may_be_unknown);
  }

  void Compare(const std::string& name, bool may_be_unknown) {
    const MachineContext& context = evaluator_->context;
    uint32_t unknown = 0;
    for (int i = 0; i < 32; ++i) {
      const int id = i < 29    ? UC_ARM64_REG_X0 + i
                     : i == 29 ? int{UC_ARM64_REG_X29}
                     : i == 30 ? int{UC_ARM64_REG_X30}
                               : int{UC_ARM64_REG_SP};
      uint64_t truth = 0;
      uc_reg_read(emulator_, id, &truth);
      if (context.known[SOFTLBR_A64_X0 + i] != kAllKnown) {
        ++unknown;
      } else {
        EXPECT_EQ(context.regs[SOFTLBR_A64_X0 + i], truth) << name << " x" << i;
      }
    }
    for (int r = 0; r < 32; ++r) {
      uint64_t truth[2] = {};
      uc_reg_read(emulator_, UC_ARM64_REG_Q0 + r, truth);
      for (int half = 0; half < 2; ++half) {
        const int slot = SOFTLBR_REG_VECTOR + 8 * r + half;
        if (context.known[slot] != kAllKnown) {
          ++unknown;
        } else {
          EXPECT_EQ(context.regs[slot], truth[half]) << name << " v" << r;
        }
      }
    }
    std::vector<uint8_t> truth(kDataBytes);
    uc_mem_read(emulator_, Data(), truth.data(), kDataBytes);
    for (uint64_t at = 0; at < kDataBytes; ++at) {
      Value value{};
      ASSERT_EQ(LoadMemory(&evaluator_->memory, Data(at), 1, &value), UopResult::kOk);
      if ((value.known & 1) == 0) {
        ++unknown;
      } else {
        ASSERT_EQ(value.bits & 0xff, truth[at]) << name << " data+" << at;
      }
    }
    const uint32_t most = may_be_unknown ? 40 : 0;
    EXPECT_LE(unknown, most) << name;
  }

  static inline std::vector<char> image_;
  alignas(64) uint8_t arena_[4096];
  const softlbr_decoder_plugin* plugin_ = nullptr;
  softlbr_decoder* decoder_ = nullptr;
  uc_engine* emulator_ = nullptr;
  std::unique_ptr<Evaluator> evaluator_ = std::make_unique<Evaluator>();
  std::map<std::string, uint64_t> functions_;
  uint8_t* code_ = nullptr;
  uint8_t* data_ = nullptr;
  std::mt19937_64 random_;
};

TEST_F(A64Functions, StringLengthAndCompare) {
  for (const uint64_t length : {0, 1, 7, 8, 9, 31, 100}) {
    for (const uint64_t offset : {64, 65, 71}) {
      FillText(offset, length);
      Check("a64_strlen", {Data(offset)});
      FillText(4096 + offset, length + 3);
      Check("a64_strcmp", {Data(offset), Data(4096 + offset)});
      std::memcpy(data_ + 4096 + offset, data_ + offset, length + 1);
      Check("a64_strcmp", {Data(offset), Data(4096 + offset)});
    }
  }
}

TEST_F(A64Functions, MemoryCopyAndFill) {
  for (const uint64_t bytes : {0, 1, 15, 16, 17, 100, 1000}) {
    FillText(100, 1200);
    Check("memcpy", {Data(8192 + 3), Data(101), bytes});
    Check("memset", {Data(8192 + 5), 0x5a, bytes});
  }
}

TEST_F(A64Functions, HashesAndChecksums) {
  FillText(0, 600);
  for (const uint64_t bytes : {0, 1, 5, 64, 333}) {
    Check("a64_hash", {Data(3), bytes});
    Check("a64_crc", {Data(3), bytes});
    Check("a64_switch", {Data(3), bytes});
  }
}

TEST_F(A64Functions, SortingFormattingRecursion) {
  for (int i = 0; i < 80; ++i) reinterpret_cast<int32_t*>(data_)[i] = static_cast<int32_t>(random_());
  Check("a64_sort", {Data(), 80});
  FillText(512, 20);
  for (const uint64_t number : {uint64_t{0}, uint64_t{12345}, ~uint64_t{0}, uint64_t{0x123456789abcdef}}) {
    Check("a64_format", {Data(4096), Data(512), number});
  }
  Check("a64_recursion", {12});
}

TEST_F(A64Functions, FloatingPoint) {
  for (const uint64_t count : {0, 1, 50, 123}) Check("a64_float", {Data(1024), count});
}

TEST_F(A64Functions, AtomicsLeaveOtherStateKnown) { Check("a64_atomic", {Data(256), 20}, true); }

}  // namespace
}  // namespace softlbr::lookahead_test
