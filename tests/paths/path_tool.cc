// Longer path tests, by hand:
//
//   path_points [--points N] [--branches N] [--seed N] [--causes N] [--time ROUNDS] [PROGRAM...] default 300 16 1 8 0,
//   all path_points [...] --command 'COMMAND' one program that is not in the list, with its arguments, in the current
//   folder
//
// For each program it prints points, wrong predictions, hits per trace, the share of traces without a hit, and the
// causes of stops, most frequent first. With --time each segment is evaluated ROUNDS times more and the shortest time
// is shown: the evaluator alone, everything in the caches. Exit 1 if anything was wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/program_inputs.h"
#include "platform/base/reasons.h"
#include "tests/paths/mirrored_memory.h"
#include "tests/paths/mnemonic/mnemonic.h"
#include "tests/paths/path_programs.h"

namespace softlbr::paths {
namespace {

const char* KeyOf(AbortReason reason) {
  switch (reason) {
#define SOFTLBR_ABORT(name, key, value, meaning) \
  case AbortReason::name:                        \
    return key;
#include "platform/base/reasons.def"
#undef SOFTLBR_ABORT
  }
  return "?";
}

void PrintCauses(const PointResults& results, uint16_t machine, size_t most) {
  std::vector<std::pair<uint64_t, const Cause*>> sorted;
  for (const auto& [cause, count] : results.causes) sorted.emplace_back(count, &cause);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  for (size_t i = 0; i < sorted.size() && i < most; ++i) {
    const Cause& cause = *sorted[i].second;
    const std::string what = cause.stop == StopKind::kAborted ? std::string("aborted: ") + KeyOf(cause.reason)
                                                              : std::string(NameOf(cause.origin));
    std::printf("    %6lu  %-20s %s%-36s %s\n", sorted[i].first, what.c_str(), cause.through_poison ? "(poison) " : "",
                cause.place.c_str(), MnemonicOf(machine, cause.code, sizeof cause.code).c_str());
  }
}

void PrintTimes(const PointResults& results) {
  constexpr size_t kShown = 28;
  std::vector<std::pair<uint64_t, uint32_t>> sorted;
  uint64_t all = 0;
  for (const auto& [op, count] : results.ops) {
    sorted.emplace_back(count, op);
    all += count;
  }
  std::sort(sorted.rbegin(), sorted.rend());
  const double uops = static_cast<double>(all);
  std::printf("    %.2f ns per instruction, %.2f per uop; ops by share:", results.timed_ns / results.timed_instructions,
              results.timed_ns / uops);
  for (size_t i = 0; i < sorted.size() && i < kShown; ++i) {
    std::printf(" %u:%.1f%%", sorted[i].second, 100 * static_cast<double>(sorted[i].first) / uops);
  }
  std::printf("\n");
}

int Main(int count, char** arguments) {
  if (!EnsureFreeAddresses(arguments)) return 1;
  PointOptions options;
  size_t causes = 8;
  std::string a64_root, command, cpu = "max";
  std::vector<std::string> wanted;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (!name.starts_with("--")) {
      wanted.push_back(name);
      continue;
    }
    const char* text = i + 1 < count ? arguments[++i] : "";
    const long value = std::atol(text);
    if (name == "--points" && value > 0) {
      options.points = static_cast<uint32_t>(value);
    } else if (name == "--branches" && value > 0) {
      options.branches = static_cast<uint32_t>(value);
    } else if (name == "--seed" && value > 0) {
      options.seed = static_cast<uint64_t>(value);
    } else if (name == "--causes" && value > 0) {
      causes = static_cast<size_t>(value);
    } else if (name == "--a64" && text[0] != '\0') {
      a64_root = text;
    } else if (name == "--cpu" && text[0] != '\0') {
      cpu = text;
    } else if (name == "--command" && text[0] != '\0') {
      command = text;
    } else if (name == "--time" && value > 0) {
      options.timed_rounds = static_cast<uint32_t>(value);
    } else {
      std::fprintf(
          stderr,
          "usage: path_points [--points N] [--branches N] [--seed N] [--causes N] [--time ROUNDS] [--a64 ROOT [--cpu "
          "NAME]] [--command COMMAND | PROGRAM...]\n");
      return 2;
    }
  }
  if (!a64_root.empty()) options.mean_run_microseconds *= 5;  // emulation is slower
  std::string error;
  const auto predictor = PathPredictor::Load(a64_root.empty() ? SOFTLBR_PLUGIN_PATH : SOFTLBR_A64_PLUGIN_PATH, &error);
  if (predictor == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 1;
  }
  const bench::WorkFolder work;
  if (command.empty()) bench::MakeProgramInputs(work.path());
  std::printf("traces of %u branches\n", options.branches);
  std::printf("%-10s %6s %6s %8s %8s %6s %9s %8s %8s %9s %9s\n", "program", "points", "wrong", "complete", "aborted",
              "void", "hits/tr.", "hits/16", "no hit", "instr/br.", "unknown");
  uint64_t wrong = 0;
  double hits_sum = 0, zero_sum = 0;
  int shown = 0;
  const auto programs = !command.empty()   ? std::vector<PathProgram>{CommandProgram(command)}
                        : a64_root.empty() ? NativePrograms(work.path())
                                           : A64Programs(work.path(), a64_root, SOFTLBR_A64_OWN_PROGRAMS, cpu);
  for (const PathProgram& program : programs) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), program.name) == wanted.end()) continue;
    if (!program.missing.empty()) {
      std::printf("%-10s needs %s\n", program.name.c_str(), program.missing.c_str());
      continue;
    }
    PointResults r;
    error = RunPoints(program.start, options, predictor.get(), &r);
    if (!error.empty()) {
      std::printf("%-10s %s\n", program.name.c_str(), error.c_str());
      wrong += 1;
      continue;
    }
    const double traces = std::max(1.0, static_cast<double>(r.complete + r.aborted));
    const double hits = static_cast<double>(r.hits) / traces;
    const double zero = static_cast<double>(r.zero_hit) / traces;
    const double branches = std::max(1.0, static_cast<double>(r.branches));
    const double compared = static_cast<double>(r.bytes_compared + r.bytes_unknown);
    std::printf("%-10s %6u %6u %8u %8u %6u %9.3f %8.4f %7.1f%% %9.1f %8.2f%%\n", program.name.c_str(), r.points,
                r.wrong, r.complete, r.aborted, r.abandoned, hits, static_cast<double>(r.hits) * 16 / branches,
                100 * zero, static_cast<double>(r.instructions) / branches,
                compared > 0 ? 100 * static_cast<double>(r.bytes_unknown) / compared : 0);
    if (!r.first_wrong.empty()) std::printf("    WRONG %s\n", r.first_wrong.c_str());
    if (options.timed_rounds != 0) PrintTimes(r);
    PrintCauses(r, predictor->plugin().arch, causes);
    std::fflush(stdout);
    wrong += r.wrong;
    hits_sum += static_cast<double>(r.hits) * 16 / branches;
    zero_sum += zero;
    ++shown;
  }
  if (shown != 0) {
    std::printf("means over %d programs: %.4f hits per 16 branches, %.1f%% of traces without a hit; %lu wrong\n", shown,
                hits_sum / shown, 100 * zero_sum / shown, wrong);
  }
  return wrong != 0 || shown == 0 ? 1 : 0;
}

}  // namespace
}  // namespace softlbr::paths

int main(int count, char** arguments) { return softlbr::paths::Main(count, arguments); }
