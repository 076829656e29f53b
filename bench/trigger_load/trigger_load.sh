#!/bin/sh
# Triggers sessions in a server under load, and compares its CPU time per request and its throughput with the library
# not started, between sessions and during sessions. README.md says how to read the result.
#
# Use: sh bench/trigger_load/trigger_load.sh [BUILD [SESSIONS [SECONDS [BUDGET]]]]
#   BUILD     a built tree, default build/release
#   SESSIONS  of each of two kinds, default 50
#   SECONDS   of each interval, default 2: ten minutes in all, on a quiet machine. 0: a short run that only keeps the
#             accounts BUDGET parts per million of CPU time that the compared sessions may take, default 0: what a
#             request without one gets
# CPU time is that of a control group, which takes root; without, only throughput and times are compared.
# Exit code: 1 if a session is not complete, not counted or has lost something, or if a bar is not met (not with 0
# seconds).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
build=$(cd "$build" && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-load.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
${CC:-cc} -O2 -g -pthread -I"$here/../../runtime/include" -o "$work/server" "$here/trigger_load_server.c" \
  "$build/lib/libsoftlbr_control.a" "$build/lib/libsoftlbr_all.a"
perl "$here/trigger_load.pl" "$build/bin/softlbr" "$work" "${2:-50}" "${3:-2}" "${4:-0}"
