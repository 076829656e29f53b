#!/bin/sh
# The experiments of "Break Dancing: Low Overhead, Architecture Neutral Software Branch Tracing" (sections 3 and 4),
# with the paper's method (--resolve static) and ours, as one page: studies/paper/evaluation.md and the pictures in
# studies/paper/evaluation.
#
# Use: sh studies/paper/run.sh [quick|full|smallest [BUILD [EXPERIMENT...]]] default: quick, build/release, all
#   experiments quick: README.md says how long; full: hours, more rounds; smallest: seconds, two own programs, for the
#   test that keeps this running
# As root, or where a control group may be made. Needs gcc, g++, perl, qemu-user, gnuplot; programs that are not
# installed are left out and named. Environment: PAPER_WORK: a folder to keep inputs, profiles and results in; then
# EXPERIMENTs can be run again alone, and the page is made anew of all results that are there. PAPER_OUT: where the page
# goes instead of this folder. PAPER_PROGRAMS: these only, by name. Exit code: 0; 1 if an experiment fails, or a picture
# cannot be drawn and the rest is done; 77 if a control group cannot be made, qemu-user is missing, or the machine hits
# no hardware breakpoint.
set -eu
PAPER_HERE=$(cd "$(dirname "$0")" && pwd)
PAPER_MODE=${1:-quick}
[ $# -eq 0 ] || shift
build=${1:-$PAPER_HERE/../../build/release}
[ $# -eq 0 ] || shift
case $PAPER_MODE in quick | full | smallest) ;; *) echo "run.sh: quick, full or smallest, not $PAPER_MODE" >&2
exit 2 ;; esac
PAPER_BIN=$(cd "$build/bin" && pwd)
PAPER_OUT=${PAPER_OUT:-$PAPER_HERE}
mkdir -p "$PAPER_OUT"
PAPER_OUT=$(cd "$PAPER_OUT" && pwd)
command -v qemu-x86_64 >/dev/null || { echo "run.sh: needs qemu-x86_64 (Debian: qemu-user)" >&2; exit 77; }
"$PAPER_BIN/breakpoint_contention" 1 1 >/dev/null 2>&1 ||
  { echo "run.sh: needs hardware breakpoints that are hit" >&2; exit 77; }
if [ -n "${PAPER_WORK:-}" ]; then
  mkdir -p "$PAPER_WORK"
  PAPER_WORK=$(cd "$PAPER_WORK" && pwd)
else
  PAPER_WORK=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-paper.XXXXXX")
  trap 'rm -rf "$PAPER_WORK"' EXIT
fi
trap 'exit 130' INT TERM
export PAPER_HERE PAPER_MODE PAPER_BIN PAPER_OUT PAPER_WORK
# The emulator has no AVX-512, and libc chooses its functions by the CPU: none of these in any run.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-ERMS,-FSRM,-RTM:glibc.cpu.x86_non_temporal_threshold=0x1000000
export PYTHONHASHSEED=0 PERL_HASH_SEED=0 LC_ALL=C
CC1=$(gcc -print-prog-name=cc1)
export CC1

if [ ! -e "$PAPER_WORK/inputs" ]; then
  # As the paper compiled its programs.
  for source in "$PAPER_HERE"/programs/*.c; do
    gcc -O3 -fno-strict-aliasing -pthread -o "$PAPER_WORK/$(basename "$source" .c)" "$source" -lm
  done
  for source in "$PAPER_HERE"/programs/*.cc; do
    g++ -std=c++17 -O3 -fno-strict-aliasing -o "$PAPER_WORK/$(basename "$source" .cc)" "$source"
  done
  if [ "$PAPER_MODE" != smallest ]; then
    perl "$PAPER_HERE/../../bench/overhead_inputs.pl" "$PAPER_WORK"
    perl "$PAPER_HERE/paper_inputs.pl" "$PAPER_WORK"
    (cd "$PAPER_WORK" && gcc -E -x c less.c -o less.i && gcc -E -x c more.c -o more.i)
    ! command -v hmmbuild >/dev/null || (cd "$PAPER_WORK" && hmmbuild family.hmm family.sto >/dev/null)
  fi
  touch "$PAPER_WORK/inputs"
fi

cd "$PAPER_WORK"
undrawn=
experiments='reference recordings collection_overhead usefulness lengths threads off similarity fdo bars'
# Takes half as long as everything else together.
[ "$PAPER_MODE" = quick ] || experiments="$experiments more_traces"
for experiment in ${*:-$experiments}; do
  echo "== $experiment, $(date +%T)" >&2
  code=0
  perl "$PAPER_HERE/$experiment.pl" || code=$?
  case $code in 0) ;; 3) undrawn=1 ;; *) exit 1 ;; esac
done
order='reference recordings collection_overhead usefulness lengths threads off similarity'
[ ! -e more_traces.md ] || order="$order more_traces"
perl "$PAPER_HERE/page.pl" bars $order fdo
[ -z "$undrawn" ] || exit 1
