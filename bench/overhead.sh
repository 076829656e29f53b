#!/bin/sh
# Measures what `softlbr record` costs at its default rate, over the programs of overhead.table. README.md says how to
# read the result.
#
# Use: sh bench/overhead.sh [BUILD [ROUNDS [PROGRAM...]]]      BUILD: a built tree, default build/release; ROUNDS:
#                                                              default 3
# As root, or where a control group may be made: the CPU time of all processes of a run is that of its control group.
# Nothing is installed; programs that are missing are skipped and named. With 3 rounds and all programs, which use some
# five seconds each, three quarters of an hour.
# Exit code: 1 if a program exceeds the bar, 2 if nothing can be measured.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build/release}
build=$(cd "$build" && pwd)
[ $# -eq 0 ] || shift
rounds=${1:-3}
[ $# -eq 0 ] || shift

work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-overhead.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

for source in "$here"/programs/*.c; do
  cc -O2 -pthread -o "$work/$(basename "$source" .c)" "$source" -lm
done
perl "$here/overhead_inputs.pl" "$work"
cd "$work"
CC1=$(gcc -print-prog-name=cc1) && export CC1
gcc -E -x c unit.c -o unit.i
command -v javac >/dev/null && javac Words.java Collect.java
command -v hmmbuild >/dev/null && hmmbuild family.hmm family.sto >/dev/null
perl "$here/overhead.pl" "$build/bin/softlbr" "$here/overhead.table" "$rounds" "$@"
