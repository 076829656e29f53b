#!/bin/sh
# Builds softlbr, runs its tests and says how it went. No terminal needed.
#
# Use: sh toolchain/check.sh          the release build and the tests that prove most, with a third of the test code
#      sh toolchain/check.sh --all    every build and every test, as in CI: over an hour on two cores without a compiler
#                                     cache
# Builds: release (g++), clang (clang-14: device code and its tests), asan (by clang-14, too: host code and its tests
#         under address and undefined sanitizers, fuzzers on), aarch64 (cross-built, what depends on the CPU tested in
#         QEMU; needs release).
# Tests:  tests/CMakeLists.txt says which ones run without --all.
# Times: a test of the label `timing` that fails is run once more, alone, at the end. If it passes then it is named as
#         unsteady; three unsteady tests fail the check. One that crashed or ran out of time is not run again.
# Output: progress, then the skipped tests with the capability each missed, the failed ones, and as last line
#         "N passed, N failed" or "N passed, N failed, N skipped", summed over the builds. A build that fails counts as
#         one failed test. Exit 0 only if nothing failed.
# Environment: SOFTLBR_CHECK_DIR   where to build (default: build/)
#              SOFTLBR_CHECK_BUILDS which builds (default with --all: "release clang asan aarch64", else "release")
# Changes nothing on the machine but installing missing packages; kernel settings are reported, never set.
set -u

top=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$top" || exit 1
out=${SOFTLBR_CHECK_DIR:-$top/build}
case ${1-} in
  '') tier=quick builds=release ;;
  --all) tier=all builds="release clang asan aarch64" ;;
  *) printf 'usage: sh toolchain/check.sh [--all]\n' >&2; exit 2 ;;
esac
builds=${SOFTLBR_CHECK_BUILDS:-$builds}
jobs=$(nproc 2>/dev/null || echo 2)
results=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-check.XXXXXX") || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM

begin=$(date +%s)
heading() {
  seconds=$(($(date +%s) - begin))
  printf '\n== %s (after %d min %02d s)\n' "$*" $((seconds / 60)) $((seconds % 60))
}
# A step that is no test of its own and went wrong: counted by the summary as one failure.
broke() { printf 'BROKEN %s\n' "$*"; printf '%s\n' "$*" >>"$results/broken"; }

setting() { cat "/proc/sys/$1" 2>/dev/null || echo absent; }

heading "machine"
printf '%s, %s CPUs, kernel %s\n' "$(uname -m)" "$jobs" "$(uname -r)"
printf 'kernel.perf_event_paranoid = %s' "$(setting kernel/perf_event_paranoid)"
case $(setting kernel/perf_event_paranoid) in
  absent) printf ' (no perf events in this kernel: tests that need them will be skipped)\n' ;;
  3 | 4) printf ' (unprivileged users get no breakpoint and no sampling; root does)\n' ;;
  *) printf '\n' ;;
esac

heading "packages"
if sh toolchain/scripts/setup.sh --tests </dev/null; then echo "all there"; else
  broke "setup.sh could not install every package"; fi

# Emulators, cross compiler, AArch64 libraries and programs: tests that need what is missing are skipped.
if [ $tier = all ]; then sh toolchain/scripts/cross/setup.sh </dev/null || echo "cross: not everything is there"; fi

launcher=
if command -v ccache >/dev/null 2>&1; then
  launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
fi

# Tests of a build, as options of ctest. Single-stepping whole programs (truth), recording them for long (soak) and the
# tutorial take minutes and are done once, and so are the rules for sources and the installed packages, which programs
# of both compilers link. The sanitizers watch host code only, so programs recorded by the preload library (hazard) are
# left to the release build; the tests that run device code in their own process, and those of size and symbols, are in
# the clang build, which has no others.
selection() {
  if [ $tier = quick ]; then
    echo "-L $(cat "$out/$1/quick_labels")"
    return
  fi
  case $1 in
    clang) echo "-L ^(device|symbols|size)\$" ;;
    asan) echo "-L $(cat "$out/$1/sanitized_labels")" ;;
    *) echo "" ;;
  esac
}

for build in $builds; do
  if [ "$build" = aarch64 ]; then
    heading "aarch64: cross build, tests in guests"
    sh toolchain/scripts/check_aarch64.sh "$out" "$results" $launcher
    continue
  fi
  heading "$build: configure and build"
  case $tier-$build in
    quick-*) target=quick_tests options= ;;
    all-clang) target=device_tests options="-DSOFTLBR_DEVICE_TESTS_ONLY=ON -DSOFTLBR_BENCHMARKS=OFF" ;;
    all-asan) target="sanitized_tests fuzzers" options=-DSOFTLBR_BENCHMARKS=OFF ;;
    *) target=all options= ;;
  esac
  if ! cmake --preset "$build" -B "$out/$build" $launcher $options </dev/null >"$results/$build.configure" 2>&1; then
    tail -n 40 "$results/$build.configure"
    broke "$build: cmake failed"
    continue
  fi
  if ! cmake --build "$out/$build" -j "$jobs" --target $target </dev/null >"$results/$build.build" 2>&1; then
    grep -E -A 12 'FAILED|error|undefined reference' "$results/$build.build" | head -n 80
    broke "$build: build failed"
    continue
  fi
  tail -n 1 "$results/$build.build"

  heading "$build: tests"
  # Word splitting of the selection is wanted.
  ctest --test-dir "$out/$build" -j "$jobs" --timeout 600 --no-tests=error --output-on-failure \
    --output-junit "$results/$build.xml" $(selection "$build") </dev/null >"$results/$build.tests" 2>&1
  code=$?
  # What failed and what it said; everything is counted below.
  awk '/^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ { shown = /\*\*\*/ && !/\*\*\*Skipped/ } /^ +Start +[0-9]+:/ { next } shown' \
    "$results/$build.tests" | head -n 400
  grep -E '^[0-9]+% tests passed' "$results/$build.tests"
  [ -s "$results/$build.xml" ] || broke "$build: ctest gave no result (exit $code)"
done

# Prints the names of the timing tests of a build that failed by an expectation, one a line.
missed_times() {
  [ -s "$results/$1.tests" ] || return 0
  ctest --test-dir "$out/$1" -N -L '^timing$' 2>/dev/null | sed -n 's/^ *Test *#[0-9]*: //p' |
    sort >"$results/$1.timing"
  sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (Failed)$/\1/p' "$results/$1.tests" | sort | comm -12 - "$results/$1.timing"
}
for build in $builds; do
  missed=$(missed_times "$build")
  [ -n "$missed" ] || continue
  heading "$build: once more, alone"
  printf '%s\n' "$missed"
  pattern=$(printf '%s\n' "$missed" | sed 's/[.+]/[&]/g' | paste -s -d '|')
  ctest --test-dir "$out/$build" -R "^($pattern)\$" --timeout 600 --output-on-failure \
    --output-junit "$results/$build.again.xml" \
    </dev/null | tail -n 60
done

heading "result"
perl "$top/tests/checks/summarize_tests.pl" "$results"
