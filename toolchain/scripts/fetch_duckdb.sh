#!/bin/sh
# Fetches DuckDB, the engine of `softlbr db`: the shared library in npm's package of its bindings, whose hash is known
# here.
#
# Use: sh fetch_duckdb.sh FOLDER     FOLDER gets libduckdb.so (70 MB) and LICENSE.duckdb; nothing is done if it has this
#                                    version Needs npm and a registry that it is configured for; runs no code of the
#                                    package. Exit 1: it could not be had, and FOLDER is unchanged.
set -eu

[ $# -eq 1 ] || { printf 'usage: fetch_duckdb.sh FOLDER\n' >&2; exit 2; }
say() { printf 'duckdb: %s\n' "$*" >&2; }
version=1.5.5-r.5
case $(uname -s)-$(uname -m) in
  Linux-x86_64)
    package=@duckdb/node-bindings-linux-x64
    sha512=902caae815e19fa4177f017cc957552ab8924873feadf556709e7a706f2a67394e669c72bd3e561a6ea332c871838762b4b94eb07b0837f0f8ed162b7235ee1d ;;
  Linux-aarch64)
    package=@duckdb/node-bindings-linux-arm64
    sha512=09a7c7d8022f5eda700f29c6dca07fe2e10e1d11a516807b6ae091308c07dc128d2286ec00d5792d2a43277b5fc9108522c2ba7bc013d5eb1e5959eed83bf773 ;;
  *) say "there is no package for $(uname -s) on $(uname -m)"; exit 1 ;;
esac

mkdir -p "$1"
folder=$(cd "$1" && pwd)
[ -e "$folder/libduckdb.so" ] && [ "$(cat "$folder/duckdb.version" 2>/dev/null)" = "$version" ] && exit 0
command -v npm >/dev/null 2>&1 || { say "npm is not installed"; exit 1; }
work=$(mktemp -d "$folder/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
# Where no registry answers, its usual retries would take minutes.
(cd "$work" && npm pack --silent --fetch-retries=1 --fetch-timeout=60000 "$package@$version" >names 2>log) ||
  { say "npm cannot fetch $package@$version:"; tail -n 5 "$work/log" >&2; exit 1; }
tarball=$(find "$work" -name '*.tgz')
[ "$(sha512sum "$tarball" | cut -d' ' -f1)" = "$sha512" ] ||
  { say "$package@$version is not the file it should be: its hash differs"; exit 1; }
tar -C "$work" -xzf "$tarball" package/libduckdb.so package/LICENSE
mv "$work/package/LICENSE" "$folder/LICENSE.duckdb"
mv "$work/package/libduckdb.so" "$folder/libduckdb.so"
printf '%s\n' "$version" >"$folder/duckdb.version"
say "version $version in $folder"
