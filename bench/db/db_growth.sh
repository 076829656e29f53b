#!/bin/sh
# How a database grows with the uploads of one build, each of another run: bytes, branches and facts (rows of ranges,
# branches and samples) of an upload; instructions, bytes and CPU time of the database.
#
# Use: sh bench/db/db_growth.sh [-s SERVERS] [UPLOADS [BUILD]]   -s: into so many ClickHouse servers, which are started
#                                                                on loopback; UPLOADS: of each program, default 16, at
#                                                                most 16; BUILD: a built tree, default build/release.
#                                                                Minutes, most of which record. Bytes of facts are those
#                                                                of servers; a file adds equal facts of a build up.
# The programs are cc1plus, each upload of another source of this tree, and python3, each of another task. An upload has
# about as many traces as 10 s of CPU time at the default rate. Exit 77: an engine, g++ or /usr/bin/python3 is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/db_functions.sh"
number=
if [ "${1-}" = -s ]; then
  number=$2
  shift 2
fi
uploads=${1:-16}
build=${2:-$here/../../build/release}
build=$(cd "$build" && pwd)
tree=$(cd "$here/../.." && pwd)
need_engine
for tool in g++ /usr/bin/python3; do command -v "$tool" > /dev/null || { printf 'missing: %s\n' "$tool"; exit 77; }
done
traces=1000  # 10 s at 12,800 branches a second, 128 a trace
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-db.XXXXXX")
trap 'end_servers; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cc1plus=$(g++ -print-prog-name=cc1plus)
cd "$work"

# record FILE COMMAND...: a second of CPU time has more traces than an upload needs, so the rate follows from how long
# the program takes.
record() {
  file=$1
  shift
  costs "$@" || return 1
  hertz=$(awk "BEGIN { printf \"%.0f\", $traces / ($cpu < 0.05 ? 0.05 : $cpu) }")
  softlbr record -q --paths -F "$hertz" --branches 128 --max-overhead 100% -o "$file" -- "$@" > /dev/null 2> log ||
    { tail -3 log >&2; return 1; }
}

sources() {
  for file in toolchain/code/executed_code toolchain/code/instruction_kinds toolchain/db/flow/binary_flow \
    toolchain/db/flow/loops toolchain/db/store/database \
    toolchain/db/content_hash toolchain/db/store/table_writer toolchain/binary/elf_image toolchain/symbols/symbols \
    toolchain/binary/code_walker toolchain/profile/profile_reader toolchain/profile/profile_builder \
    toolchain/clickhouse/answer_rows \
    toolchain/clickhouse/server_rows toolchain/db/rows_output; do printf '%s\n' "$tree/$file.cc"; done
}

tasks() {
  cat << 'END'
import json; d = [{str(i): [i, i * 0.5, None, True]} for i in range(20000)]; [json.loads(json.dumps(d)) for _ in range(6)]
import re; t = "The quick brown fox 12:34 jumps " * 20000; [re.findall(p, t) for p in (r"\w+o\w*", r"(\d+):(\d+)", r"[a-f]{2,}")]
import ast, glob; [ast.dump(ast.parse(open(f).read())) for f in sorted(glob.glob("/usr/lib/python3*/[a-d]*.py"))[:25]]
import tokenize, glob; [list(tokenize.tokenize(open(f, "rb").readline)) for f in sorted(glob.glob("/usr/lib/python3*/[e-h]*.py"))[:8]]
import difflib; a = [str(i * 7 % 101) for i in range(900)]; b = [str(i * 5 % 103) for i in range(900)]; list(difflib.unified_diff(a, b))
import decimal; decimal.getcontext().prec = 300; x = decimal.Decimal(2); [x.sqrt().ln().exp() for _ in range(150)]
import random; random.seed(1); l = [random.gauss(0, 1) for _ in range(400000)]; l.sort(); sorted(l, key=lambda v: -v)
import csv, io; b = io.StringIO(); w = csv.writer(b); w.writerows([[i, "a,b", 'q"q'] for i in range(150000)]); list(csv.reader(io.StringIO(b.getvalue())))
import xml.etree.ElementTree as e; t = "<r>" + "<a b='1'><c>x</c></a>" * 60000 + "</r>"; [len(e.tostring(e.fromstring(t))) for _ in range(2)]
import sqlite3; c = sqlite3.connect(":memory:"); c.execute("create table t(a, b)"); c.executemany("insert into t values(?, ?)", ((i, i % 97) for i in range(200000))); c.execute("select b, sum(a) from t group by b").fetchall()
import zlib, hashlib; d = bytes(i * i % 251 for i in range(600000)); [hashlib.sha256(zlib.compress(d, 6)).hexdigest() for _ in range(8)]
import statistics, fractions; [statistics.stdev([fractions.Fraction(i, k + 1) for i in range(300)]) for k in range(12)]
import datetime; s = datetime.datetime(2020, 1, 1); [(s + datetime.timedelta(minutes=i)).strftime("%Y-%m-%d %H:%M") for i in range(180000)]
import textwrap; [textwrap.fill("lorem ipsum dolor sit amet " * 300, 60) for _ in range(60)]
import collections, itertools, heapq; collections.Counter(itertools.combinations(range(70), 3)); heapq.nsmallest(500, (i * 7919 % 100003 for i in range(400000)))
import pickle, copy; d = {i: (i, [str(i)] * 3) for i in range(40000)}; copy.deepcopy(pickle.loads(pickle.dumps(d)))
END
}

