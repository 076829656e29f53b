#!/usr/bin/perl
# overhead_inputs.pl FOLDER: makes the inputs of the programs in overhead.table. The same ones on every machine.
use strict;
use warnings;

my $folder = shift // die "usage: overhead_inputs.pl FOLDER\n";
chdir $folder or die "$folder: $!\n";

sub make {
  my ($name, $text) = @_;
  open my $out, '>', $name or die "$name: $!\n";
  print $out $text;
  close $out or die "$name: $!\n";
}

my $state = 12345;
sub draw { $state = ($state * 1103515245 + 12345) & 0x7fffffff; return int(($state >> 8) * $_[0] / (1 << 23)) }

my @words = map { join '', map { chr(97 + draw(26)) } 0 .. 1 + draw(9) } 1 .. 4000;
my $text = '';
$text .= $words[draw(1 + draw(4000))] . (draw(12) ? ' ' : "\n") while length $text < 8_000_000;
make('text', $text);
make("text$_", $text x $_) for 5, 9, 15, 45;
make('lines', join("\n", map { $words[draw(4000)] . $words[draw(4000)] . draw(100000) } 1 .. 5_000_000) . "\n");

make('words.pl', <<'END');
my (%h, $n);
for my $round (1 .. 20) {
  open F, 'text';
  while (<F>) { for my $w (split ' ') { $h{$w}++; $n++ if $w =~ /[aeiou]{2}/; } }
}
print "$n ", scalar(keys %h), "\n";
END
make('words.py', <<'END');
h = {}
n = 0
for line in list(open('text')) * 20:
  for w in line.split():
    h[w] = h.get(w, 0) + 1
    if 'ae' in w or 'ou' in w: n += 1
print(n, len(h), sorted(h, key=lambda w: (-h[w], w))[:10])
END
make('words.awk', '{ for (i = 1; i <= NF; i++) { h[$i]++; if ($i ~ /[aeiou][aeiou]/) n++ } } END { print n; for (w in h) k++; print k }' . "\n");
make('words.lua', <<'END');
local h, n = {}, 0
for round = 1, tonumber(arg[1]) do
for line in io.lines('text') do
  for w in line:gmatch('%a+') do h[w] = (h[w] or 0) + 1; if w:find('ae') then n = n + 1 end end
end
end
local k = 0
for _ in pairs(h) do k = k + 1 end
print(n, k)
END
make('loops.lua', <<'END');
local x, n = 1.0, 0
for i = 1, 1500000000 do
  x = x * 1.0000001 + 0.5
  if x > 2 then x = x - 1.5 end
  if x < 1.2 then n = n + 1 end
end
print(n, x)
END
make('words.js', <<'END');
const lines = require('fs').readFileSync('text', 'utf8').split('\n');
let n = 0;
const h = new Map();
for (let round = 0; round < 30; ++round)
  for (const line of lines)
    for (const w of line.split(' ')) { h.set(w, (h.get(w) || 0) + 1); if (/[aeiou]{2}/.test(w)) ++n; }
console.log(n, h.size);
END
make('collect.js', <<'END');
let live = [];
let sum = 0;
for (let i = 0; i < 140e6; ++i) {
  live[i % 50000] = {value: i, text: 'k' + i % 977, next: live[(i * 7) % 50000] ? i : null};
  if (i % 3 === 0) sum += live[i % 50000].text.length;
}
console.log(sum);
END
make('Words.java', <<'END');
import java.nio.file.*;
import java.util.*;
public class Words {
  public static void main(String[] arguments) throws Exception {
    Map<String, Integer> h = new HashMap<>();
    long n = 0;
    for (int round = 0; round < 25; ++round)
      for (String line : Files.readAllLines(Path.of("text")))
        for (String w : line.split(" ")) { h.merge(w, 1, Integer::sum); if (w.contains("ae") || w.contains("ou")) ++n; }
    System.out.println(n + " " + h.size());
  }
}
END
make('Collect.java', <<'END');
public class Collect {
  static final class Node { Node next; long value; Node(Node n, long v) { next = n; value = v; } }
  public static void main(String[] arguments) throws Exception {
    Thread[] threads = new Thread[2];
    long[] sums = new long[2];
    for (int t = 0; t < 2; ++t) {
      final int index = t;
      threads[t] = new Thread(() -> {
        Node[] live = new Node[20000];
        for (int i = 0; i < 280000000; ++i) live[i * 31 % 20000 & 0x3fff] = new Node(i % 5 == 0 ? null : live[i % 20000 & 0x3fff], i);
        for (Node n : live) if (n != null) sums[index] += n.value;
      });
      threads[t].start();
    }
    for (Thread t : threads) t.join();
    System.out.println(sums[0] + sums[1] != 0);
  }
}
END
make('pi.bc', "scale=3000\na(1)*4\nquit\n");

