#!/bin/sh
# Builds the project in consumer/ with softlbr in one of CMake's ways, and lets its programs record themselves.
#
# Use: cmake_project.sh FROM SOFTLBR RUN CMAKE OPTION...
#   FROM     package, subdirectory; fetch: generates the build only, which is that of subdirectory
#   SOFTLBR  the command that reads the profiles
#   RUN      yes: the programs must record; else they are only built
#   OPTION   options of cmake
# Environment: GENERATOR, the build system (default: Ninja)
# Exit 1: what was wrong is printed.
set -u
from=$1 softlbr=$2 run=$3 cmake=$4
shift 4
sources=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-consumer.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

"$cmake" -G "${GENERATOR:-Ninja}" -S "$sources/consumer" -B "$work" -DSOFTLBR_FROM="$from" "$@" >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "cmake failed"; }
[ "$from" != fetch ] || exit 0
"$cmake" --build "$work" -j 2 >"$work/log" 2>&1 || { tail -n 40 "$work/log"; fail "the build failed"; }
readelf -d "$work/pie" | grep -q 'libstdc++' && fail "a program in C needs the C++ library"
[ "$run" = yes ] || exit 0

readable() {
  samples=$("$softlbr" stats --json "$work/profile" |
    perl -MJSON::PP=decode_json -0777 -ne 'print decode_json($_)->{samples}')
  [ "${samples:-0}" -ge 50 ] || fail "$1: ${samples:-0} samples"
  rm "$work/profile"
}
for program in no-pie pie static static-pie shared with-signals with-control with-spool; do
  "$work/$program" "$work/profile" || fail "$program: exit code $?"
  readable $program
done
"$work/host" "$work/libconsumer_MODULE.so" "$work/profile" unload || fail "plugin: exit code $?"
readable plugin
SOFTLBR_OPTIONS="v1;out=$work/profile;freq=9973" "$work/wrapped" || fail "wrapped: exit code $?"
readable wrapped
