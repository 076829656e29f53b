#!/bin/sh
# What a first `softlbr record` without options shows and costs, over the programs of real_programs.
#
# Use: sh bench/first_look.sh [BUILD [SECONDS [ROUNDS [OPTIONS [PROGRAM...]]]]] default: build/release 1 3 "" all
# programs OPTIONS are given to `softlbr record`, as in "--production". Each program works for about SECONDS of CPU
# time: its input is made so large. In each round it runs alone and recorded, in turn. Prints for each program the CPU
# time alone, the overlap of the recordings of the first two rounds, the overlap that `softlbr stats` expects, traces,
# the overhead that the profile tells, and the median over the rounds of what the recording added to the program's CPU
# time (user and system), both in per cent.
# Needs bash. Programs that are not installed are left out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build/release}
build=$(cd "$build" && pwd)
seconds=${2:-1}
rounds=${3:-3}
options=${4:-}
[ $# -lt 4 ] && shift $# || shift 4

work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-first-look.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/inputs" "$work/run"
"$build/bin/real_programs" --inputs "$work/inputs" 2>/dev/null
cd "$work/run"
export PYTHONHASHSEED=0 PERL_HASH_SEED=0 LC_ALL=C

# The input of a program, so much as takes `$2` times the time of the usual one.
scale() {
  perl - "$1" "$2" <<'PERL'
use strict;
use warnings;
my ($name, $factor) = @ARGV;
sub bytes_of { open my $in, '<:raw', "../inputs/$_[0]" or die "$_[0]: $!\n"; return join '', <$in> }
sub put { my $file = shift; open my $out, '>:raw', $file or die "$file: $!\n"; print $out @_ }
# So many parts, again from the first after the last.
sub parts { my ($count, @parts) = @_; return map { $parts[$_ % @parts] } 0 .. ($count < 1 ? 0 : int($count) - 1) }
sub repeated { my $data = bytes_of($_[0]); put($_[0], $data x int $factor, substr $data, 0, int(length($data) * ($factor - int $factor))) }
if ($name =~ /^(?:gzip|bzip2|xz|perl|python3|lua)$/) { repeated('text') }
elsif ($name eq 'x264') { repeated('clip.yuv') }
elsif ($name eq 'hmmsearch') {
  my (undef, @proteins) = split />/, bytes_of('proteins.fa');
  my $i = 0;
  put('proteins.fa', map { '>c' . $i++ . "_$_" } parts(@proteins * $factor, @proteins));
} elsif ($name eq 'sqlite3') { put('load.sql', parts($factor + .5, bytes_of('load.sql') . "drop table t;\n")) }
elsif ($name eq 'xsltproc') {
  my @items = grep { /^<item/ } split /^/, bytes_of('data.xml');
  put('data.xml', "<list>\n", parts(@items * $factor, @items), "</list>\n");
} elsif ($name eq 'cc1') {
  my ($head, $rest) = bytes_of('unit.i') =~ /^(.*?\n)(struct s0 .*)$/s;
  my @body = grep { /\S/ } split /^/, $rest;
  my $wanted = int(@body * $factor / 2) * 2 || 2;
  my $i = 0;
  put('unit.i', $head, map { my $copy = int($i++ / @body); s/\b([sf])(\d+)\b/$1${copy}_$2/gr } parts($wanted, @body));
}
PERL
}
number() { sed -n "s/^ *\"$1\": *\([0-9.]*\).*/\1/p" | head -1; }
# CPU time of a command and its children, in ms.
cpu_ms() { bash -c "TIMEFORMAT='%3U %3S'; time (eval \"\$0\" >out.txt 2>err.txt </dev/null)" "$1" 2>&1 |
  awk '{print int(($1 + $2) * 1000)}'; }

printf '%-10s %7s %8s %9s %7s %6s %7s\n' program 'CPU s' overlap expected traces told added
while IFS='|' read -r name file command; do
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  [ -e "$file" ] || continue
  usual=100000
  case $name in
    stockfish) run=$(printf "$command" $usual) ;;
    *) run=$command ;;
  esac
  cp ../inputs/* .
  once=$(cpu_ms "$run")
  factor=$(awk "BEGIN {print $seconds * 1000 / ($once + 1)}")
  case $name in
    stockfish) run=$(printf "$command" "$(awk "BEGIN {print int($usual * $factor)}")") ;;
    *) scale "$name" "$factor" ;;
  esac
  added=
  alone_ms=0
  round=0
  while [ $round -lt "$rounds" ]; do
    alone_ms=$(cpu_ms "$run")
    recorded_ms=$(cpu_ms "'$build/bin/softlbr' record -q $options -o $round.slbr -- $run")
    added="$added $(awk "BEGIN {print 100 * ($recorded_ms - $alone_ms) / $alone_ms}")"
    round=$((round + 1))
  done
  stats=$("$build/bin/softlbr" stats --json 0.slbr)
  told=$(printf '%s' "$stats" |
    perl -MJSON::PP -0777 -ne '$s = decode_json($_); print 100 * $s->{overhead_ns}{total} / $s->{app_cpu_ns}')
  printf '%-10s %7.2f %8.3f %9.3f %7s %6.2f %7.1f\n' "$name" "$(awk "BEGIN {print $alone_ms / 1000}")" \
    "$("$build/bin/softlbr" diff --json --top 0 0.slbr 1.slbr | number overlap)" \
    "$(printf '%s' "$stats" | number expected_overlap)" \
    "$(printf '%s' "$stats" | number traces_complete)" "$told" \
    "$(printf '%s\n' $added | sort -n | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}')"
done <<'TABLE'
gzip|/usr/bin/gzip|gzip -6 -c text
bzip2|/usr/bin/bzip2|bzip2 -9 -c text
xz|/usr/bin/xz|xz -3 -T1 -c text
perl|/usr/bin/perl|perl words.pl
python3|/usr/bin/python3|/usr/bin/python3 words.py
sqlite3|/usr/bin/sqlite3|sqlite3 :memory: '.read load.sql'
lua|/usr/bin/lua5.4|lua5.4 words.lua
cc1|/usr/lib/gcc/x86_64-linux-gnu/12/cc1|/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 -fpreprocessed unit.i -o /dev/null
xsltproc|/usr/bin/xsltproc|xsltproc sheet.xsl data.xml
stockfish|/usr/games/stockfish|/usr/games/stockfish bench 16 1 %d default nodes
hmmsearch|/usr/bin/hmmsearch|hmmsearch --cpu 0 family.hmm proteins.fa
x264|/usr/bin/x264|x264 --threads 1 --preset medium --input-res 320x240 --fps 25 --demuxer raw -o /dev/null clip.yuv
TABLE
