// Real programs, recorded with the paper's method and with look-ahead side by side in one run.
//
//   real_programs [ROUNDS [PERIOD_NS [LONG_TRACE [PROGRAM...]]]]      default 3 1000003 128, every program found
//
// Each round runs, in turn: the program alone, `--resolve static` with 16 branches, `--resolve lookahead` with 16 and with
// LONG_TRACE. Printed per program: means over the rounds. Inputs are made in a fresh temporary folder and are the same in every
// run. A program that is not installed is named and left out.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "toolchain/profile_reader.h"

namespace {

using softlbr::toolchain::Profile;

struct Program {
  const char* name;
  const char* needs;    // file that must exist
  const char* prepare;  // shell, in the work folder, once; "" for none
  const char* run;      // shell command line without redirections of standard output
};

// Inputs: `text` (8 MB of words), `blob` (a binary's bytes), and what `prepare` makes.
constexpr Program kPrograms[] = {
    {"gzip", "/usr/bin/gzip", "", "gzip -6 -c text"},
    {"bzip2", "/usr/bin/bzip2", "", "bzip2 -9 -c text"},
    {"xz", "/usr/bin/xz", "", "xz -3 -T1 -c text"},
    {"perl", "/usr/bin/perl", "", "perl words.pl"},
    {"python3", "/usr/bin/python3", "", "/usr/bin/python3 words.py"},
    {"sqlite3", "/usr/bin/sqlite3", "", "sqlite3 :memory: '.read load.sql'"},
    {"lua", "/usr/bin/lua5.4", "", "lua5.4 words.lua"},
    {"cc1", "/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "gcc -E -x c unit.c -o unit.i",
     "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 -fpreprocessed unit.i -o /dev/null"},
    {"xsltproc", "/usr/bin/xsltproc", "", "xsltproc sheet.xsl data.xml"},
    {"stockfish", "/usr/games/stockfish", "", "/usr/games/stockfish bench 16 1 10"},
    {"hmmsearch", "/usr/bin/hmmsearch", "hmmbuild family.hmm family.sto", "hmmsearch --cpu 0 family.hmm proteins.fa"},
    {"x264", "/usr/bin/x264", "", "x264 --threads 1 --preset medium --input-res 320x240 --fps 25 --demuxer raw -o /dev/null clip.yuv"},
};

struct Variant {
  const char* name;
  const char* options;  // of softlbr record; nullptr: the program alone
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

Figures RunOnce(const Program& program, const Variant& variant, const std::string& period, const std::string& long_trace,
                const std::string& folder) {
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

void WriteFile(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Deterministic inputs.
void MakeInputs(const std::string& folder) {
  uint64_t state = 88172645463325252ull;
  auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  std::vector<std::string> words;
  for (int i = 0; i < 4000; ++i) {
    std::string word;
    for (uint64_t length = 2 + next() % 9; length != 0; --length) word += static_cast<char>('a' + next() % 26);
    words.push_back(word);
  }
  std::string text;
  while (text.size() < 8000000) {
    const uint64_t r = next();
    text += words[(r % 4000) * ((r >> 32) % 4000) / 4000];
    text += (r >> 50) % 12 == 0 ? '\n' : ' ';
  }
  WriteFile(folder + "/text", text);
  WriteFile(folder + "/words.pl",
            "open F,'text'; my %h; my $n=0; while(<F>){ for my $w (split ' '){ $h{$w}++; $n++ if $w=~/[aeiou]{2}/; } }\n"
            "print \"$n \",scalar(keys %h),\"\\n\"; print join(',', (sort {$h{$b}<=>$h{$a}||$a cmp $b} keys %h)[0..9]),\"\\n\";\n");
  WriteFile(folder + "/words.py",
            "h = {}\nn = 0\nfor line in open('text'):\n  for w in line.split():\n    h[w] = h.get(w, 0) + 1\n"
            "    if 'ae' in w or 'ou' in w: n += 1\n"
            "print(n, len(h), sorted(h, key=lambda w: (-h[w], w))[:10])\n");
  WriteFile(folder + "/words.lua",
            "local h, n = {}, 0\nfor line in io.lines('text') do\n  for w in line:gmatch('%a+') do h[w] = (h[w] or 0) + 1\n"
            "    if w:find('ae') then n = n + 1 end end end\nlocal k = 0\nfor _ in pairs(h) do k = k + 1 end\nprint(n, k)\n");
  std::string sql = "create table t(a integer, b text, c integer);\nbegin;\n";
  for (int i = 0; i < 60000; ++i) {
    sql += "insert into t values(" + std::to_string(next() % 100000) + ",'" + words[next() % 4000] + "'," +
           std::to_string(next() % 1000) + ");\n";
  }
  sql += "commit;\ncreate index i on t(a);\nselect count(*), sum(c) from t where a between 1000 and 60000;\n"
         "select b, count(*) n, sum(c) from t group by b order by n desc, b limit 10;\n"
         "select count(*) from t x join t y on x.a = y.a where x.c < y.c;\n";
  WriteFile(folder + "/load.sql", sql);
  std::string unit = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";
  for (int i = 0; i < 600; ++i) {
    const std::string n = std::to_string(i);
    unit += "struct s" + n + " { int a, b; char c[" + std::to_string(8 + i % 24) + "]; struct s" + n + " *next; };\n"
            "int f" + n + "(struct s" + n + " *p, int k) { int r = 0; for (; p; p = p->next) { if (p->a > k) r += p->b * " + n +
            "; else if (p->c[k & 7] == 'x') { r -= p->a; switch (r & 7) { case 0: r ^= k; break; case 3: r += 7; break;"
            " case 5: memset(p->c, 0, sizeof p->c); break; default: r <<= 1; } } else r = abs(r - k); } return r; }\n";
  }
  WriteFile(folder + "/unit.c", unit);
  std::string xml = "<list>\n";
  for (int i = 0; i < 20000; ++i) {
    xml += "<item id=\"" + std::to_string(i) + "\"><name>" + words[next() % 4000] + "</name><size>" +
           std::to_string(next() % 1000) + "</size></item>\n";
  }
  WriteFile(folder + "/data.xml", xml + "</list>\n");
  WriteFile(folder + "/sheet.xsl",
            "<xsl:stylesheet version=\"1.0\" xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\"><xsl:template match=\"/list\">"
            "<out><xsl:for-each select=\"item[size &gt; 200]\"><xsl:sort select=\"name\"/><xsl:sort select=\"size\""
            " data-type=\"number\"/><x n=\"{position()}\"><xsl:value-of select=\"concat(name,'-',size)\"/></x></xsl:for-each>"
            "</out></xsl:template></xsl:stylesheet>\n");
  const char kAmino[] = "ACDEFGHIKLMNPQRSTVWY";
  std::string family = "# STOCKHOLM 1.0\n";
  std::string seed;
  for (int i = 0; i < 180; ++i) seed += kAmino[next() % 20];
  for (int s = 0; s < 8; ++s) {
    std::string sequence = seed;
    for (char& c : sequence) {
      if (next() % 4 == 0) c = kAmino[next() % 20];
    }
    family += "seq" + std::to_string(s) + " " + sequence + "\n";
  }
  WriteFile(folder + "/family.sto", family + "//\n");
  std::string proteins;
  for (int s = 0; s < 12000; ++s) {
    proteins += ">p" + std::to_string(s) + "\n";
    for (uint64_t length = 150 + next() % 300; length != 0; --length) proteins += kAmino[next() % 20];
    proteins += "\n";
  }
  WriteFile(folder + "/proteins.fa", proteins);
  std::string clip;
  for (int frame = 0; frame < 60; ++frame) {
    for (int y = 0; y < 360; ++y) {  // 240 rows of luma, 120 of chroma
      for (int x = 0; x < 320; ++x) {
        clip += static_cast<char>((x + 2 * frame) * (y + frame) / 64 + static_cast<int>(next() % 8));
      }
    }
  }
  WriteFile(folder + "/clip.yuv", clip);
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 3;
  const std::string period = count > 2 ? arguments[2] : "1000003";
  const std::string long_trace = count > 3 ? arguments[3] : "128";
  if (rounds < 1) {
    std::fprintf(stderr, "usage: real_programs [ROUNDS [PERIOD_NS [LONG_TRACE [PROGRAM...]]]]\n");
    return 2;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "softlbr-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  MakeInputs(folder);

  std::printf("%d rounds, a sample every %s ns of CPU time; long traces hold %s branches\n\n", rounds, period.c_str(),
              long_trace.c_str());
  std::printf("%-10s | %8s %8s %8s | %7s %7s | %6s %6s | %6s %6s | %8s %8s %8s | %7s | %7s %7s %7s\n", "", "hits per", "16-br.",
              "trace", "no hit", "no hit", "instr/", "cache", "ns per", "instr", "branches", "per us", "overhead", "wrong/",
              "CPU ratio", "to", "alone");
  std::printf("%-10s | %8s %8s %8s | %7s %7s | %6s %6s | %6s %6s | %8s %8s %8s | %7s | %7s %7s %7s\n", "program", "static",
              "look", "long*", "look", "long", "taken", "hits", "lift", "eval", "static", "look", "long", "checked", "static", "look",
              "long");
  double log_ratio = 0;
  double log_overhead[kVariantCount] = {};
  double worst_overhead = 0;
  double hits_sum[kVariantCount] = {};
  double zero_sum[kVariantCount] = {};
  int shown = 0;
  for (const Program& program : kPrograms) {
    bool is_wanted = count <= 4;
    for (int i = 4; i < count; ++i) is_wanted |= std::string(arguments[i]) == program.name;
    if (!is_wanted) continue;
    if (!std::filesystem::exists(program.needs)) {
      std::printf("%-10s | not installed (%s)\n", program.name, program.needs);
      continue;
    }
    if (program.prepare[0] != '\0' &&
        std::system(("cd '" + folder + "' && " + program.prepare + " >/dev/null 2>&1").c_str()) != 0) {
      std::printf("%-10s | its input could not be made\n", program.name);
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
    // Hits of long traces are given for the same number of branches.
    const double long_scale = std::atof(long_trace.c_str()) / 16;
    const double per_us[] = {0, Ratio(s.branches, s.overhead_ns / 1000), Ratio(l.branches, l.overhead_ns / 1000),
                             Ratio(g.branches, g.overhead_ns / 1000)};
    std::printf("%-10s | %8.2f %8.3f %8.3f | %6.1f%% %6.1f%% | %6.1f %5.1f%% | %6.0f %6.1f | %8.3f %8.2f %8.2f | %3.0f/%-4.0f | %7.3f %7.3f %7.3f\n",
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
      // Overhead at 12 800 recorded branches per second of the program's CPU time.
      const double overhead = 12800 / (per_us[v] * 1e6);
      log_overhead[v] += std::log(overhead);
      if (v == 3 && overhead > worst_overhead) worst_overhead = overhead;
    }
  }
  if (shown != 0) {
    std::printf("\nmeans over %d programs: hits per 16-branch trace: static %.2f, look-ahead %.3f; traces with none: %.1f%%\n", shown,
                hits_sum[1] / shown, hits_sum[2] / shown, 100 * zero_sum[2] / shown);
    std::printf("branches per us of overhead, geometric mean of long look-ahead / static: %.1f\n", std::exp(log_ratio / shown));
    std::printf("overhead at 12 800 branches per CPU second, geometric mean: static %.2f%%, look-ahead 16 %.2f%%, long %.2f%% (worst %.2f%%)\n",
                100 * std::exp(log_overhead[1] / shown), 100 * std::exp(log_overhead[2] / shown),
                100 * std::exp(log_overhead[3] / shown), 100 * worst_overhead);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
