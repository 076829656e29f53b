#!/bin/sh
# The AArch64 part of check.sh: a cross build, and in QEMU, on an arm64 kernel, the tests that depend on the CPU or its
# kernel.
#
# Use: sh toolchain/scripts/check_aarch64.sh OUT RESULTS [CMAKE OPTION...]
# OUT: the folder of the builds; OUT/release must contain the host's softlbr. RESULTS: gets JUnit files, and a line in
# `broken` for each step that failed without being a test. If packages or QEMU are missing, one skipped test says so.
# SOFTLBR_GUEST_KERNEL=IMAGE: uses that kernel instead of Debian's 6.1 (arm64-guest.sh).
# Runs on two CPUs: cortex-a57, and max (PAC, BTI, SVE, LSE). Guest time advances with instructions (--icount), so the
# load of this machine has little effect.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$top" || exit 1
out=$1
results=$2
shift 2
build=$out/release-aarch64
jobs=$(nproc 2>/dev/null || echo 2)

broke() { printf 'BROKEN %s\n' "$*"; printf '%s\n' "$*" >>"$results/broken"; }
# skipped NAME REASON
skipped() {
  echo "skipped: $2"
  printf '<testsuite>\n<testcase name="all of it" status="notrun"><skipped message="SKIP_REASON"/><system-out>skipped: %s</system-out></testcase>\n</testsuite>\n' \
    "$2" >"$results/$1.xml"
}
missing() {
  skipped aarch64 "$*"
  exit 0
}

sh toolchain/scripts/cross/setup.sh </dev/null ||
  missing "needs arm64 packages and a cross compiler (toolchain/scripts/cross/setup.sh)"
if ! cmake --preset release-aarch64 -B "$build" "$@" </dev/null >"$results/aarch64.configure" 2>&1; then
  tail -n 40 "$results/aarch64.configure"
  broke "release-aarch64: cmake failed"
  exit 1
fi
if ! cmake --build "$build" -j "$jobs" --target cross_tests </dev/null >"$results/aarch64.build" 2>&1; then
  grep -E -A 12 'FAILED|error|undefined reference' "$results/aarch64.build" | head -n 80
  broke "release-aarch64: build failed"
  exit 1
fi
tail -n 1 "$results/aarch64.build"
ctest --test-dir "$build" -L '^(size|symbols|package)$' --no-tests=error \
  --output-on-failure --output-junit "$results/aarch64.xml" \
  </dev/null >"$results/aarch64.tests" 2>&1
grep -E 'of .* bytes of text|^[0-9]+% tests passed' "$results/aarch64.tests"
[ -s "$results/aarch64.xml" ] || broke "release-aarch64: ctest gave no result"
size "$build/lib/libsoftlbr_decoder_aarch64.so" "$build/lib/libsoftlbr.a" | sed -n '1p;/softlbr/p'

# Builds against musl, without a C++ library, for both CPUs (tests/musl).
for arch in aarch64 x86_64; do
  if cmake --preset musl-$arch -B "$out/musl-$arch" -DSOFTLBR_HOST_TOOL="$out/release/bin/softlbr" "$@" </dev/null \
      >"$results/musl.build" 2>&1 &&
      cmake --build "$out/musl-$arch" -j "$jobs" </dev/null >>"$results/musl.build" 2>&1; then
    ctest --test-dir "$out/musl-$arch" --no-tests=error --output-on-failure --output-junit "$results/musl-$arch.xml" \
      </dev/null >"$results/musl.tests" 2>&1 || cat "$results/musl.tests"
    [ -s "$results/musl-$arch.xml" ] || broke "musl-$arch: ctest gave no result"
  else
    grep -E -A 12 'FAILED|error|undefined|rror:' "$results/musl.build" | head -n 60
    broke "musl-$arch: build failed"
  fi
done
linked=$out/musl-aarch64/bin/linked_musl

# A program linked by lld, in whose layout file offsets differ from addresses.
mkdir -p "$build/guest"
workload=$build/guest/workload
clang-19 --target=aarch64-linux-gnu -O2 -g -fuse-ld=lld -pie -fPIE -Wl,--emit-relocs,--build-id=sha1 \
  tests/toolchain/programs/workload.c tests/guest/workload_repeat.c -o "$workload" ||
  broke "release-aarch64: the workload by lld"

