#!/bin/sh
# Runs GoogleTest programs one after the other, inside a guest.
#
# Use: run_tests.sh SECONDS PROGRAM[:FILTER]...    SECONDS: timeout for each program
# Writes to /out: NAME.xml (GoogleTest's results), NAME.log, and a line in `broken` for each program without results.
# Prints the failures. Exit 1 if there are any.
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
