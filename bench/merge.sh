#!/bin/sh
# What softlbr merge takes: files a second of its own CPU time, and its largest resident size.
#
# Use: sh bench/merge.sh [BUILD [SYNTHETIC [REAL]]]   BUILD: a built tree, default build/release; SYNTHETIC: number of
#                                                     synthetic uploads of one program, default 10000; REAL: number of
#                                                     recordings of real programs, default 200. Some minutes, most of
#                                                     which make the files.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build/release}
build=$(cd "$build" && pwd)
synthetic=${2:-10000}
real=${3:-200}
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-merge.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/synthetic" "$work/real"
cd "$work"

"$build/bin/merge_uploads" synthetic "$synthetic" 500

cat "$here"/*.cc "$here"/*.pl "$here"/*.md > text
i=0
while [ "$i" -lt "$real" ]; do
  case $((i % 5)) in
    0) set -- gzip -9 -c text ;;
    1) set -- perl -e 'for (1 .. 40) { open F, "text"; while (<F>) { $n{$_}++ for split } } print scalar keys %n' ;;
    2) set -- /usr/bin/python3 -c \
      'import json, re; t = open("text").read(); [json.dumps(re.findall(r"\w+", t)) for _ in range(8)]' ;;
    3) set -- sort text text text text ;;
    4) set -- g++ -O2 -std=c++20 -w -I"$here/.." -c -o unit.o "$here/real_programs.cc" ;;
  esac
  "$build/bin/softlbr" record -q -F 5000 --max-overhead 100% -o "real/$i.slbr" -- "$@" > out 2>&1 || true
  i=$((i + 1))
done

printf '%-10s %8s %10s %8s %14s %10s\n' files number MiB 'CPU s' 'files/CPU s' 'RSS MiB'
for kind in synthetic real; do
  number=$(ls "$kind" | wc -l)
  [ "$number" -gt 0 ] || continue
  bytes=$(cat "$kind"/* | wc -c)
  code=0
  /usr/bin/time -o time -f '%U %S %M' "$build/bin/softlbr" merge -o sum "$kind" 2> log || code=$?
  [ "$code" -eq 0 ] || { tail -3 log; [ "$code" -eq 3 ]; }
  tail -1 time | awk -v kind="$kind" -v number="$number" -v bytes="$bytes" '{
    printf "%-10s %8d %10.1f %8.2f %14.0f %10.1f\n", kind, number, bytes / 1048576, $1 + $2, number / ($1 + $2), $3 / 1024 }'
done
