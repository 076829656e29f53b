#!/bin/sh
# Runs a program with the runtime linked in, alone and recording itself: same output and exit code, a profile of all its
# threads.
#
# Use: records_itself.sh PROGRAM SOFTLBR     PROGRAM: busy_threads; SOFTLBR: reads the profile. Exit 1: what was wrong
#                                            is printed.
set -u
program=$1
softlbr=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-musl.XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT

fail() { echo "$*"; exit 1; }
"$program" 3 100 >"$folder/plain"
plain=$?
SOFTLBR_OPTIONS="v1;out=$folder/p.slbr;period=200003" "$program" 3 100 >"$folder/recorded"
recorded=$?
[ $plain = 5 ] || fail "alone it ended with $plain"
[ $recorded = $plain ] || fail "recording it ended with $recorded"
cmp "$folder/plain" "$folder/recorded" || fail "another output"
"$softlbr" stats --json "$folder/p.slbr" >"$folder/stats" || fail "no profile can be read"
perl -MJSON::PP=decode_json -0777 -ne '
  my $s = decode_json($_);
  print "$s->{samples} samples, $s->{taken_branches} branches, $s->{threads_traced} threads\n";
  exit($s->{samples} > 50 && $s->{taken_branches} > 2000 && $s->{threads_traced} == 4 ? 0 : 1);' "$folder/stats" ||
    fail "too little"