my $sql = "create table t(a integer, b text, c integer);\nbegin;\n";
$sql .= 'insert into t values(' . draw(100000) . ",'$words[draw(4000)]'," . draw(1000) . ");\n" for 1 .. 700_000;
make('load.sql', $sql . <<'END');
commit;
create index i on t(a);
select count(*), sum(c) from t where a between 1000 and 60000;
select b, count(*) n, sum(c) from t group by b order by n desc, b limit 10;
select count(*) from t x join t y on x.a = y.a where x.c < y.c;
END

my $unit = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";
for my $n (0 .. 999) {
  my $bytes = 8 + $n % 24;
  $unit .= "struct s$n { int a, b; char c[$bytes]; struct s$n *next; };\n"
    . "int f$n(struct s$n *p, int k) { int r = 0; for (; p; p = p->next) { if (p->a > k) r += p->b * $n; else if (p->c[k & 7] == 'x') {"
    . " r -= p->a; switch (r & 7) { case 0: r ^= k; break; case 3: r += 7; break; case 5: memset(p->c, 0, sizeof p->c); break;"
    . " default: r <<= 1; } } else r = abs(r - k); } return r; }\n";
}
make('unit.c', $unit);

make('data.xml', "<list>\n" . join('', map { "<item id=\"$_\"><name>$words[draw(4000)]</name><size>" . draw(1000) .
  "</size></item>\n" } 1 .. 600000) . "</list>\n");
make('sheet.xsl', '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/list"><out>'
  . '<xsl:for-each select="item[size &gt; 200]"><xsl:sort select="name"/><xsl:sort select="size" data-type="number"/>'
  . '<x n="{position()}"><xsl:value-of select="concat(name,\'-\',size)"/></x></xsl:for-each></out></xsl:template></xsl:stylesheet>' . "\n");

my @amino = split //, 'ACDEFGHIKLMNPQRSTVWY';
my @seed = map { $amino[draw(20)] } 1 .. 180;
make('family.sto', "# STOCKHOLM 1.0\n" . join('',
  map { my $s = $_; "seq$s " . join('', map { draw(4) ? $_ : $amino[draw(20)] } @seed) . "\n" } 0 .. 7) . "//\n");
make('proteins.fa', join('', map { ">p$_\n" . join('', map { $amino[draw(20)] } 1 .. 150 + draw(300)) . "\n" } 1
  .. 9000));

make('nginx.conf', <<'END');
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events { }
http { access_log off; client_body_temp_path .; proxy_temp_path .; fastcgi_temp_path .; uwsgi_temp_path .; scgi_temp_path .;
  server { listen 127.0.0.1:18080; location / { root .; gzip on; gzip_types *; gzip_min_length 1; } } }
END
make('page.html', substr($text, 0, 6000));
make('nginx-client', <<'END');
#!/bin/sh
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  ab -q -n 1 http://127.0.0.1:18080/page.html >/dev/null 2>&1 && break
  sleep 0.1
done
ab -q -k -c 8 -n 150000 -H 'Accept-Encoding: gzip' http://127.0.0.1:18080/page.html >/dev/null
result=$?
kill -TERM "$(cat nginx.pid)"
exit $result
END
make('redis-client', <<'END');
#!/bin/sh
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  redis-cli -s ./redis.sock ping 2>/dev/null | grep -q PONG && break
  sleep 0.1
done
redis-benchmark -q -s ./redis.sock -c 16 -n 900000 -t set,get,lpush >/dev/null &&
  redis-benchmark -q -s ./redis.sock -c 16 -n 120000 -t lrange_100 >/dev/null
result=$?
redis-cli -s ./redis.sock shutdown nosave
exit $result
END
chmod 0755, 'nginx-client', 'redis-client';