bin=$build/bin
record="$bin/toolchain_tests:Record.KeepsExitCodeAndOutput:Record.EndsWithTheProgramsSignal*:Record.KeepsTraces*"
# The session tests that depend on the CPU. The others take minutes in the guest.
sessions="$bin/session_tests:SessionTest.RecordsTheCallingThread:SessionTest.EveryTrace*:SessionTest.LeavesNothingBehind:SessionTest.KeepsErrno"
sessions="$sessions:SessionTest.IsInert*:*ReplacedHandler*"
tests="$bin/platform_tests $bin/decoder_aarch64_tests:PluginAarch64* $bin/module_table_lld_tests
  $record $sessions"
# On one emulated CPU. With two, QEMU alternates between them in whole timer slices, and threads that wait for each
# other can take minutes.
alone="$bin/no_heap_tests $bin/soak_tests:StartStop* $bin/toolchain_tests:Record.WritesAProfile*
  $bin/session_tests:SessionTest.FindsThreads*"
# Code that tolerates no interruption: exclusive pairs, critical sections, small stacks. docs/aarch64.md lists longer
# tests.
rseq_tables="RseqRanges*:RseqTables*"
hostile="$bin/hazard_tests:SigtrapRecord.Un*:*HotLoop.Stores*:*RseqRecord.Code*/bfd_libc:*RseqRecord.Code*/lld_libc:*RseqRecord.Code*/hidden_self:$rseq_tables
  $bin/session_tests:SessionStack* $bin/runtime_tests:Restart* $bin/fake_platform_tests:Arming*:ExclusiveTrace*:TracerHazard*"
# On another kernel, with 16 KiB pages and 52-bit addresses.
pages="$bin/hazard_tests:HighGround*:$rseq_tables $bin/platform_tests
  $bin/session_tests:SessionTest.EveryTrace*:SessionStack* $record"

