#!/bin/sh
# Inside a guest: runs GoogleTest programs one after the other.
#
# Use: run_tests.sh SECONDS PROGRAM[:FILTER]...    at most so many seconds each
# Leaves in /out: NAME.xml (GoogleTest's results), NAME.log, and one line in `broken` for each program that left no results.
# Prints what failed. Exit 1 if anything did.
seconds=$1
shift
failed=0
for test; do
  program=${test%%:*}
  filter=${test#"$program"}
  filter=${filter#:}
  name=$(basename "$program")
  timeout "$seconds" "$program" --gtest_filter="${filter:-*}" --gtest_output="xml:/out/$name.xml" >"/out/$name.log" 2>&1
  code=$?
  [ $code = 0 ] && continue
  failed=1
  grep -B 20 '^\[  FAILED  \] .*ms)' "/out/$name.log" | head -n 100
  if [ ! -s "/out/$name.xml" ]; then
    tail -n 12 "/out/$name.log"
    echo "$name ended with $code and left no results" | tee -a /out/broken
  fi
done
exit $failed
