#!/bin/sh
# make_inputs.sh FOLDER: makes the inputs of the programs in programs.table and mix.table. The same ones on every
# machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
perl -e '
  srand(7);
  open my $list, ">", "list.xml"; print $list "<list>\n";
  printf $list qq(<item id="%d"><name>%s</name><size>%d</size></item>\n), $_, join("", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(6)),
    100 + rand(900) for 1 .. 5000;
  print $list "</list>\n";
  my @words = map { join "", map { chr(97 + int(rand(26))) } 1 .. 2 + rand(8) } 1 .. 2000;
  open my $text, ">", "text"; print $text join(" ", map { $words[rand(@words) * rand()] } 1 .. 12), "\n" for 1 .. 60000;
  open my $unit, ">", "unit.c";
  for my $i (1 .. 120) {
    print $unit "int f$i(int a, int b) {\n  int s = a;\n  for (int i = 0; i < b; ++i) {\n";
    print $unit "    switch ((s + i) % 5) {\n      case 0: s += i * $i; break;\n      case 1: s ^= b << 2; break;\n",
      "      case 2: if (s > b) s -= ", int(rand(99)), "; break;\n      default: s = s * 3 + (a & i);\n    }\n  }\n";
    print $unit $i > 1 ? "  return s > 0 ? f" . ($i - 1) . "(s, 1) : s;\n}\n" : "  return s;\n}\n";
  }'
cat > sheet.xsl <<'END'
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/list"><out><xsl:for-each select="item"><xsl:sort select="name"/>
<xsl:if test="size &gt; 300"><row id="{@id}"><xsl:value-of select="concat(name, '-', substring(name, 1, 2))"/></row></xsl:if>
</xsl:for-each></out></xsl:template>
</xsl:stylesheet>
END
gcc -E -x c unit.c -o unit.i
cat > words.lua <<'END'
local n = {}
for line in io.lines("text") do for w in line:gmatch("%a+") do n[w] = (n[w] or 0) + 1 end end
local k = {}
for w in pairs(n) do k[#k + 1] = w end
table.sort(k, function(a, b) return n[a] > n[b] or (n[a] == n[b] and a < b) end)
for i = 1, 10 do print(k[i], n[k[i]]) end
END
echo '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) s += n[w] * length(w); print s }' > words.awk
echo 'while (<>) { $n{$_}++ for /[a-z]+/g } print "$_ $n{$_}\n" for (sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n)[0 .. 9];' > words.pl
echo 'BEGIN { @ARGV = "text" }' | cat - words.pl > words.new && mv words.new words.pl
echo 'scale = 900; a(1) * 4' > pi.bc
perl -e '
  srand(9);
  print "create table t(id integer primary key, name text, size int);\nbegin;\n";
  printf "insert into t(name, size) values (\x27%s\x27, %d);\n", join("", map { chr(97 + int(rand(26))) } 1 .. 5), rand(1000) for 1 .. 25000;
  print "commit;\ncreate index i on t(name);\nselect substr(name,1,2) as p, count(*), sum(size) from t group by p order by 3 desc limit 5;\n";
  print "select count(*) from t a join t b on a.name < b.name and a.size = b.size;\n";' > load.sql
perl -e 'srand(11); print "[", join(",", map { sprintf q({"id":%d,"size":%d}), $_, rand(1000) } 1 .. 60000), "]\n"' > \
  list.json