# Timing tests that fail are run once more in the same guest.
runner="--with toolchain/scripts/guest/run_tests.sh --with tests/checks/timing_tests.list"
# tests_in_guest NAME TESTS OPTION...: runs TESTS in a guest; the results are RESULTS/NAME-*.xml.
tests_in_guest() {
  name=$1
  list=$2
  shift 2
  code=0
  SOFTLBR_GUEST_TREE=$build sh toolchain/scripts/arm64-guest.sh "$@" --time 300 --bring "$results/$name" $runner \
    "SOFTLBR_TRUTH_SMALL=1 sh $top/toolchain/scripts/guest/run_tests.sh 100 $(echo $list | sed "s/[^ ]*/'&'/g")" \
    >"$results/$name.log" 2>&1 || code=$?
  tail -n 40 "$results/$name.log"
  if [ $code = 125 ] && grep -q 'cannot be had' "$results/$name.log"; then
    skipped "$name" "needs that kernel's package"; return; fi
  [ $code -lt 124 ] || broke "$name: the guest gave no result (exit $code)"
  if [ -s "$results/$name/broken" ]; then while read -r line; do broke "$name: $line"; done <"$results/$name/broken"; fi
  for file in "$results/$name"/*.xml; do
    [ -e "$file" ] && cp "$file" "$results/$name-$(basename "$file")"
  done
}
# all_of CPU: everything for one CPU.
all_of() {
  cpu=$1
  tests_in_guest "aarch64-hostile-${cpu%%,*}" "$hostile" --cpu "$cpu" --cpus 1 --icount 1
  name=aarch64-${cpu%%,*}
  brought=$results/$name
  code=0
  cycles=1000  # takes a minute, so only on one CPU
  [ "$cpu" = cortex-a57 ] || cycles=100
  SOFTLBR_GUEST_TREE=$build sh toolchain/scripts/arm64-guest.sh --cpu "$cpu" --icount 3 --time 200 --bring "$brought" \
    --packages "dash xz-utils zstd pigz sqlite3 perl-base" --with tests/guest/record_programs.sh \
    --with "$workload" --with "$linked" "sh $top/tests/guest/record_programs.sh $workload $linked" \
    >"$results/$name.log" 2>&1 || code=$?
  SOFTLBR_GUEST_TREE=$build sh toolchain/scripts/arm64-guest.sh --cpu "$cpu" --icount 1 --time 200 --bring "$brought" \
    --packages "dash xz-utils zstd pigz sqlite3 perl-base" $runner \
    "sh $top/toolchain/scripts/guest/run_tests.sh 100 $(echo $tests | sed "s/[^ ]*/'&'/g")" >>"$results/$name.log" \
    2>&1 || code=$?
  SOFTLBR_GUEST_TREE=$build sh toolchain/scripts/arm64-guest.sh --cpu "$cpu" --cpus 1 --icount 1 --time 500 \
    --bring "$brought-alone" \
    $runner "SOFTLBR_CYCLES=$cycles sh $top/toolchain/scripts/guest/run_tests.sh 100 $(echo $alone | sed "s/[^ ]*/'&'/g")" \
    >>"$results/$name.log" 2>&1 || code=$?
  tail -n 60 "$results/$name.log"
  # 124: timeout, 125: no kernel or no result.
  [ $code -lt 124 ] || broke "$name: the guest gave no result (exit $code)"
  for folder in "$brought" "$brought-alone"; do
    if [ -s "$folder/broken" ]; then while read -r line; do broke "$name: $line"; done <"$folder/broken"; fi
  done
  for file in "$brought"/*.xml; do
    [ -e "$file" ] && cp "$file" "$results/$name-$(basename "$file")"
  done
  for file in "$brought-alone"/*.xml; do
    [ -e "$file" ] && cp "$file" "$results/$name-alone-$(basename "$file")"
  done
  # Recordings whose true path a QEMU plugin logs.
  log=$build/guest/paths-${cpu%%,*}.log
  plugin=$out/release/tests/guest/libsoftlbr_path_plugin.so
  if ! echo quit | qemu-system-aarch64 -M none -display none -monitor stdio -plugin "$plugin" >/dev/null 2>&1; then
    skipped "$name-truth" "needs a QEMU with plugins of interface version 1"
  else
    code=0
    rm -rf "$brought-truth"
    SOFTLBR_GUEST_TREE=$build sh toolchain/scripts/arm64-guest.sh --cpu "$cpu" --icount 1 --time 200 \
      --bring "$brought-truth" \
      --plugin "$plugin,log=$log,runtime=$build/lib/libsoftlbr_preload.so" --packages "xz-utils sqlite3" \
      --with tests/guest/record_truth.sh --with tests/truth/programs/queries.sql \
      "sh $top/tests/guest/record_truth.sh $build/tests/truth/programs $build/tests/guest/libsoftlbr_path_marks.so" \
      >>"$results/$name.log" 2>&1 || code=$?
    [ $code = 0 ] || broke "$name: the recordings for the truth ended with $code"
    "$out/release/tests/guest/guest_truth" "$brought-truth" "$log" --gtest_output="xml:$results/$name-truth.xml" \
      >"$results/$name-truth.log" 2>&1
    grep -E ' truth of |^overlap|Failure|FAILED' "$results/$name-truth.log"
    [ -s "$results/$name-truth.xml" ] || broke "$name: no judgement of the truth"
    rm -f "$log"
  fi
  perl tests/guest/check_recordings.pl "$out/release/bin/softlbr" "$brought" "$workload" \
    "$results/$name-recordings.xml" ||
    [ -s "$results/$name-recordings.xml" ] || broke "$name: no recordings"
}

# Each guest keeps one CPU of this machine busy, and its clock counts instructions: two can run at the same time. The
# first CPU's tests take longer, by what the third guest takes.
all_of cortex-a57 >"$results/cortex-a57.output" 2>&1 &
{
  all_of max,pauth-impdef=on
  tests_in_guest aarch64-16k "$pages" --16k --packages dash --cpus 1 --icount 1
} >"$results/max.output" 2>&1 &
wait
cat "$results/cortex-a57.output" "$results/max.output"
