#!/bin/sh
# toolchain/scripts/clickhouse.sh: a server answers on loopback, keeps its rows from one start to the next, and ends
# when it is told to or with its owner.
#
# Use: sh clickhouse_server_test.sh SCRIPT   Exit 77: clickhouse-server is missing. Needs perl.
set -eu
script=$1
folder=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-clickhouse.XXXXXX")
owner=
finish() {
  sh "$script" stop "$folder" || true
  [ -z "$owner" ] || kill "$owner" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM
fail() { printf '%s\n' "$*" >&2; exit 1; }
# ask URL SQL: prints the answer; fails without one.
ask() { perl -MHTTP::Tiny -e '$ENV{no_proxy} = "127.0.0.1"; my $answer = HTTP::Tiny->new->post($ARGV[0], {content => $ARGV[1]}); print $answer->{content}; exit !$answer->{success}' "$@"; }

url=$(sh "$script" start "$folder")
case $url in http://127.0.0.1:*) ;; *) fail "the address is $url" ;; esac
sh "$script" start "$folder" 2>/dev/null && fail "a second server was started in the same folder"
ask "$url" 'CREATE TABLE t (n UInt64) ENGINE = MergeTree() ORDER BY n' >/dev/null
ask "$url" 'INSERT INTO t VALUES (20)(22)' >/dev/null
sh "$script" stop "$folder"
ask "$url" 'SELECT 1' >/dev/null && fail "it answers after its end"
[ ! -e "$folder/pid" ] || fail "the process id is left"

sleep 1000 &
owner=$!
url=$(sh "$script" start "$folder" "$owner")
[ "$(ask "$url" 'SELECT sum(n) FROM t')" = 42 ] || fail "rows were lost"
pid=$(cat "$folder/pid")
kill "$owner"
# The server ends within seconds; a loaded machine may take longer.
while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
ask "$url" 'SELECT 1' >/dev/null && fail "it answers after its owner's end"
exit 0
