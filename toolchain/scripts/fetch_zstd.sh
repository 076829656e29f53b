#!/bin/sh
# Puts zstd's source into build/zstd-source, from which the small compressor of apps is built
# (runtime/profile/zstd_small.c).
#
# Use: sh toolchain/scripts/fetch_zstd.sh [FOLDER]    FOLDER: instead of build/zstd-source; gets zstd's lib/ and LICENSE
# Prints nothing if the source is there. Exit 1: it could not be had, and FOLDER is unchanged; builds then link the
# system's libzstd.a.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
folder=${1:-$top/build/zstd-source}

say() { printf 'zstd: %s\n' "$*" >&2; }
[ -e "$folder/zstd.h" ] && exit 0
work=$folder.work
rm -rf "$work"
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree"
sh "$top/toolchain/scripts/fetch_sources.sh" "$work/tarballs" libzstd || { say "no source package could be had"
exit 1; }
tarball=$(find "$work/tarballs" -name '*zstd*.orig.tar.*' ! -name '*.asc')
[ -n "$tarball" ] || { say "the source package holds no tarball"; exit 1; }
tar -C "$work/tree" --strip-components=1 -xf "$tarball" || { say "cannot unpack $tarball"; exit 1; }
cp "$work/tree/LICENSE" "$work/tree/lib/LICENSE"
rm -rf "$folder"
mv "$work/tree/lib" "$folder"
say "source in $folder"
