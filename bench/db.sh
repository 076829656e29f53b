#!/bin/sh
# What `softlbr db` takes for many instructions: to ingest them, on disk, in memory, and for each query of the report.
#
# Use: sh bench/db.sh [ROWS [BUILD [PROGRAM...]]]   ROWS: distinct instructions, default 50000000; BUILD: a built tree, default
# build/release; PROGRAM: ELF files with build ids whose builds the uploads are of, default: those of a list that are installed.
# It writes some GB below $TMPDIR: copies of the programs (db_uploads.cc) and the database. SOFTLBR_DUCKDB: the engine, default that of
# build/duckdb. Exit 1: the database has not the rows and counts that the uploads have. Exit 77: the engine is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rows=${1:-50000000}
build=${2:-$here/../build/release}
build=$(cd "$build" && pwd)
[ $# -le 2 ] && shift $# || shift 2
if [ $# -eq 0 ]; then
  for file in /usr/lib/gcc/x86_64-linux-gnu/12/cc1plus /usr/lib/x86_64-linux-gnu/libLLVM-14.so.1 /usr/bin/perl /usr/bin/git \
    /usr/bin/python3 "$build/bin/softlbr"; do
    [ -e "$file" ] && set -- "$@" "$file"
  done
fi
: "${SOFTLBR_DUCKDB:=$here/../build/duckdb/libduckdb.so}"
export SOFTLBR_DUCKDB
[ -r "$SOFTLBR_DUCKDB" ] || { printf 'missing: libduckdb.so (toolchain/scripts/fetch_duckdb.sh)\n'; exit 77; }
[ -x /usr/bin/time ] || { printf 'missing: /usr/bin/time (the package time)\n'; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-db.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/uploads"

"$build/bin/db_uploads" "$work/uploads" "$rows" "$@" > "$work/expected"
read -r rows executed uploads builds < "$work/expected"
printf '%s rows, from %s uploads of %s builds of %s programs\n' "$rows" "$uploads" "$builds" $#

# GNU time's columns: wall seconds, CPU seconds of the user and the system, VmHWM in KiB.
/usr/bin/time -o "$work/time" -f '%e %U %S %M' "$build/bin/softlbr" db ingest "$work/x.db" "$work/uploads" > "$work/log" 2>&1 ||
  { tail -3 "$work/log" >&2; exit 1; }
bytes=$(stat -c %s "$work/x.db")
tail -1 "$work/time" | awk -v rows="$rows" -v bytes="$bytes" '{
  printf "ingest: %.1f s (%.1f s of CPU time), %.0f rows/s (%.0f a CPU second), %.1f bytes a row, %.2f GiB of memory\n",
         $1, $2 + $3, rows / $1, rows / ($2 + $3), bytes / rows, $4 / 1048576 }'
found=$("$build/bin/softlbr" db query --csv "$work/x.db" 'SELECT count(*), sum(count) FROM instruction' | tr -d '\r' | tail -1)
[ "$found" = "$rows,$executed" ] || { printf 'the database has %s instead of %s,%s\n' "$found" "$rows" "$executed" >&2; exit 1; }

printf '%-20s %8s %8s %10s\n' query s 'CPU s' 'memory MiB'
for query in "$here"/../toolchain/db/queries/*.sql; do
  name=$(basename "$query" .sql)
  /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$build/bin/softlbr" db report --csv "$work/x.db" "$name" > "$work/log"
  tail -1 "$work/time" | awk -v name="$name" '{ printf "%-20s %8.2f %8.2f %10.0f\n", name, $1, $2 + $3, $4 / 1024 }'
done
