#!/bin/sh
# `softlbr upload` over TLS: a certificate that --cacert verifies is accepted. One of another authority, an expired one,
# one that is not valid yet and one for another host are refused with cause and remedy, before a byte is sent, and the
# spool stays as it was.
#
# Use: tls.sh BIN     BIN: the folder of softlbr and upload_spool
# Exit 1: what was wrong is printed. Exit 77: openssl is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
bin=$1
command -v openssl >/dev/null 2>&1 || { echo "skipped: no package openssl"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-tls.XXXXXX") || exit 1
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
failures=0
fail() { echo "tls: $*"; failures=$((failures + 1)); }
make() { openssl "$@" 2>>"$work/openssl.log" || { cat "$work/openssl.log"; exit 1; }; }

# authority NAME; certificate NAME AUTHORITY HOST FROM TO, the dates as YYMMDD
authority() {
  make req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$1.key" -out "$work/$1.pem" \
    -subj "/CN=$1" -days 2
}
certificate() {
  make req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$1.key" -out "$work/$1.csr" -subj "/CN=$1"
  : >"$work/index"
  printf 'subjectAltName=%s\n' "$3" >"$work/extensions"
  printf '[ca]\ndatabase=%s/index\nserial=%s/serial\nnew_certs_dir=%s\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n' \
    "$work" "$work" "$work" >"$work/ca.conf"
  make ca -batch -notext -config "$work/ca.conf" -name ca -rand_serial -cert "$work/$2.pem" -keyfile "$work/$2.key" \
    -extfile "$work/extensions" -startdate "${4}000000Z" -enddate "${5}000000Z" -in "$work/$1.csr" -out "$work/$1.pem"
}
authority ours
authority others
certificate good ours IP:127.0.0.1 200101 491231
certificate foreign others IP:127.0.0.1 200101 491231
certificate expired ours IP:127.0.0.1 200101 210101
certificate future ours IP:127.0.0.1 480101 491231
certificate elsewhere ours DNS:elsewhere.example 200101 491231

perl "$here/tls_server.pl" "$work" good foreign expired future elsewhere >"$work/ports" 2>"$work/server.log" &
server=$!
for _ in $(seq 600); do
  grep -q ready "$work/ports" && break
  sleep 0.1
done
port() { sed -n "s/^$1 //p" "$work/ports"; }
sums() { (cd "$work/spool" && find . -name '*.slbr' -exec cksum {} + | sort); }
upload() { # NAME OPTIONS...
  name=$1
  shift
  no_proxy=127.0.0.1 "$bin/softlbr" upload "$work/spool" "https://127.0.0.1:$(port "$name")" --retries 3 \
    --max-wait 0.01 "$@" \
    >"$work/out" 2>"$work/err"
}

"$bin/upload_spool" make "$work/spool" 3 || exit 1
before=$(sums)
refused() { # NAME TEXT REMEDY OPTIONS...
  name=$1 text=$2 remedy=$3
  shift 3
  upload "$name" "$@"
  [ $? = 1 ] || fail "$name: exit code is not 1"
  [ "$(wc -l <"$work/err")" = 1 ] || fail "$name: not one line: $(cat "$work/err")"
  grep -q "$text" "$work/err" || fail "$name: no cause: $(cat "$work/err")"
  grep -q "$remedy" "$work/err" || fail "$name: no remedy: $(cat "$work/err")"
  [ ! -e "$work/stored/$name" ] || fail "$name: something was sent"
  [ "$(sums)" = "$before" ] || fail "$name: the spool has changed"
}
refused foreign 'issuer certificate' 'certificate authority with --cacert' --cacert "$work/ours.pem"
refused good 'issuer certificate' 'certificate authority with --cacert'
refused expired 'expired' 'renew the server.s certificate, or set this machine.s clock' --cacert "$work/ours.pem"
refused future 'not yet valid' 'renew the server.s certificate, or set this machine.s clock' --cacert "$work/ours.pem"
refused elsewhere 'does not match\|no alternative certificate' 'address by the name that its certificate has' \
  --cacert "$work/ours.pem"
printf 'no certificate\n' >"$work/garbage.pem"
refused good 'certificate' 'PEM' --cacert "$work/garbage.pem"

upload good --cacert "$work/ours.pem" || fail "good: refused: $(cat "$work/err")"
[ -z "$(sums)" ] || fail "good: something is left in the spool"
"$bin/upload_spool" check "$work/stored/good" 3 >"$work/check" || fail "good: $(cat "$work/check")"
[ $failures = 0 ]
