#!/bin/sh
# The example in Go is built as its first lines say, by `go build` with nothing but pkg-config's path, and records
# itself: as a program, and as a C library that a program loads and closes.
#
# Use: go_program.sh PREFIX SOFTLBR EXAMPLE      EXAMPLE: docs/examples/go_program
# Exit 1: what was wrong is printed. Exit 77: Go is missing.
set -u
prefix=$1 softlbr=$2 example=$3
command -v go >/dev/null 2>&1 || { echo "skipped: no package golang-go"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-go.XXXXXX") || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name softlbr.pc)")
GOCACHE=$work/cache GOPATH=$work/path GOFLAGS=-mod=mod GOPROXY=off
export PKG_CONFIG_PATH GOCACHE GOPATH GOFLAGS GOPROXY
unset CGO_LDFLAGS_ALLOW CGO_LDFLAGS
fail() { echo "go_program: $*"; exit 1; }

cp -r "$example" "$work/program" && cd "$work/program" || exit 1
go build -o "$work/go_program" >"$work/messages" 2>&1 || { cat "$work/messages"; fail "is not built"; }
[ ! -s "$work/messages" ] || { cat "$work/messages"; fail "the build complains"; }
"$work/go_program" "$work/profile" || fail "exit code $?"
"$softlbr" stats --json "$work/profile" >"$work/stats" || fail "no profile can be read"
# Its limit of 10 % pays for 45 samples where one takes 0.8 ms.
perl -MJSON::PP=decode_json -0777 -ne '
  my $s = decode_json($_);
  exit($s->{samples} >= 20 && $s->{taken_branches} >= 1000 && !$s->{is_truncated} ? 0 : 1);' "$work/stats" ||
  fail "too little was recorded: $(tr -d '\n' <"$work/stats" | cut -c 1-300)"
"$softlbr" report "$work/profile" >"$work/report" && grep -q 'main[.]main' "$work/report" ||
  { cat "$work/report"; fail "names no Go function"; }
