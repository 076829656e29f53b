// Compares every listed form, random sequences of forms, and random words with the emulator.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "decoders/aarch64/plugin_aarch64.h"
#include "tests/decoders/aarch64/a64_case_runner.h"
#include "tests/decoders/aarch64/a64_explained.h"
#include "tests/decoders/aarch64/a64_forms.h"
#include "tests/decoders/oracle/failures.h"
#include "tests/decoders/oracle/settings.h"

namespace softlbr::oracle {
namespace {

constexpr uint64_t kWordsPerForm = 500;
constexpr uint64_t kRunsPerWord = 5;
constexpr uint64_t kSequences = 30000;
constexpr uint32_t kSequenceRuns = 4;
constexpr uint32_t kSequenceLength = 6;
constexpr uint64_t kRandomWords = 200000;

A64CaseRunner* Runner() {
  static A64CaseRunner* runner = new A64CaseRunner(softlbr_decoder_plugin_aarch64(), Seed());
  return runner;
}

struct Totals {
  uint64_t words = 0;
  uint64_t refused = 0;
  uint64_t cases = 0;
  uint64_t outcomes[kA64Outcomes] = {};
};

void Print(const char* what, const Totals& totals) {
  std::printf(
      "%s: %llu words, %llu refused; %llu cases: %llu equal, %llu faulted, %llu unknown to the emulator, %llu "
      "unresolved\n",
      what, static_cast<unsigned long long>(totals.words), static_cast<unsigned long long>(totals.refused),
      static_cast<unsigned long long>(totals.cases), static_cast<unsigned long long>(totals.outcomes[0]),
      static_cast<unsigned long long>(totals.outcomes[1]), static_cast<unsigned long long>(totals.outcomes[2]),
      static_cast<unsigned long long>(totals.outcomes[3]));
}

// Runs one word with several states. False: a failure was added.
bool RunWord(const char* name, uint32_t word, const A64Expectation& expectation, bool partial, uint64_t runs,
             Random* random, Totals* totals, Failures* failures) {
  if (IsHarmfulToEmulator(word)) return true;
  ++totals->words;
  if (IsTracing()) std::fprintf(stderr, "%s %08x\n", name, word);
  if (!Runner()->Prepare(&word, 1)) {
    ++totals->refused;
    if (Runner()->IsUndefinedToEmulator(random)) return true;
    if (IsRefusalExplained(word)) return true;
    failures->Add(name, reinterpret_cast<uint8_t*>(&word), 4, "refused by the decoder, an instruction to the emulator");
    return false;
  }
  for (uint64_t run = 0; run < runs; ++run) {
    const A64Report report = Runner()->Run(expectation, partial, random);
    ++totals->cases;
    ++totals->outcomes[static_cast<uint32_t>(report.outcome)];
    if (report.outcome != A64Outcome::kMismatch && report.outcome != A64Outcome::kUnknown) continue;
    failures->Add(name, reinterpret_cast<uint8_t*>(&word), 4, report.text);
    return false;
  }
  return true;
}

void RunForms(bool partial, Totals* totals, Failures* failures) {
  const std::string filter = Filter();
  uint64_t index = 0;
  for (const A64Form& form : A64Forms()) {
    ++index;
    if (!filter.empty() && std::strstr(form.name, filter.c_str()) == nullptr) continue;
    const A64Pattern pattern = ParsePattern(form.pattern);
    const A64Expectation expectation = {form.is_modelled(), form.nan_lane_bytes(), form.may_lose_nan_operands()};
    Random random(Seed() + index * 0x10001 + (partial ? 1 : 0));
    const uint64_t equal_before = totals->outcomes[0];
    const uint64_t illegal_before = totals->outcomes[2];
    uint32_t failed = 0;
    for (uint64_t i = 0; i < Scaled(kWordsPerForm) && failed < 3; ++i) {
      if (!RunWord(form.name, FillPattern(pattern, &random), expectation, partial, kRunsPerWord, &random, totals,
                   failures))
        ++failed;
    }
    if (form.is_modelled() && failed == 0) {
      EXPECT_GT(totals->outcomes[0], equal_before) << form.name << " was never compared";
      EXPECT_EQ(totals->outcomes[2], illegal_before) << form.name << ": unknown to the emulator";
    }
  }
}

TEST(A64Oracle, KnownStateMatchesTheEmulator) {
  Totals totals;
  Failures failures(MostShown());
  RunForms(false, &totals, &failures);
  Print("known state", totals);
  EXPECT_EQ(failures.count(), 0u);
  EXPECT_GT(totals.outcomes[0], totals.cases / 2) << "too few cases are compared to prove anything";
}

TEST(A64Oracle, PartialStateGivesNoWrongKnownBit) {
  Totals totals;
  Failures failures(MostShown());
  RunForms(true, &totals, &failures);
  Print("partial state", totals);
  EXPECT_EQ(failures.count(), 0u);
}

// Sequences show what one instruction alone does not: lazy flags, registers just written, stores read back.
TEST(A64Oracle, SequencesMatchTheEmulator) {
  std::vector<A64Pattern> patterns;
  const std::string filter = Filter();
  for (const A64Form& form : A64Forms()) {
    if (filter.empty() || std::strstr(form.name, filter.c_str()) != nullptr)
      patterns.push_back(ParsePattern(form.pattern));
  }
  Totals totals;
  Failures failures(MostShown());
  Random random(Seed() ^ 0x5e9);
  for (uint64_t sequence = 0; sequence < Scaled(kSequences); ++sequence) {
    uint32_t words[kSequenceLength];
    const uint32_t length = 2 + random.Below(kSequenceLength - 1);
    uint32_t count = 0;
    while (count < length) {
      uint32_t word = FillPattern(patterns[random.Below(static_cast<uint32_t>(patterns.size()))], &random);
      if (random.OneIn(2)) word &= ~uint32_t{0x18};  // restricts the destinations to a few registers
      if (IsHarmfulToEmulator(word) || !Runner()->Prepare(&word, 1)) continue;
      const bool is_terminator = Runner()->block().end.kind != SOFTLBR_END_FALLTHROUGH;
      if (is_terminator && (count + 1 != length || random.OneIn(2))) continue;
      words[count++] = word;
    }
    if (!Runner()->Prepare(words, length)) continue;
    if (IsTracing()) {
      for (uint32_t i = 0; i < length; ++i) std::fprintf(stderr, "%08x ", words[i]);
      std::fputs("\n", stderr);
    }
    ++totals.words;
    for (uint32_t run = 0; run < kSequenceRuns; ++run) {
      const A64Report report = Runner()->Run(A64Expectation{}, (run & 1) != 0, &random);
      ++totals.cases;
      ++totals.outcomes[static_cast<uint32_t>(report.outcome)];
      if (report.outcome != A64Outcome::kMismatch) continue;
      failures.Add("sequence", reinterpret_cast<uint8_t*>(words), 4 * length, report.text);
      break;
    }
  }
  Print("sequences", totals);
  EXPECT_EQ(failures.count(), 0u);
}

// Any word: an instruction without semantics makes everything UNKNOWN that it writes, and a word that is not an
// instruction is refused.
TEST(A64Oracle, RandomWordsAreRefusedOrCorrect) {
  if (!Filter().empty()) GTEST_SKIP() << "a filter is set";
  Totals totals;
  Failures failures(MostShown());
  Random random(Seed() ^ 0x3a7);
  for (uint64_t i = 0; i < Scaled(kRandomWords); ++i) {
    RunWord("word", static_cast<uint32_t>(random.Next()), A64Expectation{}, random.OneIn(4), 3, &random, &totals,
            &failures);
  }
  Print("random words", totals);
  EXPECT_EQ(failures.count(), 0u);
}

}  // namespace
}  // namespace softlbr::oracle
