// Records real programs with the paper's method and with look-ahead, alternating in the same run.
//
//   real_programs [ROUNDS [PERIOD_NS [LONG_TRACE [PROGRAM...]]]]      default: 3 1000003 128, all programs that are
//                                                                     installed real_programs --inputs FOLDER makes the
//                                                                     programs' inputs there and records nothing
//
// Each round runs the program alone, with `--resolve static` and 16 branches, and with `--resolve lookahead` and 16 and
// LONG_TRACE branches. Prints the means over the rounds for each program. For a program that is not installed it prints
// the reason.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/program_inputs.h"
#include "toolchain/profile/profile_reader.h"

namespace {

using softlbr::bench::RealProgram;
using softlbr::toolchain::Profile;

struct Variant {
  const char* name;
  const char* options;  // of softlbr record; nullptr to run the program alone
  bool is_long;
};
constexpr Variant kVariants[] = {
    {"alone", nullptr, false},
    {"static 16", "--resolve static --branches 16", false},
    {"lookahead 16", "--resolve lookahead --branches 16", false},
    {"lookahead long", "--resolve lookahead", true},
};
constexpr size_t kVariantCount = std::size(kVariants);

struct Figures {
  double cpu_seconds = 0;
  double traces = 0;
  double hits = 0;
  double zero_hit = 0;
  double branches = 0;
  double instructions = 0;
  double lifted = 0;
  double lookups = 0;
  double found = 0;
  double lifting_ns = 0;
  double evaluating_ns = 0;
  double overhead_ns = 0;
  double app_ns = 0;
  double mismatches = 0;
  double verified = 0;
  bool is_valid = false;
};

double CpuSeconds(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

Figures RunOnce(const RealProgram& program, const Variant& variant, const std::string& period,
                const std::string& long_trace, const std::string& folder) {
  std::string command = "cd '" + folder + "' && exec ";
  if (variant.options != nullptr) {
    command += std::string(SOFTLBR_COMMAND) + " record -q -o run.slbr -c " + period + " " + variant.options;
    if (variant.is_long) command += " --branches " + long_trace;
    command += " -- ";
  }
  command += std::string(program.run) + " >/dev/null 2>/dev/null";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage usage;
  wait4(child, &status, 0, &usage);
  Figures figures;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return figures;
  figures.is_valid = true;
  figures.cpu_seconds = CpuSeconds(usage);
  if (variant.options == nullptr) return figures;
  auto read = softlbr::toolchain::ReadProfileFile(folder + "/run.slbr");
  if (!std::holds_alternative<Profile>(read)) {
    figures.is_valid = false;
    return figures;
  }
  const softlbr::SessionCounters& counters = std::get<Profile>(read).counters;
  uint64_t aborted = 0;
  for (const uint64_t count : counters.traces_aborted) aborted += count;
  figures.traces = static_cast<double>(counters.traces_complete + aborted);
  figures.hits = static_cast<double>(counters.breakpoint_hits);
  figures.zero_hit = static_cast<double>(counters.traces_without_hit);
  figures.branches = static_cast<double>(counters.taken_branches);
  figures.instructions = static_cast<double>(counters.instructions_evaluated);
  figures.lifted = static_cast<double>(counters.instructions_lifted);
  figures.lookups = static_cast<double>(counters.block_lookups);
  figures.found = static_cast<double>(counters.block_hits);
  figures.lifting_ns = static_cast<double>(counters.overhead_lifting_ns);
  figures.evaluating_ns = static_cast<double>(counters.overhead_evaluating_ns);
  figures.overhead_ns = static_cast<double>(counters.overhead_total_ns);
  figures.app_ns = static_cast<double>(counters.app_cpu_ns);
  figures.verified = static_cast<double>(counters.verify_traces);
  figures.mismatches = static_cast<double>(counters.verify_mismatches);
  return figures;
}

void Accumulate(Figures* sum, const Figures& one) {
  sum->is_valid = true;
  sum->cpu_seconds += one.cpu_seconds;
  sum->traces += one.traces;
  sum->hits += one.hits;
  sum->zero_hit += one.zero_hit;
  sum->branches += one.branches;
  sum->instructions += one.instructions;
  sum->lifted += one.lifted;
  sum->lookups += one.lookups;
  sum->found += one.found;
  sum->lifting_ns += one.lifting_ns;
  sum->evaluating_ns += one.evaluating_ns;
  sum->overhead_ns += one.overhead_ns;
  sum->app_ns += one.app_ns;
  sum->verified += one.verified;
  sum->mismatches += one.mismatches;
}

double Ratio(double a, double b) { return b > 0 ? a / b : 0; }

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string(arguments[1]) == "--inputs") {
    softlbr::bench::MakeProgramInputs(arguments[2]);
    std::string why_not;
    for (const RealProgram& program : softlbr::bench::RealPrograms()) {
      if (!softlbr::bench::PrepareProgram(program, arguments[2], &why_not))
        std::fprintf(stderr, "%s: %s\n", program.name, why_not.c_str());
    }
    return 0;
  }
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 3;
  const std::string period = count > 2 ? arguments[2] : "1000003";
  const std::string long_trace = count > 3 ? arguments[3] : "128";
  if (rounds < 1) {
    std::fprintf(stderr, "usage: real_programs [ROUNDS [PERIOD_NS [LONG_TRACE [PROGRAM...]]]]\n");
    return 2;
  }
  const softlbr::bench::WorkFolder work;
  const std::string& folder = work.path();
  if (folder.empty()) return 1;
  softlbr::bench::MakeProgramInputs(folder);

