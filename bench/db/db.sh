#!/bin/sh
# What `softlbr db` takes for many instructions: to ingest them, on disk, in memory, and for each query of the report.
# In a database file and, with -s, on ClickHouse servers.
#
# Use: sh bench/db/db.sh [-s SERVERS]... [ROWS [BUILD [PROGRAM...]]]
#   -s SERVERS  the same on so many servers, which are started on loopback, too. May be repeated
#   ROWS        distinct instructions, default 50000000
#   BUILD       a built tree, default build/release
#   PROGRAM     ELF files with build ids whose builds the uploads are of, default: those of a list that are installed
# It writes some GB below $TMPDIR: copies of the programs (db_uploads.cc) and the databases. SOFTLBR_DUCKDB: the engine,
# default that of build/duckdb. Exit 1: a database has not the rows and counts that the uploads have, or answers
# otherwise than the file. Exit 77: an engine is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/db_functions.sh"
numbers=
while [ "${1-}" = -s ]; do
  numbers="$numbers $2"
  shift 2
done
rows=${1:-50000000}
build=${2:-$here/../../build/release}
build=$(cd "$build" && pwd)
[ $# -le 2 ] && shift $# || shift 2
if [ $# -eq 0 ]; then
  for file in /usr/lib/gcc/x86_64-linux-gnu/12/cc1plus /usr/lib/x86_64-linux-gnu/libLLVM-14.so.1 /usr/bin/perl \
    /usr/bin/git \
    /usr/bin/python3 "$build/bin/softlbr"; do
    [ -e "$file" ] && set -- "$@" "$file"
  done
fi
need_engine
uploads_of_build=2
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-db.XXXXXX")
trap 'end_servers; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/uploads" "$work/answers"

"$build/bin/db_uploads" "$work/uploads" "$rows" "$uploads_of_build" "$@" > "$work/expected"
read -r rows executed uploads builds < "$work/expected"
printf '%s rows, from %s uploads of %s builds of %s programs\n' "$rows" "$uploads" "$builds" $#

# measure DATABASE: rows of the tables below. server_pids: the servers whose costs are added.
measure() {
  before=$(server_cpu)
  costs "$build/bin/softlbr" db ingest "$1" "$work/uploads"
  cpu=$(awk "BEGIN { printf \"%.1f\", $cpu + $(server_cpu) - $before }")
  if [ -n "$server_pids" ]; then bytes=$(server_bytes) server_memory=$(server_memory); else
    bytes=$(stat -c %s "$1") server_memory=0; fi
  awk -v rows="$rows" -v bytes="$bytes" -v wall="$wall" -v cpu="$cpu" -v memory="$memory" \
    -v of_server="$server_memory" 'BEGIN {
    printf "ingest: %.1f s (%.1f s of CPU time), %.0f rows/s (%.0f a CPU second), %.1f bytes a row, %.2f GiB of memory",
           wall, cpu, rows / wall, rows / cpu, bytes / rows, memory / 1024
    if (of_server > 0) printf ", %.2f GiB of a server", of_server / 1024
    print "" }'
  # Of each server, one row.
  softlbr db query --csv "$1" 'SELECT count(*) AS n, sum(count) AS executed FROM instruction' | tr -d '\r' |
    awk -F, -v rows="$rows" -v executed="$executed" \
    'NR > 1 { n += $1; sum += $2 } END { if (n != rows || sum != executed) {
      printf "the database has %.0f rows and counts of %.0f instead of %s and %s\n", n, sum, rows, executed; exit 1 } }' >&2 || return 1
  printf '%-20s %8s %8s %10s\n' query s 'CPU s' 'memory MiB'
  for query in "$here"/../../toolchain/db/queries/*.sql; do
    name=$(basename "$query" .sql)
    before=$(server_cpu)
    costs "$build/bin/softlbr" db report --csv "$1" "$name"
    printf '%-20s %8.2f %8.2f %10.0f\n' "$name" "$wall" "$(awk "BEGIN { print $cpu + $(server_cpu) - $before }")" \
      "$memory"
    if [ -z "$server_pids" ]; then
      cp "$work/out" "$work/answers/$name"
    else
      cmp -s "$work/out" "$work/answers/$name" ||
        { printf '%s: the servers answer otherwise than the file\n' "$name" >&2; return 1; }
    fi
  done
}

printf '\nDuckDB, one file\n'
measure "$work/x.db"
rm -f "$work/x.db"
for number in $numbers; do
  printf '\nClickHouse, servers: %s\n' "$number"
  start_servers "$number" || exit $?
  measure "$servers"
  end_servers
done
