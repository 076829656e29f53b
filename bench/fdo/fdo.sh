#!/bin/sh
# What a profile is worth: programs built with clang-19 -O2, optimized from profiles of softlbr, from exact counts of the same run and from
# sampled pcs alone, and measured on another input than the profile's.
#
# Use: sh bench/fdo/fdo.sh [BUILD [PROGRAM...]]   BUILD: a built tree with tests, default build/release; programs are those of fdo.table.
# Needs clang-19, lld-19, llvm-19, bolt-19, qemu-user, perl; for instrumentation PGO libclang-rt-19-dev (without it the row is left out).
# Fetches Debian's sources (toolchain/scripts/fetch_sources.sh) unless SOFTLBR_FDO_SOURCES names a folder that has them.
# The paths of this tree and of the folders must not have spaces.
# Environment: SOFTLBR_FDO_PAIRS: pairs of timed runs, default 10. SOFTLBR_FDO_WORK: a folder to keep everything in.
#
# Columns: instructions and taken branches of the whole test run, counted by the emulator (tests/reference), relative to `base`; CPU time
# relative to base, the median of the pairs' ratios and their quartiles.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
build=$(cd "$build" && pwd)
[ $# -eq 0 ] || shift
pairs=${SOFTLBR_FDO_PAIRS:-10}
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
[ -d "$sources" ] || sh "$here/../../toolchain/scripts/fetch_sources.sh" "$sources" $(awk -F' *[|] *' '!/^#/ { print $2 }' "$here/fdo.table")
softlbr=$build/bin/softlbr
exact=$build/bin/exact_counts
base_flags="$llvm/clang -O2 -g -fuse-ld=$llvm/ld.lld -Wl,--emit-relocs -Wl,--build-id -w"
# The emulator has no AVX-512, and libc chooses its functions by the CPU: none of these in either run.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-ERMS,-FSRM,-RTM:glibc.cpu.x86_non_temporal_threshold=0x1000000
export LC_ALL=C

# Inputs: text of two vocabularies, and two Lua programs that do not share their parts.
mkdir -p "$work/inputs"
(cd "$work/inputs" && perl -e '
  sub text { my ($file, $seed, $words, $bytes) = @_; srand $seed; my @w = map { join "", map { chr 97 + int(rand() ** 1.5 * 26) } 1 .. 2 + rand 9 } 1 .. $words;
    open my $f, ">", $file; my $n = 0; while ($n < $bytes) { my $l = join(" ", map { $w[rand() ** 3 * @w] } 1 .. 4 + rand 9) . "\n"; print $f $l; $n += length $l } }
  text("train.text", 1, 5000, 1e6); text("test.text", 2, 20000, 1.5e6);
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
    print(primes, #parts[1], p.x, s) };')

compile() { (cd "$source_folder" && CC="$base_flags $1" OUT="$work/$name/$2" && eval "$compile_command") >"$work/$name/$2.log" 2>&1; }
run() { (cd "$work/inputs" && PROGRAM=$1 && eval "$2") >"${3:-/dev/null}" 2>/dev/null </dev/null; }
# BINARY PROFILE OUT: a profile for -fprofile-sample-use.
sample_profile() {
  "$softlbr" convert --to llvm "$2" -b "$1" -o "$3.unsymbolized" 2>>"$work/$name/log"
  "$llvm/llvm-profgen" --unsymbolized-profile="$3.unsymbolized" --use-offset=0 --binary="$1" --output="$3" --format=extbinary >>"$work/$name/log" 2>&1
}
# BINARY PROFILE OUT: BOLT's result.
bolt() {
  "$softlbr" convert --to bolt "$2" -b "$1" -o "$3.aggregated" 2>>"$work/$name/log"
  "$llvm/perf2bolt" -pa -p "$3.aggregated" -o "$3.fdata" "$1" >>"$work/$name/log" 2>&1
  "$llvm/llvm-bolt" "$1" -data="$3.fdata" -o "$3" -reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions -split-all-cold >>"$work/$name/log" 2>&1
}
# What a profiler without branches has: each sampled pc, as a range of one instruction. PROFILE OUT BINARY
pcs_profile() {
  "$softlbr" dump "$1" | perl -e '
    while (<STDIN>) { $main = $1 if /^module (\S+) .*main=1/; push @s, [$2, $1] if /^sample (\d+) \Q$main\E\+0x([0-9a-f]+)$/ }
    print scalar(@s), "\n"; print "$$_[0]-$$_[0]:$$_[1]\n" for @s; print "0\n"' >"$2.unsymbolized"
  "$llvm/llvm-profgen" --unsymbolized-profile="$2.unsymbolized" --use-offset=0 --binary="$3" --output="$2" --format=extbinary >>"$work/$name/log" 2>&1
}
record() { run "$softlbr record -q --no-children -F 2000 -o $work/$name/$2 -- $1" "$train"; }

measure() {  # a column: its name and binary
  [ -x "$work/$name/$2" ] || { printf '%-10s %-22s not built, see its log\n' "$name" "$1"; return 0; }
  run "$work/$name/$2" "$test" "$work/$name/$2.out" || { printf '%-10s %-22s fails\n' "$name" "$1"; return 0; }
  cmp -s "$work/$name/base.out" "$work/$name/$2.out" || { printf '%-10s %-22s other output\n' "$name" "$1"; return 0; }
  (cd "$work/inputs" && PROGRAM="$exact -o $work/$name/counts -- $work/$name/$2" && eval "$test") >/dev/null 2>"$work/$name/counts.text" </dev/null
  (cd "$work/inputs" && perl "$here/pair_times.pl" "$pairs" "$test" "$work/$name/base" "$work/$name/$2") >"$work/$name/times"
  perl -e '
    my ($name, $label, $text, $base, $times) = @ARGV; local $/;
    open F, "<", $text; my ($i, $b) = <F> =~ /([\d,]+) instructions, ([\d,]+) taken branches/; tr/,//d for $i, $b;
    if (!-e $base) { open F, ">", $base; print F "$i $b" }
    open F, "<", $base; my ($i0, $b0) = split " ", <F>; open F, "<", $times; my $t = <F>; $t =~ s{\s+$}{};
    printf "%-10s %-22s %12.4f %12.4f   %s\n", $name, $label, $i / $i0, $b / $b0, $t' "$name" "$1" "$work/$name/counts.text" "$work/$name/base.counts" "$work/$name/times"
}

printf '%-10s %-22s %12s %12s   %s\n' program build instructions 'taken br.' 'CPU time (quartiles)'
grep -v '^#' "$here/fdo.table" | while IFS='|' read -r name package compile_command train test; do
  name=${name% } package=$(echo $package)
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  mkdir -p "$work/$name/source"
  rm -f "$work/$name/base.counts"
  tar xf "$sources/$package"_*.orig.tar.* -C "$work/$name/source" --strip-components=1
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
    bolt "$work/$name/base" "$work/$name/$profile.slbr" "$work/$name/bolt-$profile" && measure "BOLT $profile" "bolt-$profile"
  done
  pcs_profile "$work/$name/softlbr.slbr" "$work/$name/pcs.prof" "$work/$name/base" &&
    compile "-fprofile-sample-use=$work/$name/pcs.prof" pgo-pcs && measure "PGO pcs alone" pgo-pcs
  if record "$work/$name/pgo-softlbr" pgo.slbr; then
    bolt "$work/$name/pgo-softlbr" "$work/$name/pgo.slbr" "$work/$name/both" && measure "PGO + BOLT softlbr" both
  fi
done