  std::printf("%d rounds, a sample every %s ns of CPU time; long traces hold %s branches\n\n", rounds, period.c_str(),
              long_trace.c_str());
  std::printf("%-10s | %8s %8s %8s | %7s %7s | %6s %6s | %6s %6s | %8s %8s %8s | %7s | %7s %7s %7s\n", "", "hits per",
              "16-br.", "trace", "no hit", "no hit", "instr/", "cache", "ns per", "instr", "branches", "per us",
              "overhead", "wrong/", "CPU ratio", "to", "alone");
  std::printf("%-10s | %8s %8s %8s | %7s %7s | %6s %6s | %6s %6s | %8s %8s %8s | %7s | %7s %7s %7s\n", "program",
              "static", "look", "long*", "look", "long", "taken", "hits", "lift", "eval", "static", "look", "long",
              "checked", "static", "look", "long");
  double log_ratio = 0;
  double log_overhead[kVariantCount] = {};
  double worst_overhead = 0;
  double hits_sum[kVariantCount] = {};
  double zero_sum[kVariantCount] = {};
  int shown = 0;
  for (const RealProgram& program : softlbr::bench::RealPrograms()) {
    bool is_wanted = count <= 4;
    for (int i = 4; i < count; ++i) is_wanted |= std::string(arguments[i]) == program.name;
    if (!is_wanted) continue;
    std::string why_not;
    if (!softlbr::bench::PrepareProgram(program, folder, &why_not)) {
      std::printf("%-10s | %s\n", program.name, why_not.c_str());
      continue;
    }
    Figures sums[kVariantCount];
    bool is_valid = true;
    for (int round = 0; round < rounds && is_valid; ++round) {
      for (size_t v = 0; v < kVariantCount; ++v) {
        const Figures one = RunOnce(program, kVariants[v], period, long_trace, folder);
        is_valid = is_valid && one.is_valid;
        Accumulate(&sums[v], one);
      }
    }
    if (!is_valid) {
      std::printf("%-10s | a run failed\n", program.name);
      continue;
    }
    const Figures& s = sums[1];
    const Figures& l = sums[2];
    const Figures& g = sums[3];
    // Hits of long traces are scaled to 16 branches.
    const double long_scale = std::atof(long_trace.c_str()) / 16;
    const double per_us[] = {0, Ratio(s.branches, s.overhead_ns / 1000), Ratio(l.branches, l.overhead_ns / 1000),
                             Ratio(g.branches, g.overhead_ns / 1000)};
    std::printf(
        "%-10s | %8.2f %8.3f %8.3f | %6.1f%% %6.1f%% | %6.1f %5.1f%% | %6.0f %6.1f | %8.3f %8.2f %8.2f | %3.0f/%-4.0f "
        "| %7.3f "
        "%7.3f %7.3f\n",
        program.name, Ratio(s.hits, s.traces), Ratio(l.hits, l.traces), Ratio(g.hits, g.traces) / long_scale,
        100 * Ratio(l.zero_hit, l.traces), 100 * Ratio(g.zero_hit, g.traces), Ratio(g.instructions, g.branches),
        100 * Ratio(g.found, g.lookups), Ratio(g.lifting_ns, g.lifted), Ratio(g.evaluating_ns, g.instructions),
        per_us[1], per_us[2], per_us[3], l.mismatches + g.mismatches, l.verified + g.verified,
        Ratio(s.cpu_seconds, sums[0].cpu_seconds), Ratio(l.cpu_seconds, sums[0].cpu_seconds),
        Ratio(g.cpu_seconds, sums[0].cpu_seconds));
    std::fflush(stdout);
    ++shown;
    log_ratio += std::log(Ratio(per_us[3], per_us[1]));
    for (size_t v = 1; v < kVariantCount; ++v) {
      hits_sum[v] += Ratio(sums[v].hits, sums[v].traces);
      zero_sum[v] += Ratio(sums[v].zero_hit, sums[v].traces);
      // CPU time to record 12 800 branches per second of the program's CPU time.
      const double overhead = 12800 / (per_us[v] * 1e6);
      log_overhead[v] += std::log(overhead);
      if (v == 3 && overhead > worst_overhead) worst_overhead = overhead;
    }
  }
  if (shown != 0) {
    std::printf(
        "\nmeans over %d programs: hits per 16-branch trace: static %.2f, look-ahead %.3f; traces with none: %.1f%%\n",
        shown, hits_sum[1] / shown, hits_sum[2] / shown, 100 * zero_sum[2] / shown);
    std::printf("branches per us of overhead, geometric mean of long look-ahead / static: %.1f\n",
                std::exp(log_ratio / shown));
    std::printf(
        "overhead at 12 800 branches per CPU second, geometric mean: static %.2f%%, look-ahead 16 %.2f%%, long %.2f%% "
        "(worst "
        "%.2f%%)\n",
        100 * std::exp(log_overhead[1] / shown), 100 * std::exp(log_overhead[2] / shown),
        100 * std::exp(log_overhead[3] / shown), 100 * worst_overhead);
  }
  return 0;
}
