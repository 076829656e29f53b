// Compares SVE forms, random sequences of them and random words of the SVE space with QEMU, for vectors of 16, 32 and
// 64 bytes.
//
// A program of ours runs the cases under qemu-aarch64 (scalable_machine.c). Each case is evaluated twice: with all of
// its state known, and with random bytes hidden. The page that loads and stores use has no mapped neighbours: an access
// that faults there must fault in the evaluator, and inactive lanes must not.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "decoders/aarch64/plugin_aarch64.h"
#include "platform/base/elf_machine.h"
#include "platform/base/registers_aarch64.h"
#include "runtime/lookahead/evaluator.h"
#include "tests/decoders/aarch64/scalable/scalable_case.h"
#include "tests/decoders/aarch64/scalable/scalable_forms.h"
#include "tests/decoders/oracle/failures.h"
#include "tests/decoders/oracle/random_values.h"
#include "tests/decoders/oracle/settings.h"

namespace softlbr::oracle {
namespace {

constexpr uint64_t kWindow = SCALABLE_PAGE_ADDRESS + SCALABLE_PAGE_BYTES - SCALABLE_WINDOW_BYTES;
constexpr uint8_t kNzcv = SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;
constexpr uint64_t kCasesPerForm = 50;
constexpr uint64_t kSequences = 1500;

uint8_t PackFlags(uint64_t nzcv) {
  return static_cast<uint8_t>((nzcv >> 29 & 1) * SOFTLBR_FLAG_C + (nzcv >> 30 & 1) * SOFTLBR_FLAG_Z +
                              (nzcv >> 31 & 1) * SOFTLBR_FLAG_S + (nzcv >> 28 & 1) * SOFTLBR_FLAG_V);
}

uint64_t BitsOf(uint8_t known) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < 8; ++i) bits |= (known >> i & 1) != 0 ? uint64_t{0xff} << (8 * i) : 0;
  return bits;
}

