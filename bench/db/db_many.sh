#!/bin/sh
# What `softlbr db ingest` takes for thousands of uploads, and that it goes on where it ended: a quarter of them, all of
# them, all of them with two kills on the way, and all of them once more. Into a database file and, with -s, into
# ClickHouse servers.
#
# Use: sh bench/db/db_many.sh [-s SERVERS]... [UPLOADS [BUILD [PROGRAM]]]
#   -s SERVERS  as in db.sh
#   UPLOADS     of one build of PROGRAM, default 4000
#   BUILD       a built tree, default build/release
#   PROGRAM     an ELF file with a build id, default the softlbr of BUILD
# Exit 1: instructions or counts are missing or counted twice, or memory grows with the number of uploads. Exit 77: an
# engine is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/db_functions.sh"
numbers=
while [ "${1-}" = -s ]; do
  numbers="$numbers $2"
  shift 2
done
number=${1:-4000}
build=${2:-$here/../../build/release}
build=$(cd "$build" && pwd)
program=${3:-$build/bin/softlbr}
rows=20000               # of the build; each upload sees few of them
more_memory=64            # MiB that all uploads may take beyond twice what a quarter takes
need_engine
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-db.XXXXXX")
trap 'end_servers; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/all" "$work/quarter"

"$build/bin/db_uploads" "$work/all" "$rows" "$number" "$program" > "$work/expected"
read -r rows executed uploads builds < "$work/expected"
for i in $(seq $((uploads / 4))); do ln "$work/all/$i.slbr" "$work/quarter"; done
bytes=$(cat "$work"/all/*.slbr | wc -c)
printf '%s uploads of %s bytes in the mean, %s rows of %s builds\n' "$uploads" $((bytes / uploads)) "$rows" "$builds"

# ingest DATABASE FOLDER: sets cpu, with that of the servers, and memory.
ingest() {
  before=$(server_cpu)
  costs "$build/bin/softlbr" db ingest "$1" "$work/$2"
  cpu=$(awk "BEGIN { printf \"%.2f\", $cpu + $(server_cpu) - $before }")
}

# check DATABASE: every instruction and count of all uploads, once.
check() {
  softlbr db query --csv "$1" 'SELECT count(*) AS n, sum(count) AS executed, (SELECT count(*) FROM upload) AS uploads FROM instruction' |
    tr -d '\r' | awk -F, -v rows="$rows" -v executed="$executed" \
    -v uploads="$uploads" 'NR > 1 { n += $1; sum += $2; known = $3
      if (known != uploads) other = 1 } END { if (n != rows || sum != executed || other) {
      printf "the database has %.0f instructions, counts of %.0f and %d uploads instead of %s, %s and %s\n", n, sum, known, rows,
             executed, uploads; exit 1 } }' >&2
}

row() { printf '%-28s %8s %8.2f %14s %10s\n' "$1" "$2" "$cpu" "$(awk "BEGIN { printf \"%.2f\", $cpu * 1000 / $2 }")" \
  "$memory"; }

# kill_at DATABASE CPU_SECONDS: ingests all of them, but is killed when it has used so much.
kill_at() {
  "$build/bin/softlbr" db ingest "$1" "$work/all" > "$work/out" 2> "$work/log" &
  pid=$!
  ticks=$(awk -v hertz="$(getconf CLK_TCK)" "BEGIN { printf \"%.0f\", $2 * hertz }")
  while kill -0 "$pid" 2> /dev/null; do
    used=$(sed 's/.*) //' "/proc/$pid/stat" 2> /dev/null | awk '{ print $12 + $13 }')
    [ "${used:-$ticks}" -lt "$ticks" ] || { kill -9 "$pid" 2> /dev/null || true; break; }
    sleep 0.02
  done
  wait "$pid" 2> /dev/null || true
}

# measure QUARTER ALL KILLED: names of databases.
measure() {
  printf '%-28s %8s %8s %14s %10s\n' ingest uploads 'CPU s' 'CPU ms/upload' 'memory MiB'
  ingest "$1" quarter
  row 'a quarter' "$((uploads / 4))"
  quarter_memory=$memory
  ingest "$2" all
  check "$2"
  row 'all' "$uploads"
  [ "$memory" -le $((2 * quarter_memory + more_memory)) ] ||
    { printf 'memory grows with the number of uploads: from %s to %s MiB\n' "$quarter_memory" "$memory" >&2; return 1; }
  client=$(tail -1 "$work/time" | awk '{ print $2 + $3 }')
  kill_at "$3" "$(awk "BEGIN { print $client * 0.35 }")"
  kill_at "$3" "$(awk "BEGIN { print $client * 0.35 }")"
  ingest "$3" all
  check "$3"
  row "all, killed twice; $(awk '{ print $4 }' "$work/out") were there" "$uploads"
  ingest "$2" all
  check "$2"
  row 'all, once more' "$uploads"
}

printf '\nDuckDB, one file\n'
measure "$work/quarter.db" "$work/all.db" "$work/killed.db"
for number in $numbers; do
  printf '\nClickHouse, servers: %s\n' "$number"
  start_servers "$number" || exit $?
  of() { printf '%s' "$servers" | sed "s/softlbr/$1/g"; }
  measure "$(of quarter)" "$(of softlbr)" "$(of killed)"
  printf 'memory of a server: %s MiB\n' "$(server_memory)"
  end_servers
done
