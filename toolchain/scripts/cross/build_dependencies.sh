#!/bin/sh
# Builds the two libraries that softlbr links into an app, zstd and liburcu, as static archives for a target without
# packages.
#
# Use: CC=... AR=... RANLIB=... sh toolchain/scripts/cross/build_dependencies.sh HOST FOLDER [SOURCES]
# HOST: a triple for configure (aarch64-linux-android, aarch64-linux-musl). FOLDER: gets include/ and lib/. SOURCES: a
# folder with the tarballs of zstd and liburcu; default: Debian's source packages, from apt's mirrors.
# CC and CFLAGS may contain options. FOLDER is not rebuilt if HOST, CC and CFLAGS are unchanged. Exit 1: a step failed;
# its last lines are printed and FOLDER is unchanged.
set -eu

say() { printf 'dependencies: %s\n' "$*" >&2; }
[ $# -ge 2 ] || { say "usage: CC=... build_dependencies.sh HOST FOLDER [SOURCES]"; exit 2; }
: "${CC:?names the compiler}" "${AR:=llvm-ar-19}" "${RANLIB:=llvm-ranlib-19}" "${CFLAGS:=}"
host=$1
folder=$2
sources=${3:-}
# Inline atomics, as in softlbr itself: the outlined functions, which choose instructions at run time, need more from
# libc.
case $host in aarch64*) CFLAGS="$CFLAGS -mno-outline-atomics" ;; esac
# The small compressor is compiled from zstd's source with softlbr itself.
if [ -z "$sources" ]; then
  sh "$(dirname "$0")/../fetch_zstd.sh" || say "going on without zstd's source: apps become 0.4 MB larger"
fi
wanted="$host $CC $CFLAGS"
if [ "$(cat "$folder/.built" 2>/dev/null)" = "$wanted" ]; then exit 0; fi

mkdir -p "$(dirname "$folder")"
folder=$(cd "$(dirname "$folder")" && pwd)/$(basename "$folder")
work=$folder.work
rm -rf "$work"
mkdir -p "$work/made/include" "$work/made/lib"

run() { "$@" >"$work/log" 2>&1 </dev/null || { tail -n 30 "$work/log" >&2; say "failed: $*"; exit 1; }; }

if [ -z "$sources" ]; then
  sources=$work/sources
  sh "$(dirname "$0")/../fetch_sources.sh" "$sources" libzstd liburcu ||
    { say "no source packages could be had; give a folder of tarballs as the third word"; exit 1; }
fi
unpack() {
  tarball=$(find "$sources" -name "$1" ! -name '*.asc' ! -name '*debian.tar*' | sort | tail -n 1)
  [ -n "$tarball" ] || { say "$sources holds no $1"; exit 1; }
  mkdir "$work/$2"
  run tar -C "$work/$2" --strip-components=1 -xf "$tarball"
}
unpack '*zstd*.tar*' zstd
unpack '*urcu*.tar*' urcu

# Only the compressor: apps write profiles and never read them.
(
  cd "$work/zstd/lib"
  for file in common/*.c compress/*.c; do
    run $CC -O2 -fPIC -fno-stack-protector -DZSTD_LEGACY_SUPPORT=0 $CFLAGS -c "$file" -o "$(basename "$file" .c).o"
  done
  run $AR rcs "$work/made/lib/libzstd.a" *.o
  cp zstd.h zstd_errors.h "$work/made/include"
)
(
  cd "$work/urcu"
  run env CC="$CC" AR="$AR" RANLIB="$RANLIB" CFLAGS="-O2 -fPIC $CFLAGS" \
    ./configure --host="$host" --disable-shared --enable-static --with-pic --prefix="$work/made"
  run make -C include install
  run make -C src -j "$(nproc 2>/dev/null || echo 2)" liburcu-common.la liburcu-cds.la
  cp src/.libs/liburcu-common.a src/.libs/liburcu-cds.a "$work/made/lib"
)
printf '%s' "$wanted" >"$work/made/.built"
rm -rf "$folder"
mv "$work/made" "$folder"
rm -rf "$work"
say "zstd and liburcu in $folder"
