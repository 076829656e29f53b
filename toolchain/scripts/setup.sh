#!/bin/sh
# Installs what a build of softlbr needs: Debian packages, and zstd's source for the small compressor.
#
# Use: sh toolchain/scripts/setup.sh            as root, or as a user who may run sudo
#      sh toolchain/scripts/setup.sh --tests    installs what the tests, the demo and `softlbr db` need, too
# Prints nothing if nothing is missing. Changes the set of installed packages, build/zstd-source and build/duckdb. Exit
# 1: a package could not be installed.
set -eu

tests=
case ${1-} in
  '') ;;
  --tests) tests=yes ;;
  *) printf 'usage: sh toolchain/scripts/setup.sh [--tests]\n' >&2; exit 2 ;;
esac

# Compilers and generators. Libraries: device side (capstone, liburcu, zstd), host side (elfutils, CLI11, json; libcurl
# for `softlbr upload`, libmicrohttpd for `softlbr collect`: each command is left out without its library).
packages="
g++ cmake ninja-build make pkg-config binutils dpkg-dev perl scdoc xz-utils
libcapstone-dev liburcu-dev libzstd-dev libelf-dev libdw-dev liblzma-dev libiberty-dev libcli11-dev nlohmann-json3-dev
libcurl4-openssl-dev libmicrohttpd-dev
"
# gtest, benchmark, unicorn as the oracle of the lifters, Apache (which is not started) as a server of uploads, Go, zsh
# and groff for completions and manual pages, gnuplot for pictures, sanitizer runtimes, small real programs to record
# (large ones: tests/differential/large.sh), qemu-user for exact counts of whole runs (tests/reference), bolt, llvm,
# elfutils and perf to read the output of `softlbr convert`, valgrind beside `softlbr report`.
test_packages="
clang clang-14 clang-format-14 libclang-rt-14-dev clang-19 lld-19 llvm-19 bolt-19 bolt-22 elfutils linux-perf musl-tools
libdebuginfod1 libgtest-dev libbenchmark-dev libunicorn-dev zsh groff-base gnuplot-nox
apache2-bin golang-go
sqlite3 gzip bzip2 zstd python3 lua5.4 xsltproc hmmer valgrind
qemu-user pigz luajit bc mawk jq openssl git gron ripgrep libjemalloc2 libtcmalloc-minimal4
"
[ -z "$tests" ] || packages="$packages$test_packages"

say() { printf 'setup: %s\n' "$*" >&2; }

if ! command -v dpkg-query >/dev/null 2>&1; then
  say "this is not a Debian system (no dpkg). Install these by hand:" $packages
  exit 1
fi

missing=
for package in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
  [ "$state" = installed ] || missing="$missing $package"
done
# Without it the build works too, and apps link the system's libzstd.a.
fetch_zstd() { sh "$(dirname "$0")/fetch_zstd.sh" || say "going on without zstd's source: apps become 0.4 MB larger"; }
# The package npm brings hundreds of others, so it is not installed for this; where it is, the engine is tested.
fetch_duckdb() {
  [ -n "$tests" ] || return 0
  sh "$(dirname "$0")/fetch_duckdb.sh" "$(dirname "$0")/../../build/duckdb" ||
    say "going on without DuckDB: softlbr db is not tested"
}
if [ -z "$missing" ]; then
  fetch_zstd
  fetch_duckdb
  exit 0
fi

as_root=
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    say "missing:$missing"
    say "run this as root, or install sudo"
    exit 1
  fi
  as_root=sudo
  # Without a terminal nobody can enter a password: fail at once.
  [ -t 0 ] || as_root="sudo -n"
fi

apt() { $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y "$@" </dev/null; }

say "installing:$missing"
if ! apt update; then
  say "apt-get update failed; once more in 10 s"
  sleep 10
  apt update || say "apt-get update failed again; going on with the package lists at hand"
fi
if ! apt install --no-install-recommends $missing; then
  say "apt-get install failed for:$missing"
  exit 1
fi
fetch_zstd
fetch_duckdb
