#!/bin/sh
# Records trees of processes, and compares what the profile says of each process with what the kernel says. README.md
# says how to read the result.
#
# Use: sh bench/process_trees/process_trees.sh [BUILD [TREE...]]
#   BUILD  a built tree, default build/release
#   TREE   names of the table, default all
# As root, because only root is told the times of other processes, and the servers give up their rights. Nothing is
# installed; trees whose programs are missing are skipped and named. Five minutes.
# Environment: PACKAGE, a folder with a Makefile that `make -j4` builds (default: a copy of the zstd that BUILD uses);
# PYTHON (/usr/bin/python3); KEEP, a folder for what the runs leave.
# Exit code: 1 if a tree's output or exit code differs or less than 99 % of its CPU time is recorded, 2 if nothing can
# be measured.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
build=$(cd "$build" && pwd)
[ $# -eq 0 ] || shift
[ "$(id -u)" = 0 ] || { echo 'process_trees.sh: run this as root' >&2; exit 2; }

work=${KEEP:-$(mktemp -d "${TMPDIR:-/tmp}/softlbr-trees.XXXXXX")}
mkdir -p "$work"
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
chmod 755 "$work"
cc -O2 -o "$work/process_times" "$here/process_times.c"
export PACKAGE="${PACKAGE:-$build/../zstd-source}" PYTHON="${PYTHON:-/usr/bin/python3}"
export PATH="$PATH:/usr/sbin"
for folder in /usr/lib/postgresql/*/bin; do export PATH="$PATH:$folder"; done
perl "$here/process_trees.pl" "$build/bin/softlbr" "$here/trees" "$work" "$@"
