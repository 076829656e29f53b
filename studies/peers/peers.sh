#!/bin/sh
# softlbr beside other profilers, on three small programs of studies/paper/programs: CPU time, bytes, and what each
# yields.
#
# Use: sh studies/peers/peers.sh [BUILD [ROUNDS [PROGRAM...]]]     BUILD: a built tree with tests, default
#                                                                  build/release; ROUNDS: pairs, default 5; PROGRAM: of
#                                                                  quantum_gates, grid_paths, event_network, default all
# PEERS_PAGE=FILE: writes the table between the markers of that page, too: studies/peers/evaluation_peers.md.
# As root, or where a control group may be made. Tools that are not installed are named. Minutes: emulated runs take 10
# to 60 times as long. Columns: CPU time relative to the same program, built alike but without the tool's
# instrumentation, median of pairs in alternating order; bytes written; whether it has taken branches, counts exactly,
# needs another build; overlap with exact counts of the same build, of
# - all branches: taken branches of all modules, returns and system calls included
# - branches in the program: those within its functions, with conditional ones that fall through, and calls; what BOLT
#   counts
# - instructions by function: executed ones; of a profiler by the clock its samples, which are time
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
[ $# -eq 0 ] || shift
PAPER_BIN=$(cd "$build/bin" && pwd)
PAPER_HERE=$(cd "$here/../paper" && pwd)
PAPER_WORK=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-peers.XXXXXX")
trap 'rm -rf "$PAPER_WORK"' EXIT
trap 'exit 130' INT TERM
[ -z "${PEERS_PAGE:-}" ] || export PEERS_PAGE="$(realpath "$PEERS_PAGE")"
export PAPER_BIN PAPER_HERE PAPER_WORK
# The emulator has no AVX-512, and libc chooses its functions by the CPU: none of these in any run.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-ERMS,-FSRM,-RTM:glibc.cpu.x86_non_temporal_threshold=0x1000000
export LC_ALL=C
rounds=${1:-5}
[ $# -eq 0 ] || shift
perl "$here/peers.pl" "$rounds" "$@"