i=0
mkdir cc1plus python3
sources | head -n "$uploads" > list
while read -r source; do
  i=$((i + 1))
  g++ -std=c++20 -w -E -I"$tree" -o "unit$i.ii" "$source" < /dev/null
  record "cc1plus/$i.slbr" "$cc1plus" -quiet -std=c++20 -w -O1 -fpreprocessed "unit$i.ii" -o /dev/null < /dev/null
done < list
i=0
tasks | head -n "$uploads" > list
while read -r task; do
  i=$((i + 1))
  record "python3/$i.slbr" /usr/bin/python3 -c "$task" < /dev/null
done < list

# The answers of all servers to a question of one number.
sum_of() { softlbr db query --csv "$database" "$1" | tr -d '\r' |
  awk 'NR > 1 { sum += $1 } END { printf "%.0f", sum }'; }

if [ -n "$number" ]; then start_servers "$number" || exit $?; fi
printf '%-8s %8s %12s %14s %14s %12s %10s %12s %14s\n' program uploads 'bytes/upload' 'taken/upload' 'facts/upload' \
  instructions bytes \
  'of facts' 'CPU ms/upload'
for program in cc1plus python3; do
  for count in 1 2 4 8 16; do
    [ "$count" -le "$uploads" ] || continue
    rm -rf chosen x.db
    mkdir chosen
    for i in $(seq "$count"); do ln "$program/$i.slbr" chosen; done
    database=x.db
    [ -z "$number" ] || database=$(printf '%s' "$servers" | sed "s/softlbr/${program}_$count/g")
    before=$(server_cpu)
    costs "$build/bin/softlbr" db ingest "$database" chosen
    cpu=$(awk "BEGIN { print $cpu + $(server_cpu) - $before }")
    if [ -n "$number" ]; then
      of="SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${program}_$count'"
      bytes=$(sum_of "$of")
      fact_bytes=$(sum_of "$of AND table IN ('range_rows', 'branch_rows', 'entry_rows', 'sample_rows')")
    else
      bytes=$(stat -c %s x.db) fact_bytes=-
    fi
    rows=$(sum_of 'SELECT count(*) FROM instruction')
    facts=$(for i in $(seq "$count"); do softlbr dump "$program/$i.slbr" | grep -cE '^(branch|range|sample)' ||
      true; done |
      awk -v count="$count" '{ sum += $1 } END { printf "%.0f", sum / count }')
    taken=$(for i in $(seq "$count"); do softlbr stats --json "$program/$i.slbr" | grep -m1 '"taken_branches"' |
      tr -dc '0-9'; echo; done |
      awk -v count="$count" '{ sum += $1 } END { printf "%.0f", sum / count }')
    size=$(cat chosen/*.slbr | wc -c)
    printf '%-8s %8s %12s %14s %14s %12s %10s %12s %14s\n' "$program" "$count" $((size / count)) "$taken" "$facts" \
      "$rows" "$bytes" "$fact_bytes" \
      "$(awk "BEGIN { printf \"%.0f\", $cpu * 1000 / $count }")"
  done
done
