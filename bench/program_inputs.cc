#include "bench/program_inputs.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace softlbr::bench {
namespace {

// Inputs: `text` (8 MB of words), `blob` (a binary's bytes), and the files that `prepare` makes.
constexpr RealProgram kPrograms[] = {
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
    {"x264", "/usr/bin/x264", "",
     "x264 --threads 1 --preset medium --input-res 320x240 --fps 25 --demuxer raw -o /dev/null clip.yuv"},
};

void WriteFile(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

}  // namespace

std::span<const RealProgram> RealPrograms() { return kPrograms; }

void MakeProgramInputs(const std::string& folder) {
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
  WriteFile(
      folder + "/words.pl",
      "open F,'text'; my %h; my $n=0; while(<F>){ for my $w (split ' '){ $h{$w}++; $n++ if $w=~/[aeiou]{2}/; } }\n"
      "print \"$n \",scalar(keys %h),\"\\n\"; print join(',', (sort {$h{$b}<=>$h{$a}||$a cmp $b} keys "
      "%h)[0..9]),\"\\n\";\n");
  WriteFile(folder + "/words.py",
            "h = {}\nn = 0\nfor line in open('text'):\n  for w in line.split():\n    h[w] = h.get(w, 0) + 1\n"
            "    if 'ae' in w or 'ou' in w: n += 1\n"
            "print(n, len(h), sorted(h, key=lambda w: (-h[w], w))[:10])\n");
  WriteFile(
      folder + "/words.lua",
      "local h, n = {}, 0\nfor line in io.lines('text') do\n  for w in line:gmatch('%a+') do h[w] = (h[w] or 0) + 1\n"
      "    if w:find('ae') then n = n + 1 end end end\nlocal k = 0\nfor _ in pairs(h) do k = k + 1 end\nprint(n, k)\n");
  std::string sql = "create table t(a integer, b text, c integer);\nbegin;\n";
  for (int i = 0; i < 60000; ++i) {
    sql += "insert into t values(" + std::to_string(next() % 100000) + ",'" + words[next() % 4000] + "'," +
           std::to_string(next() % 1000) + ");\n";
  }
  sql +=
      "commit;\ncreate index i on t(a);\nselect count(*), sum(c) from t where a between 1000 and 60000;\n"
      "select b, count(*) n, sum(c) from t group by b order by n desc, b limit 10;\n"
      "select count(*) from t x join t y on x.a = y.a where x.c < y.c;\n";
  WriteFile(folder + "/load.sql", sql);
  std::string unit = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";
  for (int i = 0; i < 600; ++i) {
    const std::string n = std::to_string(i);
    unit += "struct s" + n + " { int a, b; char c[" + std::to_string(8 + i % 24) + "]; struct s" + n +
            " *next; };\n"
            "int f" +
            n + "(struct s" + n + " *p, int k) { int r = 0; for (; p; p = p->next) { if (p->a > k) r += p->b * " + n +
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
  WriteFile(
      folder + "/sheet.xsl",
      "<xsl:stylesheet version=\"1.0\" xmlns:xsl=\"http://www.w3.org/1999/XSL/Transform\"><xsl:template "
      "match=\"/list\">"
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

bool PrepareProgram(const RealProgram& program, const std::string& folder, std::string* why_not) {
  if (!std::filesystem::exists(program.needs)) {
    *why_not = std::string("not installed (") + program.needs + ")";
    return false;
  }
  if (program.prepare[0] == '\0') return true;
  if (std::system(("cd '" + folder + "' && " + program.prepare + " >/dev/null 2>&1").c_str()) == 0) return true;
  *why_not = "its input could not be made";
  return false;
}

WorkFolder::WorkFolder() : path_((std::filesystem::temp_directory_path() / "softlbr-work-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) path_.clear();
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace softlbr::bench
