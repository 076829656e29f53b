#!/bin/sh
# What a profile is worth: programs built with clang-19 -O2, optimized from profiles of softlbr, from exact counts of
# the same run and from sampled pcs alone, and measured on another input than the profile's.
#
# Use: sh studies/fdo/fdo.sh [BUILD [PROGRAM...]]   BUILD: a built tree with tests, default build/release; programs are
#                                                   those of fdo.table. Needs clang-19, lld-19, llvm-19, bolt-19,
#                                                   qemu-user, perl; for instrumentation PGO libclang-rt-19-dev (without
#                                                   it the row is left out). Fetches Debian's sources
#                                                   (toolchain/scripts/fetch_sources.sh) unless SOFTLBR_FDO_SOURCES
#                                                   names a folder that has them.
# The paths of this tree and of the folders must not have spaces.
# Environment: SOFTLBR_FDO_PAIRS: pairs of timed runs, default 10. SOFTLBR_FDO_WORK: a folder to keep everything in.
# SOFTLBR_FDO_SECONDS: how long to record at most, default 20.
#
# Columns: instructions and taken branches of the whole test run, counted by the emulator (tests/reference), relative to
# `base`; CPU time relative to base, the median of the pairs' ratios and their quartiles.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
build=$(cd "$build" && pwd)
[ $# -eq 0 ] || shift
pairs=${SOFTLBR_FDO_PAIRS:-10}
record_seconds=${SOFTLBR_FDO_SECONDS:-20}
llvm=/usr/lib/llvm-19/bin
for tool in clang ld.lld llvm-profgen llvm-profdata llvm-bolt perf2bolt; do
  [ -x "$llvm/$tool" ] || { echo "fdo.sh: needs $llvm/$tool (Debian: clang-19 lld-19 llvm-19 bolt-19)" >&2; exit 2; }
done
command -v qemu-x86_64 >/dev/null || { echo "fdo.sh: needs qemu-x86_64 (Debian: qemu-user)" >&2; exit 2; }
if [ -n "${SOFTLBR_FDO_WORK:-}" ]; then
  mkdir -p "$SOFTLBR_FDO_WORK"
  work=$(cd "$SOFTLBR_FDO_WORK" && pwd)
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-fdo.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
fi
sources=${SOFTLBR_FDO_SOURCES:-$work/sources}
[ -d "$sources" ] || sh "$here/../../toolchain/scripts/fetch_sources.sh" "$sources" $(awk \
  -F' *[|] *' '!/^#/ { print $2 }' "$here/fdo.table")
softlbr=$build/bin/softlbr
exact=$build/bin/exact_counts
base_flags="-O2 -g -fuse-ld=$llvm/ld.lld -Wl,--emit-relocs -Wl,--build-id -w"
# The emulator has no AVX-512, and libc chooses its functions by the CPU: none of these in either run.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-ERMS,-FSRM,-RTM:glibc.cpu.x86_non_temporal_threshold=0x1000000
export LC_ALL=C
export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0  # the order of hash keys is that of every run

# Inputs, for training and test: text of two vocabularies, lists of words, sound (16 bits, 8 kHz) with other tones and
# pauses, and programs in Lua, SQL and Perl that do not share their parts.
mkdir -p "$work/inputs"
(cd "$work/inputs" && perl -e '
  sub text { my ($file, $seed, $words, $bytes) = @_; srand $seed; my @w = map { join "", map { chr 97 + int(rand() ** 1.5 * 26) } 1 .. 2 + rand 9 } 1 .. $words;
    open my $f, ">", $file; my $n = 0; while ($n < $bytes) { my $l = join(" ", map { $w[rand() ** 3 * @w] } 1 .. 4 + rand 9) . "\n"; print $f $l; $n += length $l } }
  text("train.text", 1, 5000, 1e6); text("test.text", 2, 20000, 1.5e6);
  sub words { my ($file, $seed, $number) = @_; srand $seed; my %w; $w{join "", map { chr 97 + int(rand() ** 1.5 * 26) } 1 .. 3 + rand 9} = 1 while keys %w < $number;
    open my $f, ">", $file; print $f "$_\n" for sort keys %w }
  words("train.words", 3, 1000); words("test.words", 4, 1300);
  sub sound { my ($file, $seed, $samples, $pitch) = @_; srand $seed; my ($phase, $bytes) = (0, ""); for my $i (1 .. $samples) { my $t = $i / 8000;
      $phase += ($pitch + $pitch * sin(3 * $t)) / 1273; $bytes .= pack "s<", 8000 * (0.5 + 0.5 * sin(7 * $t)) * (sin($phase) + 0.4 * sin(2.1 * $phase)) + 600 * (rand() - 0.5) }
    open my $f, ">:raw", $file; print $f $bytes }
  sound("train.pcm", 5, 1.2e6, 200); sound("test.pcm", 6, 1.6e6, 310);
  sub quoted { $_[0] =~ tr/~/\x27/r }  # no such quote may stand in this script
  open my $sql, ">", "train.sql"; print $sql quoted q{
    CREATE TABLE t(a INTEGER PRIMARY KEY, b INT, c TEXT); BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      INSERT INTO t SELECT i, i * 7919 % 10007, printf(~%d-%x~, i * 31 % 1009, i) FROM n; COMMIT;
    CREATE INDEX tb ON t(b); CREATE INDEX tc ON t(c);
    SELECT count(*), avg(b) FROM t WHERE b BETWEEN 1000 AND 4000; SELECT sum(a) FROM t WHERE c LIKE ~10%~;
    SELECT substr(c, 1, 2) AS k, count(*), max(b) FROM t GROUP BY k ORDER BY 2 DESC, 1 LIMIT 5;
    SELECT count(*) FROM t AS x JOIN t AS y ON x.b = y.a WHERE x.a < 20000; UPDATE t SET b = b + a % 7 WHERE a % 3 = 0; DELETE FROM t WHERE a % 5 = 1;
    SELECT count(*), sum(b) FROM t;};
  open $sql, ">", "test.sql"; print $sql quoted q{
    CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT UNIQUE, town INT, born REAL); CREATE TABLE towns(id INTEGER PRIMARY KEY, name TEXT); BEGIN;
    WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 300) INSERT INTO towns SELECT i, hex(i * i) || ~-town~ FROM n;
    WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO people SELECT i, lower(hex(i * 104729 % 65537)) || i, i * 13 % 300 + 1, 1950 + i % 997 / 20.0 FROM n; COMMIT;
    SELECT towns.name, count(*), round(avg(born), 3) FROM people JOIN towns ON towns.id = town GROUP BY town ORDER BY 2 DESC, 1 LIMIT 8;
    SELECT count(*) FROM people WHERE name GLOB ~a*[0-5]~; SELECT id, name FROM people WHERE born > 1990 ORDER BY name DESC LIMIT 10 OFFSET 900;
    SELECT count(DISTINCT town) FROM people WHERE id IN (SELECT id * 3 FROM people WHERE id % 7 = 2);
    WITH r AS (SELECT town, id, row_number() OVER (PARTITION BY town ORDER BY born, id) AS n FROM people) SELECT sum(id) FROM r WHERE n <= 3;
    CREATE TRIGGER moved AFTER UPDATE OF town ON people BEGIN UPDATE towns SET name = name || ~+~ WHERE id = new.town AND length(name) < 40; END;
    UPDATE people SET town = town % 300 + 1 WHERE id % 11 = 0; SELECT max(length(name)), count(*) FROM towns; PRAGMA integrity_check;};
  open my $f, ">", "train.lua"; print $f q{
    local n = tonumber(arg[1])
    local words = {}
    for i = 1, n * 400 do words[i] = string.format("%d-%x", i * 7919 % 1009, i) end
    for round = 1, n do
      local count = {}
      for _, w in ipairs(words) do local k = w:match("^%d+"); count[k] = (count[k] or 0) + 1 end
      table.sort(words, function(a, b) return #a == #b and a < b or #a < #b end)
    end
    local function fib(x) if x < 2 then return x end return fib(x - 1) + fib(x - 2) end
    print(fib(24), #words) };
  open $f, ">", "test.lua"; print $f q{
    local n = tonumber(arg[1])
    local sieve, primes = {}, 0
    for i = 2, n * 3000 do if not sieve[i] then primes = primes + 1; for j = i * i, n * 3000, i do sieve[j] = true end end end
    local parts = {}
    for i = 1, n * 600 do parts[#parts + 1] = ("x"):rep(i % 7) .. i; if #parts > 50 then parts = { table.concat(parts, ","):sub(1, 40) } end end
    local Point = {}; Point.__index = Point
    local function new(x) return setmetatable({ x = x }, Point) end
    function Point:add(o) return new(self.x + o.x) end
    local p = new(0); for i = 1, n * 2000 do p = p:add(new(i % 3)) end
    local c = coroutine.wrap(function() for i = 1, n * 800 do coroutine.yield(i) end end)
    local s = 0; for i = 1, n * 800 do s = s + c() end
    print(primes, #parts[1], p.x, s) };
  open $f, ">", "train.pl"; print $f q{
    open my $in, "<", "train.text" or die; my (%count, @lines, %first);
    while (my $line = <$in>) { chomp $line; push @lines, $line; $count{$_}++ for split / /, $line }
    print "$_ $count{$_}\n" for (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 9];
    my ($doubles, $vowels, $text) = (0, 0, "");
    for my $round (1 .. 4) { for (@lines) { $doubles++ while /([a-z])\1/g; $vowels += tr/aeiou//; push @{$first{substr $_, 0, 1}}, length }
      for my $line (@lines) { (my $copy = $line) =~ s/\b([a-z])([a-z]*)/\u$1$2/g; $text .= $copy if $copy =~ /^A.*(?:ing|ab|ca)/ } }
    sub mean { my $sum = 0; $sum += $_ for @_; return $sum / @_ }
    printf "%s %.2f\n", $_, mean(@{$first{$_}}) for sort keys %first;
    print "$doubles $vowels ", length $text, "\n"; };
  open $f, ">", "test.pl"; print $f q{
    package Node; sub new { my ($class, %of) = @_; return bless { %of, children => {} }, $class }
    sub add { my ($node, @path) = @_; $node->{number}++; return unless @path; my $next = shift @path;
      ($node->{children}{$next} ||= Node->new(name => $next))->add(@path) }
    sub depth { my $most = 0; for (values %{$_[0]{children}}) { my $d = $_->depth; $most = $d if $d > $most } return 1 + $most }
    package main; my $tree = Node->new(name => ""); my (%pairs, @records, $previous);
    open my $in, "<", "test.text" or die; local $/; my $all = <$in>;
    for my $word (split /\s+/, $all) { $tree->add(split //, $word) if length $word < 8; $pairs{"$previous $word"} .= "x" if defined $previous; $previous = $word }
    while ($all =~ /^(\w+) (\w{3,}) .*?([aeiou]{2,}|q\w*)/mg) { push @records, { key => $1, name => uc $2, rest => join "-", reverse split //, $3 } }
    my @sorted = map { $_->[1] } sort { $a->[0] <=> $b->[0] or $a->[1]{name} cmp $b->[1]{name} } map { [length $_->{key}, $_] } @records;
    sub distance { my ($x, $y) = @_; my @row = 0 .. length $y;
      for my $i (1 .. length $x) { my @new = ($i); for my $j (1 .. length $y) { my $cost = $row[$j - 1] + (substr($x, $i - 1, 1) ne substr($y, $j - 1, 1));
        $cost = $row[$j] + 1 if $row[$j] < $cost; $cost = $new[-1] + 1 if $new[-1] < $cost; push @new, $cost } @row = @new } return $row[-1] }
    my $sum = 0; $sum += distance($sorted[$_ - 1]{name}, $sorted[$_]{name}) for 1 .. 3000;
    my $bytes = join "", map { pack "nCa4", $_ % 60000, $_ % 251, sprintf "%04x", $_ * 7 } 1 .. 30000; my $check = 0; $check = ($check * 31 + $_) % 65521 for unpack "n*", $bytes;
    print join(" ", $tree->{number}, $tree->depth, scalar(keys %pairs), length(join "", sort { $a cmp $b } values %pairs), scalar(@sorted), $sum, $check), "\n";
    printf "%-12s %s %s\n", @{$_}{qw(key name rest)} for @sorted[0 .. 4, -5 .. -1]; };')

compile() { (cd "$source_folder" &&
  CC="$llvm/clang $base_flags $1" CXX="$llvm/clang++ $base_flags $1" OUT="$work/$name/$2" &&
  eval "$compile_command") >"$work/$name/$2.log" 2>&1; }
run() { (cd "$work/inputs" && PROGRAM=$1 && eval "$2") >"${3:-/dev/null}" 2>/dev/null </dev/null; }
# BINARY PROFILE OUT: a profile for -fprofile-sample-use.
sample_profile() {
  "$softlbr" convert --to llvm "$2" -b "$1" -o "$3.unsymbolized" 2>>"$work/$name/log"
  "$llvm/llvm-profgen" --unsymbolized-profile="$3.unsymbolized" --use-offset=0 --binary="$1" --output="$3" \
    --format=extbinary >>"$work/$name/log" 2>&1
}
# BINARY FDATA OUT
apply_bolt() {
  "$llvm/llvm-bolt" "$1" -data="$2" -o "$3" -reorder-blocks=ext-tsp -reorder-functions=hfsort \
    -split-functions -split-all-cold >>"$work/$name/log" 2>&1
}
# BINARY PROFILE OUT: BOLT's result.
bolt() {
  "$softlbr" convert --to bolt "$2" -b "$1" -o "$3.aggregated" 2>>"$work/$name/log"
  "$llvm/perf2bolt" -pa -p "$3.aggregated" -o "$3.fdata" "$1" >>"$work/$name/log" 2>&1
  apply_bolt "$1" "$3.fdata" "$3"
}
# What a profiler without branches has: each sampled pc, as a range of one instruction. PROFILE OUT BINARY
pcs_profile() {
  "$softlbr" dump "$1" | perl -e '
    while (<STDIN>) { $main = $1 if /^module (\S+) .*main=1/; push @s, [$2, $1] if /^sample (\d+) \Q$main\E\+0x([0-9a-f]+)$/ }
    print scalar(@s), "\n"; print "$$_[0]-$$_[0]:$$_[1]\n" for @s; print "0\n"' >"$2.unsymbolized"
  "$llvm/llvm-profgen" --unsymbolized-profile="$2.unsymbolized" --use-offset=0 --binary="$3" --output="$2" \
    --format=extbinary >>"$work/$name/log" 2>&1
}
# BINARY OUT: as `softlbr optimize` records: run after run, until a second recording of them all would overlap by 0.98.
record() {
  run "$softlbr optimize --step record --enough 0.98 --record-seconds $record_seconds --work $work/$name/$2.runs -- $1" "$train" "$work/$name/$2.log" &&
    mv "$work/$name/$2.runs/profile.slbr" "$work/$name/$2"
}

measure() {  # a column: its name and binary
  [ -x "$work/$name/$2" ] || { printf '%-10s %-22s not built, see its log\n' "$name" "$1"; return 0; }
  run "$work/$name/$2" "$test" "$work/$name/$2.out" || { printf '%-10s %-22s fails\n' "$name" "$1"; return 0; }
  cmp -s "$work/$name/base.out" "$work/$name/$2.out" || { printf '%-10s %-22s other output\n' "$name" "$1"; return 0; }
  (cd "$work/inputs" && PROGRAM="$exact -o $work/$name/counts -- $work/$name/$2" &&
    eval "$test") >/dev/null 2>"$work/$name/counts.text" </dev/null
  (cd "$work/inputs" && perl "$here/pair_times.pl" "$pairs" "$test" "$work/$name/base" "$work/$name/$2") \
    >"$work/$name/times"
  perl -e '
    my ($name, $label, $text, $base, $times) = @ARGV; local $/;
    open F, "<", $text; my ($i, $b) = <F> =~ /([\d,]+) instructions, ([\d,]+) taken branches/; tr/,//d for $i, $b;
    if (!-e $base) { open F, ">", $base; print F "$i $b" }
    open F, "<", $base; my ($i0, $b0) = split " ", <F>; open F, "<", $times; my $t = <F>; $t =~ s{\s+$}{};
    printf "%-10s %-22s %12.4f %12.4f   %s\n", $name, $label, $i / $i0, $b / $b0, $t' "$name" "$1" \
      "$work/$name/counts.text" "$work/$name/base.counts" "$work/$name/times"
}

printf '%-10s %-22s %12s %12s   %s\n' program build instructions 'taken br.' 'CPU time (quartiles)'
grep -v '^#' "$here/fdo.table" | while IFS='|' read -r name package compile_command train test; do
  name=${name% } package=$(echo $package)
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  mkdir -p "$work/$name/source"
  rm -f "$work/$name/base.counts"
  tar xf "$(ls "$sources/$package"_*.orig.tar.* | grep -v "[.]asc$")" -C "$work/$name/source" --strip-components=1
  source_folder=$work/$name/source
  compile "" base || { echo "$name: cannot be compiled, see $work/$name/base.log"; continue; }
  record "$work/$name/base" softlbr.slbr
  run "$exact -q -o $work/$name/exact.slbr -- $work/$name/base" "$train"
  printf '%-10s overlap of the recording with exact counts: %s\n' "$name" \
    "$("$softlbr" diff --json --top 0 "$work/$name/exact.slbr" "$work/$name/softlbr.slbr" | sed -n 's/.*"overlap": *\([0-9.]*\).*/\1/p')"
  measure base base
  if compile "-fprofile-instr-generate=$work/$name/raw" instrumented; then
    run "$work/$name/instrumented" "$train"
    "$llvm/llvm-profdata" merge -o "$work/$name/instr.prof" "$work/$name/raw"
    compile "-fprofile-instr-use=$work/$name/instr.prof" pgo-instr && measure "PGO instrumentation" pgo-instr
  else
    printf '%-10s %-22s not built: libclang-rt-19-dev is missing\n' "$name" 'PGO instrumentation'
  fi
  for profile in softlbr exact; do
    sample_profile "$work/$name/base" "$work/$name/$profile.slbr" "$work/$name/$profile.prof" &&
      compile "-fprofile-sample-use=$work/$name/$profile.prof" "pgo-$profile" && measure "PGO $profile" "pgo-$profile"
    bolt "$work/$name/base" "$work/$name/$profile.slbr" "$work/$name/bolt-$profile" &&
      measure "BOLT $profile" "bolt-$profile"
  done
  pcs_profile "$work/$name/softlbr.slbr" "$work/$name/pcs.prof" "$work/$name/base" &&
    compile "-fprofile-sample-use=$work/$name/pcs.prof" pgo-pcs && measure "PGO pcs alone" pgo-pcs
  "$softlbr" dump "$work/$name/softlbr.slbr" | perl "$here/pcs_fdata.pl" "$work/$name/base" >"$work/$name/pcs.fdata"
  apply_bolt "$work/$name/base" "$work/$name/pcs.fdata" "$work/$name/bolt-pcs" && measure "BOLT pcs alone" bolt-pcs
  if record "$work/$name/pgo-softlbr" pgo.slbr; then
    bolt "$work/$name/pgo-softlbr" "$work/$name/pgo.slbr" "$work/$name/both" && measure "PGO + BOLT softlbr" both
  fi
done
