#!/bin/sh
# The paper's Figure 17 for one program: what hints cover against the instructions that they cost, for other thresholds
# of fan-out, distances and windows than those of run.sh, which each vary alone. One choice each, for the layout without
# hints.
#
# Use: sh studies/prefetch/sweep.sh [BUILD [PROGRAM [SVG]]]     perl is the program by default; SVG: a file that the
#                                                               points are drawn to Environment: as of run.sh; with WORK
#                                                               the program is compiled only once. FOLDER/sweep.rows in
#                                                               WORK keeps what was measured. Output: a table. Needs
#                                                               what run.sh needs.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
program=${2:-perl}
svg=${3:-}
if [ -z "${WORK:-}" ]; then
  WORK=$(mktemp -d)
  trap 'rm -rf "$WORK"' EXIT
fi
mkdir -p "$WORK"
export WORK ROUNDS=1
rows=$WORK/$program.sweep.rows
: >"$rows"
measure() {  # VARIED FAN_OUT DISTANCE WINDOW
  row=$(FAN_OUT=$2 DISTANCE=$3 OPTIONS="--window $4" KEEP_PROFILE=1 sh "$here/run.sh" "$build" "$program" | tail -n 1)
  printf '%s %s %s %s %s\n' "$1" "$2" "$3" "$4" \
    "$(printf '%s\n' "$row" | awk -F'|' '{ print $6+0, $7+0, $8+0, $9+0, $11+0, $12+0, $14+0 }')" >>"$rows"
}
measure none 0.05 8 200
for fan_out in 0.01 0.2 0.4 0.6 0.8; do measure fan-out "$fan_out" 8 200; done
for distance in 25 51 100; do measure distance 0.05 "$distance" 200; done
for window in 25 50 100 400; do measure window 0.05 8 "$window"; done
perl "$here/sweep_table.pl" "$program" "$rows" $svg
