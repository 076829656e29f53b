#!/bin/sh
# Runs GoogleTest programs one after the other, inside a guest.
#
# Use: run_tests.sh SECONDS PROGRAM[:FILTER]...    SECONDS: timeout for each program
# Writes to /out: NAME.xml (GoogleTest's results), NAME.log, and a line in `broken` for each program without results.
# Tests of tests/checks/timing_tests.list that failed by an expectation are run once more, alone, at the end:
# NAME.again.xml.
# Not those of a program that crashed or ran out of time. Without that file (option --with of the guest) none is run
# again.
# Prints the failures. Exit 1 if there are any, in the first run.
# Environment: SOFTLBR_OUT, another folder than /out
out=${SOFTLBR_OUT:-/out}
timing=$(dirname "$0")/../../../tests/checks/timing_tests.list
seconds=$1
shift
failed=0

# run PROGRAM FILTER RESULTS: leaves $out/RESULTS.xml and $out/RESULTS.log. Prints what failed.
run() {
  timeout "$seconds" "$1" --gtest_filter="$2" --gtest_output="xml:$out/$3.xml" >"$out/$3.log" 2>&1
  code=$?
  [ $code != 0 ] || return 0
  grep -B 20 '^\[  FAILED  \] .*ms)' "$out/$3.log" | head -n 100
  [ -s "$out/$3.xml" ] || tail -n 12 "$out/$3.log"
  return 1
}

for test; do
  program=${test%%:*}
  filter=${test#"$program"}
  filter=${filter#:}
  name=$(basename "$program")
  run "$program" "${filter:-*}" "$name" && continue
  failed=1
  [ -s "$out/$name.xml" ] || echo "$name ended with $code and left no results" | tee -a "$out/broken"
done
[ $failed = 1 ] && [ -s "$timing" ] || exit $failed

# Parameters are parts of a name: "Prefix/Suite.Name/0".
pattern="(^|/)($(sed -n 's/^\([^# ][^ ]*\) .*/\1/p' "$timing" | sort -u | tr '\n' '|' | sed 's/|$//'))(/|\$)"
for test; do
  program=${test%%:*}
  name=$(basename "$program")
  [ -s "$out/$name.xml" ] || continue
  missed=$(sed -n 's/^\[  FAILED  \] \([^ ,]*\).* ms)$/\1/p' "$out/$name.log" | grep -E "$pattern")
  [ -n "$missed" ] || continue
  echo "$name: once more, alone:" $missed
  run "$program" "$(echo $missed | tr ' ' ':')" "$name.again"
done
exit 1
