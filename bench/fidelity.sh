#!/bin/sh
# How close recorded shares of branches are to the true ones, over the programs of fidelity.table: overlap with exact
# counts of the whole run, as recorded and weighted (softlbr merge --weights start, --weights balance).
#
# Use: sh bench/fidelity.sh [BUILD [PERIOD_NS [BRANCHES [PROGRAM...]]]]   BUILD: a built tree with tests, default
#                                                                         build/release; PERIOD_NS: default 150001,
#                                                                         rarer samples give fewer traces and more
#                                                                         noise; BRANCHES of a trace: default 128. Needs
#                                                                         qemu-user. Programs that are not installed are
#                                                                         named.
# Minutes: the emulated run of each takes some ten times as long as the program.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build/release}
build=$(cd "$build" && pwd)
[ $# -eq 0 ] || shift
period=${1:-150001}
[ $# -eq 0 ] || shift
branches=${1:-128}
[ $# -eq 0 ] || shift
command -v qemu-x86_64 >/dev/null || { echo "fidelity.sh: needs qemu-x86_64 (Debian: qemu-user)" >&2; exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-fidelity.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
perl "$here/overhead_inputs.pl" "$work"
cd "$work"
gcc -E -x c unit.c -o unit.i

# The emulator has no AVX-512, and libc chooses its functions by the CPU: none of these in either run.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-AVX2,-AVX,-ERMS,-FSRM,-RTM:glibc.cpu.x86_non_temporal_threshold=0x1000000
export PYTHONHASHSEED=0 PERL_HASH_SEED=0 LC_ALL=C

overlap() { "$build/bin/softlbr" diff --json --top 0 exact "$1" | sed -n 's/.*"overlap": *\([0-9.]*\).*/\1/p'; }

printf '%-10s %8s %10s %10s %10s\n' program traces recorded start balance
grep -v '^#' "$here/fidelity.table" | while IFS='|' read -r name command; do
  name=${name% }
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  program=${command# }
  command -v "${program%% *}" >/dev/null || { echo "$name: not installed"; continue; }
  rm -f exact recorded start balance
  eval "'$build/bin/exact_counts' -q -o exact -- $command" >/dev/null 2>&1 </dev/null ||
    { echo "$name: fails in the emulator"; continue; }
  eval "'$build/bin/softlbr' record -q --traces --no-children -c $period --branches $branches -o recorded -- $command" \
    >/dev/null 2>&1 </dev/null
  for weights in start balance; do "$build/bin/softlbr" merge --weights $weights -o $weights recorded; done
  traces=$("$build/bin/softlbr" stats --json recorded | sed -n 's/.*"traces_complete": *\([0-9]*\).*/\1/p' | head -1)
  printf '%-10s %8s %10.3f %10.3f %10.3f\n' "$name" "$traces" "$(overlap recorded)" "$(overlap start)" \
    "$(overlap balance)"
done
