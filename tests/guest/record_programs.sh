#!/bin/sh
# Runs inside a guest: real programs, alone and recorded under both policies, with the output of each.
#
# Use: record_programs.sh WORKLOAD LINKED    WORKLOAD: workload_repeat.c with tests/toolchain's workload.c; LINKED: the
#                                            static program of tests/musl, which records itself.
# Leaves in /out: PROGRAM.POLICY.slbr (policies: lookahead, static), PROGRAM.POLICY.output (also: plain),
# PROGRAM.POLICY.code; linked_musl.slbr; linked_musl.code: LINKED's exit codes alone and recording itself;
# linked_musl.output: differences.
# Judged on the host by check_recordings.pl.
workload=$1
linked=$2
cd /tmp || exit 1
cat /usr/lib/aarch64-linux-gnu/libstdc++.so.6 | head -c 600000 >bytes
i=0
while [ $i -lt 2500 ]; do
  echo "insert into t values($i, '$((i * 7919 % 10007)) $((i * 31 % 977))');"
  i=$((i + 1))
done >rows.sql
(echo 'create table t(a integer primary key, b text); begin;'; cat rows.sql
  echo 'commit; create index i on t(b); select count(*), sum(length(b)), max(b) from t where b like "%7%" group by a % 11;') >in.sql

# zstd and pigz on two threads; xz on one, because its other threads block every signal. Full paths: the shell would use
# its own xz.
programs="xz zstd pigz sqlite3 perl workload"
run() {
  case $1 in
    xz) $2 /usr/bin/xz -1 -T1 -c bytes ;;
    zstd) $2 /usr/bin/zstd -q -5 -T2 -c bytes ;;
    pigz) $2 /usr/bin/pigz -p 2 -6 -n -c bytes ;;
    sqlite3) $2 /usr/bin/sqlite3 :memory: '.read in.sql' ;;
    perl) $2 /usr/bin/perl -ne 'chomp; for my $w (split /[ ,()]+/) { $n{$w}++ } END { print "$_ $n{$_}\n" for sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n }' in.sql ;;
    workload) $2 "$workload" 4000 ;;
  esac
}
for program in $programs; do
  run $program '' >/out/$program.plain.output 2>/out/$program.plain.err
  echo $? >/out/$program.plain.code
  for policy in lookahead static; do
    run $program "softlbr record -q -o /out/$program.$policy.slbr --branches 16 -e instructions -c 200003 --verify 16 --resolve $policy --" \
      >/out/$program.$policy.output 2>/out/$program.$policy.err
    echo $? >/out/$program.$policy.code
    cat /out/$program.$policy.err
  done
done

"$linked" 3 300 >alone
code=$?
SOFTLBR_OPTIONS='v1;out=/out/linked_musl.slbr;event=instructions;period=200003' "$linked" 3 300 >recording
echo "$code $?" >/out/linked_musl.code
[ "$(cat alone)" = "$(cat recording)" ] ||
  echo "alone: $(cat alone), recording: $(cat recording)" >/out/linked_musl.output
