#!/bin/sh
# The analyses of AsmDB (Ayers and others, ISCA 2019, Figures 2 to 13) over programs of this machine: records them,
# ingests their profiles, and writes evaluation_asmdb.md with its pictures.
#
# Use: sh studies/asmdb/run.sh [BUILD [PROGRAM...]]   BUILD: a built tree, default build/release; PROGRAM: names of
#                                                     programs.table, default all. Some minutes. Needs g++, perl and
#                                                     gnuplot; programs that are not installed are left out and named in
#                                                     the page. Environment: ASMDB_OUT: where page and pictures go
#                                                     instead of this folder; ASMDB_WORK: a folder to keep inputs,
#                                                     profiles and databases in, whose inputs and profiles are used
#                                                     again.
# Exit 1: a database has not the counts of `softlbr report`, to the last instruction, or a picture cannot be drawn and
# the rest is done. Exit 77: the engine is missing.
set -eu
study=$(cd "$(dirname "$0")" && pwd)
here=$(cd "$study/../../bench/db" && pwd)
. "$here/db_functions.sh"
build=$(cd "${1:-$here/../../build/release}" && pwd)
[ $# -eq 0 ] || shift
need_engine
out=${ASMDB_OUT:-$study}
mkdir -p "$out/evaluation_asmdb"
out=${ASMDB_OUT:-$study}
if [ -n "${ASMDB_WORK:-}" ]; then
  mkdir -p "$ASMDB_WORK"
  work=$(cd "$ASMDB_WORK" && pwd)
else
  work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-asmdb.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
fi
CC1=$(gcc -print-prog-name=cc1)
SOFTLBR=$build/bin/softlbr
PYTHONHASHSEED=0 PERL_HASH_SEED=0 LC_ALL=C
export CC1 SOFTLBR PYTHONHASHSEED PERL_HASH_SEED LC_ALL
frequency_hz=5000

table() { grep -v -e '^#' -e '^$' "$study/programs.table" | sed 's/ *| */|/; s/ *| */|/2; s/ *| */|/3'; }
[ $# -gt 0 ] || set -- $(table | cut -d'|' -f1)
program_of() {  # the first word of a command
  eval "set -- $1"
  printf '%s' "$1"
}
cd "$work"

is_needed=
for name in "$@"; do
  [ "$(table | grep "^$name|" | cut -d'|' -f2)" != made ] || is_needed=1
done
if [ -n "$is_needed" ] && [ ! -e inputs ]; then
  perl "$here/../overhead_inputs.pl" .
  perl "$study/../paper/paper_inputs.pl" .
  gcc -E -x c less.c -o less.i
  ! command -v hmmbuild > /dev/null || hmmbuild family.hmm family.sto > /dev/null
  touch inputs
fi
[ -e event_network ] || g++ -std=c++17 -O2 -g -o event_network "$study/../paper/programs/event_network.cc"
[ -e first.slbr ] || softlbr record -q -F "$frequency_hz" --max-overhead 100% -o first.slbr \
  -- ./event_network 300000 > /dev/null

rm -f recorded missing *.db *.json
touch recorded missing
binaries=
for name in "$@"; do
  command=$(table | grep "^$name|" | cut -d'|' -f4-)
  what=$(table | grep "^$name|" | cut -d'|' -f3)
  [ -n "$command" ] || { printf 'run.sh: programs.table has no %s\n' "$name" >&2; exit 2; }
  file=$(command -v "$(program_of "$command")") || { printf '%s\n' "$name" >> missing; continue; }
  binaries="$binaries -b $file"
  printf '== %s\n' "$name" >&2
  [ -e "$name.slbr" ] || eval "softlbr record -q -F $frequency_hz --max-overhead 100% -o $name.slbr -- $command" > \
    /dev/null 2> log ||
    { tail -3 log >&2; exit 1; }
  softlbr db ingest -b "$file" "$name.db" "$name.slbr" > log 2>&1 || { tail -3 log >&2; exit 1; }
  softlbr db query --json "$name.db" "$(cat "$study/program.sql")" > "$name.about.json"
  softlbr db query --json "$name.db" 'SELECT build_id, sum(count)::VARCHAR AS executed FROM asm GROUP BY build_id' > \
    "$name.modules.json"
  softlbr db report --json "$name.db" instructions working_set > "$name.report.json"
  softlbr report --json --top 1000000 -b "$file" "$name.slbr" > "$name.counts.json"
  printf '%s|%s\n' "$name" "$what" >> recorded
done

files=$(cut -d'|' -f1 recorded | sed 's/$/.slbr/')
# Names and paths have no blanks.
softlbr db ingest $binaries all.db $files > log 2>&1 || { tail -3 log >&2; exit 1; }
softlbr db report --json all.db > all.report.json
softlbr db query --json all.db 'SELECT CASE WHEN bytes <= 1024 THEN 1024 WHEN bytes <= 5120 THEN 5120 ELSE 0 END AS up_to,
  count(*)::UBIGINT AS functions, avg(inline_depth) AS mean_depth, max(inline_depth) AS most_depth
  FROM (SELECT f.bytes, f.inline_depth, sum(i.count) AS n FROM function f JOIN instruction i ON i.function = f.id WHERE f.inline_depth > 0
        GROUP BY ALL ORDER BY n DESC LIMIT 100) GROUP BY up_to ORDER BY up_to = 0, up_to' > all.inlining.json
undrawn=
for part in functions sizes calls working_set instructions extensions distances targets loops fragmentation \
  line_fragmentation \
  memory_functions libraries; do
  if softlbr db report --svg all.db "$part" > "$part.svg"; then mv "$part.svg" "$out/evaluation_asmdb"; else
    undrawn=1; fi
done
perl "$study/page.pl" "$work" "$out/evaluation_asmdb.md" "$(git -C "$here" log -1 --format=%cs 2> /dev/null || true)"
[ -z "$undrawn" ]
