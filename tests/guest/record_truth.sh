#!/bin/sh
# Runs inside a guest under path_plugin.cc: records programs while QEMU follows their path.
#
# Use: record_truth.sh PROGRAMS MARKS     PROGRAMS: folder of tests/truth's; MARKS: the library of path_marks.c
# Leaves in /out what guest_truth_test.cc reads.
programs=$1
marks=$2
queries=$(dirname "$0")/../truth/programs/queries.sql
cd /tmp || exit 1
export LANG=C

# record NAME KIND EVENT PERIOD BRANCHES TRACES POLICY PROGRAM ARGUMENT...   TRACES: the least number that the test
#                                                                            requires
record() {
  name=$1 kind=$2 event=$3 period=$4 branches=$5 traces=$6 policy=$7
  shift 7
  echo "$name $kind $event $branches $traces $1" >>/out/runs
  LD_PRELOAD=$marks SOFTLBR_PATH_MAPS=/out/$name.maps softlbr record -q -o /out/$name.slbr -e "$event" -c "$period" \
    --branches "$branches" \
    --resolve "$policy" --traces -- "$@" >/out/$name.output 2>/out/$name.err
  echo $? >/out/$name.code
}

interpreter=$programs/truth_interpreter
recursion=$programs/truth_recursion
record interpreter shares:0.99 cycles 20011 128 1000 lookahead $interpreter 40
record interpreter-by-time shares:0.99 task-clock 40009 128 500 lookahead $interpreter 40
record interpreter-static path cycles 50021 16 100 static $interpreter 8
record recursion shares:0.65 cycles 20011 128 1000 lookahead $recursion 240
record recursion-fixed path cycles 50021 16 10 static ${recursion}_fixed 10
record long_jumps path cycles 5003 16 100 lookahead $programs/truth_long_jumps 1500
record signal_handlers path cycles 10007 16 300 lookahead $programs/truth_signal_handlers 20000
record exceptions path cycles 10007 16 100 lookahead $programs/truth_exceptions 30
record exceptions-static path cycles 50021 16 20 static $programs/truth_exceptions 30
record containers path cycles 10007 16 100 lookahead $programs/truth_containers 2
record floating_point path cycles 10007 16 100 lookahead $programs/truth_floating_point 500
record xz path cycles 100003 16 100 lookahead /usr/bin/xz -0 -T1 -c $recursion
record sqlite3 path cycles 50021 16 50 lookahead /usr/bin/sqlite3 -batch :memory: ".read $queries"
exit 0
