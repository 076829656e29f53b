#!/bin/sh
# Fuzzes every parser of untrusted bytes.
#
# Use: sh toolchain/scripts/fuzz.sh [SECONDS [FUZZER...]]     SECONDS for each fuzzer (60); default: all fuzzers
# Builds the fuzzers with the asan preset (clang). New inputs are kept in build/found/FUZZER, failing ones as crash-*,
# timeout-* or oom-*. Exit 1 if a fuzzer failed.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$top" || exit 1
seconds=${1:-60}
[ $# -gt 0 ] && shift
fuzzers=${*:-$(find tests -name '*_fuzzer.cc' -exec basename {} _fuzzer.cc \; | sort)}
cmake --preset asan >/dev/null || exit 1
code=0
for fuzzer in $fuzzers; do
  cmake --build --preset asan --target "${fuzzer}_fuzzer" >/dev/null || exit 1
  found=$top/build/found/$fuzzer
  mkdir -p "$found"
  corpus=$top/tests/fuzz/corpus/$fuzzer
  case $fuzzer in compact | profile_split | profile_use) corpus=$top/tests/fuzz/corpus/profile_reader ;; esac
  [ -d "$corpus" ] || corpus=
  echo "== $fuzzer, $seconds s"
  # Unquoted: an empty $corpus must not become an argument.
  if ! "$top/build/asan/bin/${fuzzer}_fuzzer" "$found" $corpus "-artifact_prefix=$found/" "-max_total_time=$seconds" \
      -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 >"$found/log" 2>&1; then
    echo "FAILED: see $found/log"
    code=1
  fi
  grep -E 'stat::number_of_executed_units' "$found/log"
done
exit $code
