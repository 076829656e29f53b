#!/bin/sh
# How well the expected overlap that softlbr stats prints agrees with the overlap of two recordings, over the programs
# of fidelity.table.
#
# Use: sh bench/expected_overlap.sh [BUILD [PERIOD_NS [PROGRAM...]]]   BUILD: a built tree, default build/release;
#                                                                      PERIOD_NS: default 700001. Programs that are not
#                                                                      installed are left out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build/release}
build=$(cd "$build" && pwd)
[ $# -eq 0 ] || shift
period=${1:-700001}
[ $# -eq 0 ] || shift

work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-expected.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
perl "$here/overhead_inputs.pl" "$work"
cd "$work"
gcc -E -x c unit.c -o unit.i
export PYTHONHASHSEED=0 PERL_HASH_SEED=0 LC_ALL=C

number() { sed -n "s/^ *\"$1\": *\([0-9.]*\).*/\1/p" | head -1; }

printf '%-10s %8s %10s %10s\n' program traces expected measured
grep -v '^#' "$here/fidelity.table" | while IFS='|' read -r name command; do
  name=${name% }
  [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  program=${command# }
  command -v "${program%% *}" >/dev/null || continue
  for recording in a b; do
    eval "'$build/bin/softlbr' record -q --no-children -c $period --branches 128 -o $recording -- $command" >/dev/null \
      2>&1 </dev/null
  done
  printf '%-10s %8s %10.3f %10.3f\n' "$name" "$("$build/bin/softlbr" stats --json a | number traces_complete)" \
    "$("$build/bin/softlbr" stats --json a | number expected_overlap)" \
    "$("$build/bin/softlbr" diff --json --top 0 a b | number overlap)"
done