// True if a lane of 4 or 8 bytes is a NaN.
bool HasNan(uint64_t bits) {
  const bool is_wide = (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
  return is_wide || (bits & 0x7fffffff) > 0x7f800000 || (bits >> 32 & 0x7fffffff) > 0x7f800000;
}

struct Planned {
  const char* name;
  bool is_modelled;
  bool is_float;
};

class ScalableOracle : public ::testing::TestWithParam<uint32_t> {
 protected:
  static void SetUpTestSuite() {
    void* page = mmap(reinterpret_cast<void*>(SCALABLE_PAGE_ADDRESS), SCALABLE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
  }
  static void TearDownTestSuite() { munmap(reinterpret_cast<void*>(SCALABLE_PAGE_ADDRESS), SCALABLE_PAGE_BYTES); }

  void SetUp() override {
    if (access(SOFTLBR_SCALABLE_MACHINE, X_OK) != 0) GTEST_SKIP() << "missing: aarch64-linux-gnu-gcc";
    if (access("/usr/bin/qemu-aarch64", X_OK) != 0) GTEST_SKIP() << "missing: qemu-aarch64";
    plugin_ = softlbr_decoder_plugin_aarch64();
    ASSERT_EQ(plugin_->open(arena_, plugin_->arena_bytes, SOFTLBR_DECODER_VARIANT_HOST, &decoder_), SOFTLBR_DECODER_OK);
    InitEvaluator(evaluator_.get(), ResolvePolicy::kLookahead, kMachineAarch64);
  }

  // --- cases ---

  void FillPredicate(uint8_t (&predicate)[8], bool is_run) {
    uint64_t bits = random_.Next();
    if (is_run || random_.OneIn(3)) {
      const uint32_t run = random_.OneIn(3) ? length_ : random_.Below(length_ + 1);
      bits = run == 64 ? ~uint64_t{0} : (uint64_t{1} << run) - 1;
    } else if (random_.OneIn(8)) {
      bits = 0;
    }
    bits &= ~uint64_t{0} >> (64 - length_);
    std::memcpy(predicate, &bits, 8);
  }

  // Kept away from the page's end (RunMachine).
  static bool IsLoadOfStructures(uint32_t word) { return (word & 0xfe00c000) == 0xa400c000 && (word >> 21 & 3) != 0; }

  void Aim(uint32_t word, scalable_case* one) {
    // Sometimes up to the page's end and beyond, but with whole elements on either side (RunMachine).
    const bool is_near_end = random_.OneIn(2) && !IsLoadOfStructures(word);
    const uint64_t target_near_end = kWindow + 512 + 16 * random_.Below((SCALABLE_WINDOW_BYTES - 512 + 32) / 16);
    uint64_t target = is_near_end ? target_near_end : kWindow + 512 + random_.Below(512);
    const uint32_t rn = word >> 5 & 31;
    const uint32_t rm = word >> 16 & 31;
    if ((word & 0x9fc00000) == 0x85800000 && (word >> 29 & 3) != 1) {  // ldr, str of a whole register
      const int32_t times = static_cast<int32_t>(word << 10) >> 26;
      const uint64_t scale = (word >> 14 & 1) != 0 ? length_ : length_ / 8;
      target -= static_cast<uint64_t>(int64_t{times * 8 + static_cast<int32_t>(word >> 10 & 7)}) * scale;
    } else if (rm != 31 && (!is_near_end || !random_.OneIn(8))) {
      one->x[rm] = random_.Below(32);
    }
    (rn == 31 ? one->sp : one->x[rn]) = target;
  }

  void Plan(const Planned& planned, const uint32_t* words, uint32_t count) {
    scalable_case one = {};
    for (uint64_t& x : one.x) x = random_.OneIn(4) ? random_.Below(200) : pool_.Integer(&random_);
    one.sp = kWindow + 1024;
    one.nzcv = random_.Next() & 0xf0000000;
    for (auto& z : one.z) std::memcpy(z, pool_.Vector(&random_), sizeof z);
    if (random_.OneIn(2)) std::memcpy(one.z[random_.Below(8)], one.z[random_.Below(8)], 64);
    for (uint32_t p = 0; p < 17; ++p) FillPredicate(one.p[p], p == 16);
    pool_.FillBytes(&random_, one.window, sizeof one.window);
    std::memcpy(one.words, words, 4 * count);
    one.word_count = count;
    for (uint32_t i = 0; i < count; ++i) {
      if (words[i] >> 31 != 0) Aim(words[i], &one);
    }
    cases_.push_back(one);
    plan_.push_back(planned);
  }

  // Runs the cases from `first`. Returns how many were completed.
  size_t RunMachineFrom(size_t first) {
    char in[] = "/tmp/scalable-XXXXXX";
    const int file = mkstemp(in);
    if (file < 0) return 0;
    const std::string out = std::string(in) + ".out";
    FILE* stream = fdopen(file, "wb");
    (void)std::fwrite(&cases_[first], sizeof(scalable_case), cases_.size() - first, stream);
    std::fclose(stream);
    const std::string command = std::string("ulimit -c 0; /usr/bin/qemu-aarch64 -cpu max ") + SOFTLBR_SCALABLE_MACHINE +
                                " " + std::to_string(length_) + " <" + in + " >" + out + " 2>/dev/null";
    (void)!std::system(command.c_str());
    stream = std::fopen(out.c_str(), "rb");
    const size_t done =
        stream != nullptr ? std::fread(&results_[first], sizeof(scalable_case), cases_.size() - first, stream) : 0;
    if (stream != nullptr) std::fclose(stream);
    unlink(in);
    unlink(out.c_str());
    return done;
  }

  // QEMU 7.2 aborts on a load of an element that is half on an unmapped page: such cases are excluded.
  bool RunMachine() {
    results_.resize(cases_.size());
    for (size_t at = 0; at < cases_.size(); ++at) {
      at += RunMachineFrom(at);
      if (at >= cases_.size()) break;
      results_[at] = cases_[at];
      results_[at].outcome = SCALABLE_UNDEFINED;
      ++given_up_;
      if (given_up_ > 3 + cases_.size() / 500) return false;
    }
    return true;
  }

  // --- evaluation ---

  void Set(uint32_t slot, const void* value) {
    std::memcpy(&evaluator_->context.regs[slot], value, 8);
    evaluator_->context.known[slot] = kAllKnown;
  }

  void LoadContext(const scalable_case& one, bool is_partial) {
    MachineContext& context = evaluator_->context;
    std::memset(static_cast<void*>(&context), 0, sizeof context);
    for (uint32_t i = 0; i < 31; ++i) Set(SOFTLBR_A64_X0 + i, &one.x[i]);
    Set(SOFTLBR_A64_SP, &one.sp);
    const uint64_t length = length_;
    const uint64_t bytes = ~uint64_t{0} >> (64 - length_);
    Set(SOFTLBR_A64_SVE_LENGTH, &length);
    Set(SOFTLBR_A64_SVE_BYTES, &bytes);
    for (uint32_t p = 0; p < 17; ++p) Set(SOFTLBR_A64_P0 + p, one.p[p]);
    for (uint32_t r = 0; r < 32; ++r) {
      uint8_t z[64] = {};
      std::memcpy(z, one.z[r], length_);
      for (uint32_t i = 0; i < 8; ++i) Set(SOFTLBR_REG_VECTOR + 8 * r + i, z + 8 * i);
    }
    context.sp = one.sp;
    context.flags = PackFlags(one.nzcv);
    context.flags_known = kNzcv;
    context.rounding_is_default = true;
    AdoptTrueState(evaluator_.get());
    std::memcpy(reinterpret_cast<void*>(kWindow), one.window, sizeof one.window);
    if (!is_partial) return;
    const uint32_t one_in = 2 + random_.Below(20);
    for (uint32_t slot = SOFTLBR_REG_GENERAL; slot < SOFTLBR_REG_VECTOR_TEMP; ++slot) {
      if (context.known[slot] == 0 || !random_.OneIn(one_in)) continue;
      const uint8_t hidden = random_.OneIn(3) ? kAllKnown : static_cast<uint8_t>(random_.Next());
      context.known[slot] &= static_cast<uint8_t>(~hidden);
      context.regs[slot] ^= random_.Next() & BitsOf(hidden);
    }
    if (random_.OneIn(2)) {
      const auto hidden = static_cast<uint8_t>(random_.Below(64));
      SetExplicitFlags(&evaluator_->lazy, static_cast<uint8_t>(context.flags ^ (random_.Below(64) & hidden)),
                       static_cast<uint8_t>(context.flags_known & ~hidden));
    }
  }

  // Describes a wrong result, or one that is UNKNOWN although everything must be known; empty if there is none.
  std::string CheckBytes(const std::string& what, uint32_t slot, const uint8_t* truth, uint32_t bytes, bool must_know) {
    const MachineContext& context = evaluator_->context;
    uint64_t value = 0;
    std::memcpy(&value, truth, bytes);
    const uint64_t wanted = ~uint64_t{0} >> (64 - 8 * bytes);
    const uint64_t known = BitsOf(context.known[slot]) & wanted;
    char text[160] = "";
    if (((context.regs[slot] ^ value) & known) != 0 || (must_know && known != wanted)) {
      std::snprintf(text, sizeof text, "%s: true %016lx, evaluated %016lx, known bits %016lx", what.c_str(), value,
                    context.regs[slot], known);
    }
    return text;
  }

  std::string CheckRegisters(const scalable_case& after, bool must_know, bool is_float) {
    std::string wrong;
    auto check = [&](const std::string& what, uint32_t slot, const void* truth, uint32_t bytes) {
      uint64_t value = 0;
      std::memcpy(&value, truth, bytes);
      const bool is_excused = is_float && slot >= SOFTLBR_REG_VECTOR && HasNan(value);
      if (wrong.empty())
        wrong = CheckBytes(what, slot, static_cast<const uint8_t*>(truth), bytes, must_know && !is_excused);
    };
    for (uint32_t i = 0; i < 31; ++i) check("x" + std::to_string(i), SOFTLBR_A64_X0 + i, &after.x[i], 8);
    check("sp", SOFTLBR_A64_SP, &after.sp, 8);
    for (uint32_t p = 0; p < 17; ++p) {
      check("p" + std::to_string(p), SOFTLBR_A64_P0 + p, after.p[p], length_ / 8);
      if (must_know) check("above p" + std::to_string(p), SOFTLBR_A64_P0 + p, after.p[p], 8);
    }
    const uint64_t zero = 0;
    for (uint32_t r = 0; r < 32; ++r) {
      for (uint32_t i = 0; i < 8; ++i) {
        const bool is_real = 8 * i < length_;
        if (!is_real && !must_know) continue;
        check("z" + std::to_string(r) + ".d[" + std::to_string(i) + "]", SOFTLBR_REG_VECTOR + 8 * r + i,
              is_real ? static_cast<const void*>(after.z[r] + 8 * i) : &zero, 8);
      }
    }
    SettleContext(evaluator_.get());
    const MachineContext& context = evaluator_->context;
    const uint8_t known = context.flags_known & kNzcv;
    if (wrong.empty() && (((context.flags ^ PackFlags(after.nzcv)) & known) != 0 || (must_know && known != kNzcv))) {
      wrong = "flags: true " + std::to_string(PackFlags(after.nzcv)) + ", evaluated " + std::to_string(context.flags) +
              ", known " + std::to_string(known);
    }
    return wrong;
  }

  std::string CheckMemory(const scalable_case& before, const scalable_case& after, bool must_know) {
    const StoreBuffer& stores = evaluator_->memory.stores;
    if (stores.is_poisoned && must_know) return "all memory became UNKNOWN";
    for (uint32_t i = 0; i < SCALABLE_WINDOW_BYTES; ++i) {
      const BufferedValue stored = LoadBuffered(stores, kWindow + i, 1);
      const bool is_written = (stored.written & 1) != 0;
      const bool is_known = (stored.known & 1) != 0;
      if (is_written && is_known && (stored.bits & 0xff) != after.window[i])
        return "another byte stored at " + std::to_string(i);
      if (is_written && !is_known && must_know) return "an UNKNOWN byte stored at " + std::to_string(i);
      if (!is_written && !stores.is_poisoned && before.window[i] != after.window[i])
        return "not stored: byte " + std::to_string(i);
    }
    return "";
  }

  std::string RunCase(size_t index, bool is_partial) {
    const scalable_case& before = cases_[index];
    const scalable_case& after = results_[index];
    const bool is_modelled = plan_[index].is_modelled;
    const auto* code = reinterpret_cast<const uint8_t*>(before.words);
    if (plugin_->lift(decoder_, code, 4 * before.word_count, 0x510000000000, &block_) != SOFTLBR_DECODER_OK ||
        block_.instruction_count != before.word_count) {
      return after.outcome == SCALABLE_RAN ? "refused by the decoder" : "";
    }
    if (after.outcome == SCALABLE_UNDEFINED) return "";
    LoadContext(before, is_partial);
    const BlockExit exit = RunBlock(evaluator_.get(), ViewOf(block_), 0);
    const bool is_fault = exit.outcome == BlockOutcome::kAborted;
    if (after.outcome == SCALABLE_FAULTED) {
      ++faulted_;
      return is_modelled && !is_partial && !is_fault ? "faults" : "";
    }
    if (is_fault) return is_modelled ? "does not fault" : "";
    ++compared_;
    const bool must_know = is_modelled && !is_partial;
    std::string wrong = CheckRegisters(after, must_know, plan_[index].is_float);
    return wrong.empty() ? CheckMemory(before, after, must_know) : wrong;
  }

  void RunAll() {
    ASSERT_TRUE(RunMachine());
    Failures failures(MostShown());
    for (size_t i = 0; i < cases_.size(); ++i) {
      for (const bool is_partial : {false, true}) {
        const std::string wrong = RunCase(i, is_partial);
        if (wrong.empty()) continue;
        failures.Add(std::string(plan_[i].name) + (is_partial ? " (partial)" : ""),
                     reinterpret_cast<const uint8_t*>(cases_[i].words), 4 * cases_[i].word_count, wrong);
        break;
      }
    }
    std::printf("vectors of %u bytes: %zu cases, %lu states compared, %lu faulted; QEMU gave up on %lu\n", length_,
                cases_.size(), compared_, faulted_, given_up_);
    EXPECT_EQ(failures.count(), 0u);
    EXPECT_GT(compared_, cases_.size() / 2) << "too few are compared to prove anything";
    EXPECT_GT(faulted_, 0u);
  }

  const uint32_t length_ = GetParam();
  Random random_{Seed() + GetParam()};
  ValuePool pool_{Seed()};
  const softlbr_decoder_plugin* plugin_ = nullptr;
  alignas(64) uint8_t arena_[4096];
  softlbr_decoder* decoder_ = nullptr;
  std::unique_ptr<Evaluator> evaluator_ = std::make_unique<Evaluator>();
  softlbr_block block_;
  std::vector<scalable_case> cases_;
  std::vector<scalable_case> results_;
  std::vector<Planned> plan_;
  uint64_t compared_ = 0;
  uint64_t faulted_ = 0;
  uint64_t given_up_ = 0;
};

TEST_P(ScalableOracle, FormsMatchTheMachine) {
  for (const A64Form& form : ScalableForms()) {
    if (std::strstr(form.name, Filter().c_str()) == nullptr) continue;
    const A64Pattern pattern = ParsePattern(form.pattern);
    for (uint64_t i = 0; i < Scaled(kCasesPerForm); ++i) {
      uint32_t word = FillPattern(pattern, &random_);
      if (IsLoadOfStructures(word) && (word >> 5 & 31) == (word >> 16 & 31)) word ^= 1u << 5;
      if (IsLoadOfStructures(word) && (word >> 13 & 1) != 0) word &= ~uint32_t{0xf0000};
      Plan(Planned{form.name, form.is_modelled(), form.nan_lane_bytes() != 0}, &word, 1);
    }
  }
  RunAll();
}

// Loops as in C libraries: a length, predicates computed from it, loads and stores under these, and uses of the
// results.
TEST_P(ScalableOracle, SequencesMatchTheMachine) {
  std::vector<A64Pattern> patterns;
  for (const A64Form& form : ScalableForms()) {
    if (form.is_modelled() && form.nan_lane_bytes() == 0) patterns.push_back(ParsePattern(form.pattern));
  }
  for (uint64_t i = 0; i < Scaled(kSequences); ++i) {
    uint32_t words[SCALABLE_MOST_WORDS];
    const uint32_t count = 2 + random_.Below(SCALABLE_MOST_WORDS - 1);
    for (uint32_t at = 0; at < count; ++at) {
      words[at] = FillPattern(patterns[random_.Below(static_cast<uint32_t>(patterns.size()))], &random_);
      if (random_.OneIn(2)) words[at] &= ~uint32_t{0x1c};  // restricts the destinations to a few registers
    }
    Plan(Planned{"sequence", true, false}, words, count);
  }
  RunAll();
}

INSTANTIATE_TEST_SUITE_P(VectorBytes, ScalableOracle, ::testing::Values(16u, 32u, 64u));

}  // namespace
}  // namespace softlbr::oracle
