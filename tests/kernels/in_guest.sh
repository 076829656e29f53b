#!/bin/sh
# Runs inside a guest (kernel_test.sh): tests that must pass on any kernel, and a recorded program whose output is
# compared.
#
# Use: sh in_guest.sh BUILD     BUILD: the built tree; its bin/ is in PATH
# Output: a line per step; for a failed step, the failures. Exit 0: all passed.
build=$1
failed=0
echo "kernel $(uname -r)"

# step NAME COMMAND...: its output is shown if it fails, and its last line if not.
step() {
  name=$1
  shift
  if "$@" >/tmp/step.log 2>&1; then
    echo "ok $name: $(tail -n 1 /tmp/step.log)"
  else
    echo "FAILED $name (exit code $?)"
    grep -E -A 6 'Failure|FAILED|error|rror:|Segmentation' /tmp/step.log | head -n 60
    tail -n 5 /tmp/step.log
    failed=1
  fi
}

# Tests of sampling rates and trap costs are left out: they depend on the emulator.
step "signals and breakpoints" platform_tests --gtest_brief=1 \
  --gtest_filter='AppTrapAction*:Breakpoint*:CpuContext*:SamplerSignal*:ScalableContext*:SignalFrame*:TrapSignal*-SamplerSignal.TaskClockFiresAtTheRequestedRate:SamplerSignal.PeriodCanBeChangedWhileItRuns:SamplerSignal.ThreadTimer*:SamplerSignal.TaskClockNever*:SamplerSignal.TaskClockRaises*:CpuContext.LoadsInUnderAMicrosecond'
step "sessions" session_tests --gtest_brief=1 \
  --gtest_filter='SessionTest.LeavesNothingBehind:SessionTest.RefusesToStartTwice:SessionTest.CountsFrames*:SessionHazard.ProfileIsNotWrittenIntoAFileOfTheApp'
step "doctor" softlbr doctor

torture=$build/tests/soak/programs/torture
recorded_as_plain() {
  $torture rounds 4 | grep -v '^#' >/tmp/plain || return 1
  softlbr record -e task-clock -c 500009 -o /tmp/recorded.slbr -- $torture rounds 4 >/tmp/recorded.all || return 1
  grep -v '^#' /tmp/recorded.all >/tmp/recorded
  cmp /tmp/plain /tmp/recorded || return 1
  softlbr stats --json /tmp/recorded.slbr >/tmp/stats || return 1
  # From the statistics: samples, complete traces, and those that ended where the program called a function that we
  # interpose, or needed a breakpoint while it blocked SIGTRAP. It does both all the time (signals, threads, programs),
  # on any kernel.
  samples=$(sed -n 's/.*"samples": *\([0-9]*\).*/\1/p' /tmp/stats | head -n 1)
  complete=$(sed -n 's/.*"traces_complete": *\([0-9]*\).*/\1/p' /tmp/stats | head -n 1)
  interposed=$(sed -n 's/.*"forbidden_pc": *\([0-9]*\).*/\1/p' /tmp/stats | head -n 1)
  blocked=$(sed -n 's/.*"trap_blocked": *\([0-9]*\).*/\1/p' /tmp/stats | head -n 1)
  echo "samples $samples, complete $complete, interposed $interposed, blocked $blocked"
  [ "$samples" -ge 50 ] && [ "$complete" -ge $(((samples - interposed - blocked) * 5 / 9)) ]
}
step "a recorded program" recorded_as_plain
exit $failed
