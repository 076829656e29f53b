#!/bin/sh
# How accurate samples and branch records are, basic block by basic block: the experiment of "Establishing a Base of
# Trust with Performance Counters for Enterprise Workloads" (2015) with the methods that a machine without a PMU has.
#
# Use: sh studies/trust/run.sh [BUILD [RUNS [PROGRAM...]]]   BUILD: a built tree with benchmarks, default build/release;
#                                                            RUNS: default 5; PROGRAM: of programs.table, default all.
#                                                            OUTPUT=FILE names the file of the raw figures, default
#                                                            BUILD/trust.tsv. Without PROGRAM, and with five runs, the
#                                                            tables and the picture of studies/trust/evaluation_trust.md
#                                                            are written anew. Needs qemu-user, and for the applications
#                                                            glpk-utils, povray and xalan; what is missing is named.
#                                                            Four minutes on an idle machine.
#
# Raw figures, a line for each measurement: program, method, run, error by block, error by mnemonic, counted events,
# share elsewhere.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
build=$(cd "$build" && pwd)
bin=$build/bin
[ $# -eq 0 ] || shift
runs=${1:-5}
[ $# -eq 0 ] || shift
output=${OUTPUT:-$build/trust.tsv}
command -v qemu-x86_64 >/dev/null || { echo "run.sh: needs qemu-x86_64 (Debian: qemu-user)" >&2; exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-trust.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"
sh "$here/make_inputs.sh" .

# The emulator has no AVX-512, and libc chooses its functions by the CPU: none of these in either run.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-ERMS,-FSRM,-RTM:glibc.cpu.x86_non_temporal_threshold=0x1000000
export LC_ALL=C

period=50021   # ns of CPU time, a prime
round=50000    # the same, round
instructions=20011
branches=4001

measure() {  # METHOD KIND PROFILE RUN
  "$bin/block_accuracy" -b "$file" exact "$2=$3" 2>/dev/null | while IFS="$(printf '\t')" read -r _ rest; do
    printf '%s\t%s\t%s\t%s\n' "$name" "$1" "$4" "$rest" | tee -a "$output.new"
  done
}

: > "$output.new"
grep -v '^#' "$here/programs.table" | while IFS='|' read -r kind name theirs ours command; do
  name=$(echo $name)
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  command=$(echo "$command" | sed "s,@cc1,$(gcc -print-prog-name=cc1),; s,@,$bin/trust,g; s,%,$here,g")
  file=$(command -v $(echo "$command" | cut -d' ' -f1-2)) || file=
  file=$(echo "$file" | head -1)
  [ -n "$file" ] || { echo "$name: not installed" >&2; continue; }
  run() { "$@" $command >/dev/null 2>&1 </dev/null || { echo "$name: fails under: $*" >&2; return 1; }; }
  run "$bin/exact_counts" -q -o exact --every $instructions --sampled ideal.instructions -- || continue
  run "$bin/exact_counts" -q -o exact.again --branches --every $branches --sampled ideal.branches --
  measure ideal-instructions samples ideal.instructions 1
  measure ideal-lbr-16 ranges ideal.branches 1
  i=1
  while [ $i -le "$runs" ]; do
    run "$bin/pc_samples" -o p -c $round -- && measure clock-round samples p $i
    run "$bin/pc_samples" -o p -c $period -- && measure clock-prime samples p $i
    run "$bin/pc_samples" -o p -c $round --random -- && measure clock-random samples p $i
    record="$bin/softlbr record -q --no-children -c $period --max-overhead 100%"
    run $record --resolve static --branches 16 -o p -- && measure static-16 ranges p $i
    for n in 16 128 1024; do
      run $record --traces --branches $n -o p -- || continue
      measure lookahead-$n ranges p $i
      [ $n != 16 ] || continue
      for weights in start length; do
        "$bin/softlbr" merge --weights $weights -o weighted p && measure lookahead-$n-$weights ranges weighted $i
      done
    done
    i=$((i + 1))
  done
done
mv "$output.new" "$output"
echo "figures in $output" >&2
if [ $# -eq 0 ] && [ "$runs" = 5 ]; then
  perl "$here/tables.pl" "$here/programs.table" "$output" "$here"
fi
