#!/bin/sh
# A configuration that lacks libraries says so in its last line, with what brings each; one that lacks nothing says
# nothing. The setup of cross builds fetches what their apps link.
#
# Use: left_out.sh CMAKE SOURCE
# Exit 1: what was wrong is printed.
set -u
cmake=$1 source=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-left-out.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "left_out: $*"; exit 1; }

# configure OPTION...: prints what is left out
configure() {
  rm -rf "$work/build"
  "$cmake" -S "$source" -B "$work/build" -DSOFTLBR_TESTS=OFF -DSOFTLBR_BENCHMARKS=OFF "$@" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
  # Only CMake's own words may follow.
  grep -v -e '^-- Configuring done' -e '^-- Generating done' -e '^-- Build files have been written' "$work/log" |
    tail -n 1 |
    sed -n 's/^-- softlbr: left out: //p'
}
without=$(configure -DCMAKE_DISABLE_FIND_PACKAGE_CURL=ON -DSOFTLBR_MICROHTTPD_INCLUDE= -DSOFTLBR_LIBDW_HEADERS= \
  -DSOFTLBR_COLLECT=AUTO \
  -DSOFTLBR_SCDOC= -DSOFTLBR_ZSTD_SOURCE="$work/none") || fail "is not configured"
for part in 'libsoftlbr_upload.a' libcurl4-openssl-dev fetch_zstd.sh scdoc; do
  case $without in *"$part"*) ;; *) cat "$work/log"; fail "does not name $part: $without" ;; esac
done
unwanted=$(configure -DSOFTLBR_UPLOAD=OFF -DSOFTLBR_COLLECT=OFF -DSOFTLBR_ZSTD=SYSTEM) || fail "is not configured"
case $unwanted in *upload* | *collect* | *zstd*) fail "names what is not wanted: $unwanted" ;; esac
for need in fetch_zstd.sh libcurl4-openssl-dev; do
  grep -q "$need" "$source/toolchain/scripts/cross/setup.sh" || fail "the setup of cross builds does not fetch $need"
done
