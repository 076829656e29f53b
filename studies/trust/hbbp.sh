#!/bin/sh
# Counts of basic blocks from samples, from branch records, and from both: the experiment of "Low-Overhead Dynamic
# Instruction Mix Generation using Hybrid Basic Block Profiling" (2018), over the programs of mix.table.
#
# Use: sh studies/trust/hbbp.sh train|test [BUILD [PROGRAM...]]
#   train   writes BUILD/hbbp_training.csv from the training programs, and from it toolchain/code/count_source.cc; build
#           again afterwards test prints, for each test program: program, event, source, error by block, average
#           weighted error by mnemonic, counted events,
#           share of them elsewhere; also to BUILD/hbbp.tsv, and executions by mnemonic of particle_steps to
#           BUILD/hbbp_mnemonics.tsv. Without PROGRAM run times and case studies follow (hbbp_cases.pl, to
#           BUILD/hbbp_cases.tsv; as root, or where a control group may be made), and the tables and pictures of
#           studies/trust/evaluation_hbbp.md are written anew.
# Events: an ideal sample at every 2,003rd instruction, with 16 branches (the emulator's); every 401st taken branch,
# without skid and with one of 30 instructions (the emulator's); and this machine's clock each 20,021 ns, with 128
# branches; with branches alone also 1,024 branches each 100,003 ns, both weighted, and windows behind every 4,001st
# branch (the emulator's). Needs qemu-user; programs that are not installed are named. Ten minutes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mode=${1:?train or test}
shift
build=${1:-$here/../../build/release}
build=$(cd "$build" && pwd)
bin=$build/bin
[ $# -eq 0 ] || shift
command -v qemu-x86_64 >/dev/null || { echo "hbbp.sh: needs qemu-x86_64 (Debian: qemu-user)" >&2; exit 2; }
case $mode in
  train) kind=training result=$build/hbbp_training.csv ;;
  test) kind=test result=$build/hbbp.tsv ;;
  *) echo "hbbp.sh: train or test, not $mode" >&2; exit 2 ;;
esac

skids="0 30"
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-hbbp.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"
sh "$here/make_inputs.sh" .

# The emulator has no AVX-512, and libc chooses its functions by the CPU: none of these in either run.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-ERMS,-FSRM,-RTM:glibc.cpu.x86_non_temporal_threshold=0x1000000
export LC_ALL=C PERL_HASH_SEED=0

ready() {  # COMMAND of mix.table
  echo "$1" | sed "s,@cc1,$(gcc -print-prog-name=cc1),; s,@,$bin/trust,g; s,%,$here,g"
}

: > "$result.new"
[ "$mode" = train ] || : > "$build/hbbp_mnemonics.tsv"
grep "^$kind" "$here/mix.table" | while IFS='|' read -r _ name command; do
  name=$(echo $name)
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  command=$(ready "$command")
  file=$(command -v $(echo "$command" | sed 's/^ *//; s/ .*//')) || { echo "$name: not installed" >&2; continue; }
  eval "'$bin/exact_counts' -q -o exact --every 2003 --sampled instructions -- $command" >/dev/null 2>&1 </dev/null ||
    { echo "$name: fails in the emulator" >&2; continue; }
  for skid in $skids; do
    eval "'$bin/exact_counts' -q -o exact.again --branches $([ "$skid" = 0 ] || echo "--skid $skid") --every 401 --sampled branches$skid -- $command" >/dev/null 2>&1 </dev/null
  done
  eval "'$bin/softlbr' record -q --no-children --traces -c 20021 --max-overhead 100% --branches 128 -o clock -- $command" >/dev/null 2>&1 </dev/null
  if [ "$mode" = train ]; then
    "$bin/block_accuracy" -b "$file" --rows exact hybrid=instructions hybrid=clock $(printf 'hybrid=branches%s ' \
      $skids) 2>/dev/null | sed "s/^/$name,/" >> "$result.new"
    continue
  fi
  eval "'$bin/softlbr' record -q --no-children --traces -c 100003 --max-overhead 100% --branches 1024 -o clock1024 -- $command" >/dev/null 2>&1 </dev/null
  eval "'$bin/exact_counts' -q -o exact.again --branches --every 4001 --sampled unbiased -- $command" >/dev/null 2>&1 \
    </dev/null
  for weights in start length; do
    for event in clock clock1024; do "$bin/softlbr" merge --weights $weights -o $event.$weights $event; done
  done
  "$bin/block_accuracy" -b "$file" exact ranges=clock.start ranges=clock.length ranges=clock1024 \
    ranges=clock1024.start ranges=clock1024.length \
    ranges=unbiased 2>/dev/null | while IFS="$(printf '\t')" read -r method rest; do
      printf '%s\t%s\t%s\t%s\n' "$name" "${method##*=}" branches "$rest" | tee -a "$result.new"
    done
  for event in instructions clock $(printf 'branches%s ' $skids); do
    "$bin/block_accuracy" -b "$file" exact samples=$event ranges=$event hybrid=$event 2>/dev/null |
      while IFS="$(printf '\t')" read -r method rest; do
        printf '%s\t%s\t%s\t%s\n' "$name" "$event" "${method%%=*}" "$rest" | tee -a "$result.new"
      done
  done
  [ "$name" != particle_steps ] ||
    "$bin/block_accuracy" -b "$file" --mnemonics exact samples=instructions ranges=instructions \
    hybrid=instructions samples=clock ranges=clock hybrid=clock 2>/dev/null > "$build/hbbp_mnemonics.tsv"
done
mv "$result.new" "$result"
if [ "$mode" = train ]; then
  echo "$(wc -l < "$result") blocks in $result" >&2
  perl "$here/train_tree.pl" "$result" "$here/../../toolchain/code/count_source.cc"
elif [ $# -eq 0 ]; then
  grep -E '^(test|fitter|timed)' "$here/mix.table" | while IFS='|' read -r kind name command; do
    echo "$kind|$name|$(ready "$command")"
  done > programs
  PAPER_BIN=$bin PAPER_HERE=$here PAPER_WORK=$work perl "$here/hbbp_cases.pl" "$build/hbbp_cases.tsv" 3 < programs
  perl "$here/hbbp_tables.pl" "$result" "$build/hbbp_mnemonics.tsv" "$build/hbbp_cases.tsv" "$here"
fi
