#!/bin/sh
# From a clone to the report of a real program: installs what a build needs, builds softlbr, records Debian's perl,
# shows the report.
#
# Use: sh toolchain/demo.sh           no terminal needed
#      sh toolchain/demo.sh --fdo     then records a program with debug information, and passes its profile to
#                                     perf2bolt, llvm-bolt, llvm-profgen and clang (installs the packages of the tests)
# The build stays in build/release. All other output goes to a new folder, which is kept and whose path is printed. Exit
# 0 only if every step worked.
set -eu

fdo=
case ${1-} in
  '') ;;
  --fdo) fdo=yes ;;
  *) printf 'usage: sh toolchain/demo.sh [--fdo]\n' >&2; exit 2 ;;
esac
top=$(cd "$(dirname "$0")/.." && pwd)
sh "$top/toolchain/scripts/setup.sh" ${fdo:+--tests} </dev/null
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-demo.XXXXXX")
trap 'code=$?; [ $code = 0 ] || echo "demo: failed (exit $code); what it left is in $work" >&2' EXIT

heading() { printf '\n== %s\n' "$*"; }
# Prints a command, then runs it.
run() {
  printf '$ %s\n' "$*"
  "$@"
}
# The same, but prints only output lines that match PATTERN; all output if the command fails.
run_showing() {
  pattern=$1
  shift
  printf '$ %s\n' "$*"
  "$@" >said 2>&1 || { cat said; return 1; }
  grep -E "$pattern" said || true
}

heading "build"
cd "$top"
# Without the tests, unless the folder already has a build with them.
[ -e build/release/CMakeCache.txt ] || options="-DSOFTLBR_TESTS=OFF -DSOFTLBR_BENCHMARKS=OFF"
cmake --preset release ${options-} >"$work/configure.log" 2>&1 || { cat "$work/configure.log"; exit 1; }
cmake --build --preset release --target all >"$work/build.log" 2>&1 || { tail -n 60 "$work/build.log"; exit 1; }
PATH=$top/build/release/bin:$PATH
echo "build/release/bin/softlbr"
cd "$work"

heading "what this machine offers"
run softlbr doctor || echo "(doctor found something to mend; see above)"

heading "record perl, count words, show where its time goes"
cat >words.pl <<'PERL'
my ($seed, %count) = (1);
for (1 .. 3_000_000) {
  $seed = ($seed * 1103515245 + 12345) % 2147483648;
  my $word = join '', map { chr(97 + ($seed >> $_) % 26) } 3, 9, 15;
  $count{$word}++ if $word =~ /^[a-m].*[aeiou]/;
}
my @most = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
print "$_ $count{$_}\n" for @most[0 .. 2];
PERL
run softlbr record -o perl.slbr -- perl words.pl
run softlbr report --top 12 perl.slbr
[ -n "$fdo" ] || { heading "done"; echo "profile: $work/perl.slbr (softlbr help shows what else can be done with it)"
exit 0; }

heading "record a program with debug information"
source=$top/tests/truth/programs/containers.cc
run clang++-19 -O2 -g -fdebug-info-for-profiling -fuse-ld=lld -Wl,--emit-relocs -o before "$source"
run softlbr record -o before.slbr -F 2000 -- ./before 12000

heading "BOLT"
run softlbr convert --to bolt -b before -o before.bolt before.slbr
run_showing 'mismatch|Out of range|wrote' perf2bolt-19 --aggregate-only -pa -p before.bolt -o before.fdata before
run_showing 'non-empty|modified layout|overwritten' llvm-bolt-19 before -o after_bolt -data=before.fdata \
  -reorder-blocks=ext-tsp -reorder-functions=hfsort
run ./after_bolt 10

heading "LLVM sample profile"
run softlbr convert --to llvm -b before -o before.llvm before.slbr
run llvm-profgen-19 --unsymbolized-profile=before.llvm --use-offset=0 --binary=before --output=before.prof
run_showing '%' llvm-profdata-19 show --sample --topn=5 --hot-func-list before.prof
run clang++-19 -O2 -g -fprofile-sample-use=before.prof -o after_llvm "$source"
run ./after_llvm 10

heading "done"
echo "everything is in $work"
