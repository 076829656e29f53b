#!/bin/sh
# studies/asmdb/run.sh with the two programs that need no input: the page and its pictures are written, and counts are
# those of `report`.
#
# Use: sh asmdb_page_test.sh RUN_SH BUILD   Exit 77: the engine or gnuplot is missing.
set -eu
command -v gnuplot > /dev/null || { echo "missing: gnuplot (gnuplot-nox)"; exit 77; }
out=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-asmdb.XXXXXX")
trap 'rm -rf "$out"' EXIT
trap 'exit 130' INT TERM
fail() { printf '%s\n' "$*" >&2; exit 1; }

code=0
ASMDB_OUT=$out sh "$1" "$2" event_network softlbr || code=$?
[ "$code" -eq 0 ] || exit "$code"
page=$out/evaluation_asmdb.md
grep -q '^# .* over 2 programs$' "$page" || fail "the page has another title"
for program in 'event\\_network' softlbr; do grep -q "^| $program |" "$page" ||
  fail "the page has no row of $program"; done
for figure in 2 3 4 6 7 '8 and 9' 10 '11 and 12' 13; do grep -q "^## .*(Figures\{0,1\} $figure)" "$page" ||
  fail "the page has no Figure $figure"; done
pictures=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$page")
[ -n "$pictures" ] || fail "the page has no picture"
for picture in $pictures; do grep -q '</svg>' "$out/$picture" || fail "$picture is missing or not complete"; done
sed -n '/Figure 10/,/^## Frag/p' "$page" | grep -q '^| \(up\|larger\)' ||
  fail "nothing is inlined in programs with debug information"
