#!/bin/sh
# Fetches public collections of odd programs from Debian, builds them, and runs each alone and under `softlbr record`.
#
# Use: sh tests/differential/collections.sh [-b BUILD] [-r ROUNDS] [-j JOBS] [-o NAME-REGEX] [COLLECTION...]
#      as root, or with sudo
#   -b  a built tree, default build/release        -r  recorded runs of each program, default 3
#   -j  programs at the same time, default 2       -o  only programs whose name matches
#   COLLECTION: posix glibc strace gcc gdb tools; default: all of them
# Sources and programs stay in $SOFTLBR_COLLECTIONS (default /var/tmp/softlbr-collections; not below /tmp), nothing is
# installed, and the machine's apt configuration is not changed. Last line and exit code: collections/run.pl.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build/release
rounds=3
jobs=2
only=
while getopts b:r:j:o: option; do
  case $option in
    b) build=$OPTARG ;;
    r) rounds=$OPTARG ;;
    j) jobs=$OPTARG ;;
    o) only=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- posix glibc strace gcc gdb tools
if [ "$(id -u)" != 0 ]; then
  exec sudo env SOFTLBR_COLLECTIONS="${SOFTLBR_COLLECTIONS:-}" \
    sh "$here/collections.sh" -b "$build" -r "$rounds" -j "$jobs" -o "$only" "$@"
fi
build=$(cd "$build" && pwd)
tree=${SOFTLBR_COLLECTIONS:-/var/tmp/softlbr-collections}
mkdir -p "$tree/packages" "$tree/source" "$tree/bin"

# apt-get with a source list, indexes and a cache of its own.
sources_apt() {
  mkdir -p "$tree/apt/lists/partial" "$tree/apt/cache/archives/partial"
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" \
    >"$tree/apt/sources.list"
  apt-get -q -o Dir::Etc::SourceList="$tree/apt/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State::Lists="$tree/apt/lists" \
    -o Dir::Cache="$tree/apt/cache" "$@"
}

# fetch PACKAGE: the original source of a Debian package, as files below $tree/packages.
fetch() {
  ls "$tree/packages/$1"_*.orig.tar.* >/dev/null 2>&1 && return
  echo "fetching the source of $1" >&2
  [ -n "$(ls "$tree/apt/lists" 2>/dev/null | grep Sources)" ] || sources_apt update >&2
  (cd "$tree/packages" && sources_apt source --download-only --tar-only "$1" >&2)
}

# unpack PACKAGE [PATTERN...]: into $tree/source/PACKAGE, without the top folder.
unpack() {
  package=$1
  shift
  fetch "$package"
  [ -d "$tree/source/$package" ] && return
  mkdir -p "$tree/source/$package.new"
  archive=$(ls "$tree/packages/$package"_*.orig.tar.* | grep -v '\.asc$')
  tar xf "$archive" -C "$tree/source/$package.new" --strip-components=1 --wildcards "$@"
  mv "$tree/source/$package.new" "$tree/source/$package"
}

# Builds the programs of the list on standard input: "NAME<tab>WORDS OF THE COMPILER", started in folder $2, as
# collection $1, and appends those that it could build to the list of programs. What does not compile or link here is
# not part of the collection.
compile() {
  collection=$1
  folder=$2
  export collection folder tree
  sort -u >"$tree/$collection.sources"
  tr '\n' '\0' <"$tree/$collection.sources" | nice xargs -0 -P "$jobs" -n 16 sh -c '
    for line; do
      name=${line%%	*}
      out=$tree/bin/$collection/$name
      [ -e "$out" ] || [ -e "$out.fails" ] && continue
      mkdir -p "${out%/*}"
      (cd "$folder" && eval "timeout 60 ${line#*	} -o $out" >/dev/null 2>&1) || : >"$out.fails"
    done' sh
  cut -f1 "$tree/$collection.sources" | while read -r name; do
    [ ! -x "$tree/bin/$collection/$name" ] || echo "$collection/$name	$tree/bin/$collection/$name"
  done >"$tree/$collection.programs"
  cat "$tree/$collection.programs" >>"$tree/programs"
  echo "$collection: built $(wc -l <"$tree/$collection.programs") of $(wc -l <"$tree/$collection.sources") programs" >&2
}

. "$here/collections/sources.sh"

: >"$tree/programs"
for collection; do "${collection}_programs"; done
exec nice perl "$here/collections/run.pl" --softlbr "$build/bin/softlbr" --list "$tree/programs" --state "$tree/state" \
  --rounds "$rounds" --jobs "$jobs" --exclude "$here/collections/excluded.list" --only "$only"
