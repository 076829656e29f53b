// Compares every form of the corpus, and random sequences of forms, with the CPU.
#include "tests/decoders/oracle/corpus.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/decoders/oracle/case_runner.h"
#include "tests/decoders/oracle/failures.h"
#include "tests/decoders/oracle/settings.h"

extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void);

namespace softlbr::oracle {
namespace {

constexpr uint64_t kKnownRuns = 150;
constexpr uint64_t kPartialRuns = 100;
constexpr uint64_t kSequences = 150000;
constexpr uint32_t kSequenceRuns = 4;
constexpr uint32_t kSequenceLength = 6;

CaseRunner* Runner() {
  static CaseRunner* runner = new CaseRunner(softlbr_decoder_plugin_x86_64(), Seed());
  return runner;
}

Expectation ExpectationOf(const CorpusForm& form) {
  return Expectation{form.is_modelled != 0, form.undefined_flags, form.nan_lane_bytes, form.may_trap != 0};
}

struct Totals {
  uint64_t cases = 0;
  uint64_t outcomes[kCaseOutcomes] = {};
  uint64_t forms_never_compared = 0;
  uint64_t forms_without_cpu = 0;
};

void Print(const char* what, const Totals& totals) {
  std::printf(
      "%s: %llu cases: %llu equal, %llu faulted, %llu without the CPU's support, %llu unresolved, %llu skipped\n", what,
      static_cast<unsigned long long>(totals.cases), static_cast<unsigned long long>(totals.outcomes[0]),
      static_cast<unsigned long long>(totals.outcomes[1]), static_cast<unsigned long long>(totals.outcomes[2]),
      static_cast<unsigned long long>(totals.outcomes[3]), static_cast<unsigned long long>(totals.outcomes[4]));
}

// Runs every form; reports one failure per form.
void RunCorpus(bool partial, uint64_t runs, Totals* totals, Failures* failures) {
  const std::string filter = Filter();
  uint64_t index = 0;
  for (const CorpusForm& form : Corpus()) {
    ++index;
    if (!filter.empty() && std::strstr(form.text, filter.c_str()) == nullptr) continue;
    if (IsTracing()) std::fprintf(stderr, "%s\n", form.text);
    if (!Runner()->Prepare(form.code, form.length)) {
      failures->Add(form.text, form.code, form.length,
                    "decoded as " + std::to_string(Runner()->block().byte_length) + " bytes of " +
                        std::to_string(Runner()->block().instruction_count) + " instructions, end kind " +
                        std::to_string(Runner()->block().end.kind));
      continue;
    }
    Random random(Seed() + index * 0x10001 + (partial ? 1 : 0));
    uint64_t compared = 0;
    uint64_t unknown_bytes = 0;
    uint64_t illegal = 0;
    for (uint64_t run = 0; run < runs; ++run) {
      const CaseReport report = Runner()->Run(ExpectationOf(form), partial, &random);
      ++totals->cases;
      ++totals->outcomes[static_cast<uint32_t>(report.outcome)];
      unknown_bytes += report.unknown_bytes;
      if (report.outcome == CaseOutcome::kEqual) ++compared;
      if (report.outcome == CaseOutcome::kIllegal && ++illegal == 3) break;
      if (report.outcome == CaseOutcome::kMismatch || report.outcome == CaseOutcome::kUnknown) {
        failures->Add(form.text, form.code, form.length, report.text);
        break;
      }
    }
    if (IsTracing() && form.is_modelled == 0 && !partial && compared != 0 && unknown_bytes == 0) {
      std::fprintf(stderr, "could be called modelled: %s\n", form.text);
    }
    if (illegal != 0) {
      ++totals->forms_without_cpu;
    } else if (compared == 0) {
      ++totals->forms_never_compared;
      if (IsTracing()) std::fprintf(stderr, "never compared: %s\n", form.text);
    }
  }
}

TEST(OracleCorpus, KnownStateMatchesTheCpu) {
  Totals totals;
  Failures failures(MostShown());
  RunCorpus(false, Scaled(kKnownRuns), &totals, &failures);
  Print("known state", totals);
  std::printf("%zu forms, %llu of them not on this CPU, %llu never compared\n", Corpus().size(),
              static_cast<unsigned long long>(totals.forms_without_cpu),
              static_cast<unsigned long long>(totals.forms_never_compared));
  EXPECT_EQ(failures.count(), 0u);
  EXPECT_GT(totals.outcomes[0], totals.cases / 2) << "too few cases are compared to prove anything";
}

TEST(OracleCorpus, PartialStateGivesNoWrongKnownBit) {
  Totals totals;
  Failures failures(MostShown());
  RunCorpus(true, Scaled(kPartialRuns), &totals, &failures);
  Print("partial state", totals);
  EXPECT_EQ(failures.count(), 0u);
}

// Sequences show what one instruction alone does not: lazy flags, merges into registers that another instruction has
// just written, stores read back.
TEST(OracleCorpus, SequencesMatchTheCpu) {
  std::vector<const CorpusForm*> straight;
  const std::string filter = Filter();
  for (const CorpusForm& form : Corpus()) {
    if (!filter.empty() && std::strstr(form.text, filter.c_str()) == nullptr) continue;
    if (std::strstr(form.text, "cpuid") != nullptr || std::strstr(form.text, "popf") != nullptr) continue;
    if (std::strncmp(form.text, "rep", 3) == 0) continue;
    // Within a sequence a locked access might cross cache lines: that is a bus lock, which hosts trap and throttle.
    const bool is_exchange = std::strncmp(form.text, "xchg", 4) == 0 && std::strchr(form.text, '[') != nullptr;
    if (std::strncmp(form.text, "lock", 4) == 0 || is_exchange) continue;
    // Its result points into the runner's own pages, where the next instruction might store.
    if (std::strncmp(form.text, "lea", 3) == 0 && std::strstr(form.text, "rip") != nullptr) continue;
    if (!Runner()->Prepare(form.code, form.length)) continue;
    if (Runner()->block().end.kind == SOFTLBR_END_FALLTHROUGH) straight.push_back(&form);
  }
  if (straight.empty()) GTEST_SKIP() << "the filter leaves no form";
  Totals totals;
  Failures failures(MostShown());
  Random random(Seed() ^ 0x5e9);
  for (uint64_t sequence = 0; sequence < Scaled(kSequences); ++sequence) {
    std::vector<uint8_t> code;
    std::string text;
    const uint32_t length = 2 + random.Below(kSequenceLength - 1);
    for (uint32_t i = 0; i < length; ++i) {
      const CorpusForm& form = *straight[random.Below(static_cast<uint32_t>(straight.size()))];
      code.insert(code.end(), form.code, form.code + form.length);
      text += std::string(form.text) + "; ";
    }
    if (IsTracing()) std::fprintf(stderr, "%s\n", text.c_str());
    if (!Runner()->Prepare(code.data(), code.size())) continue;
    for (uint32_t run = 0; run < kSequenceRuns; ++run) {
      const bool partial = (run & 1) != 0;
      const CaseReport report = Runner()->Run(Expectation{}, partial, &random);
      ++totals.cases;
      ++totals.outcomes[static_cast<uint32_t>(report.outcome)];
      if (IsTracing() && report.outcome == CaseOutcome::kIllegal) std::fprintf(stderr, "ILL\n");
      if (report.outcome != CaseOutcome::kMismatch) continue;
      failures.Add(text, code.data(), code.size(), report.text);
      break;
    }
  }
  Print("sequences", totals);
  EXPECT_EQ(failures.count(), 0u);
}

}  // namespace
}  // namespace softlbr::oracle
