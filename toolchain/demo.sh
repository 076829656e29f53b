#!/bin/sh
# Demonstrates softlbr on real programs: builds it, records Debian's sqlite3 and prints reports, then records a program with debug
# information and passes its profile to perf2bolt, llvm-profgen and clang.
#
# Use: sh toolchain/demo.sh           under five minutes once the packages are installed; no terminal needed
# All output goes to a new folder, which is kept and whose path is printed. Exit 0 only if every step worked.
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
sh "$top/toolchain/scripts/setup.sh" --tests </dev/null
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-demo.XXXXXX")
jobs=$(nproc 2>/dev/null || echo 2)
trap 'code=$?; [ $code = 0 ] || echo "demo: failed (exit $code); what it left is in $work" >&2' EXIT
cd "$work"

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

heading "build softlbr in $work/build"
cmake -S "$top" -B build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSOFTLBR_TESTS=OFF -DSOFTLBR_BENCHMARKS=OFF >configure.log 2>&1 ||
  { cat configure.log; exit 1; }
cmake --build build -j "$jobs" >build.log 2>&1 || { tail -n 60 build.log; exit 1; }
PATH=$work/build/bin:$PATH

heading "what this machine offers"
run softlbr doctor || echo "(doctor found something to mend; see above)"

heading "record Debian's sqlite3"
cat >queries.sql <<'SQL'
create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 600000)
  insert into t select i, 'row' || (i * 37 % 10007), i * i % 1017 from n;
create index by_text on t(b);
select c, count(*), length(group_concat(b)) from t group by c order by 2 desc, 1 limit 3;
select count(*) from t x join t y on x.b = y.b where x.c < 60;
SQL
printf '$ softlbr record -o sqlite.slbr -- /usr/bin/sqlite3 :memory: < queries.sql\n'
softlbr record -o sqlite.slbr -- /usr/bin/sqlite3 :memory: <queries.sql
run softlbr report --top 8 sqlite.slbr
run softlbr stats sqlite.slbr

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
