#!/bin/sh
# Unpacks Debian packages of any architecture, with their dependencies, into a folder. Installs nothing, needs no root.
#
# Use: sh toolchain/scripts/guest/fetch_packages.sh [OPTION...] ARCH FOLDER PACKAGE...     ARCH: arm64, amd64, ...
#      --alone         without the packages' dependencies
#      --suite NAME    from another suite of the same mirrors, such as bookworm-backports
# Sources: the machine's apt configuration. Package lists, updated weekly, and downloads are kept next to FOLDER, in
#      apt-ARCH or apt-ARCH-SUITE. A set that FOLDER already contains is not unpacked again.
# Exit 1: a package could not be downloaded or unpacked; FOLDER is then unchanged.
set -eu

say() { printf 'fetch: %s\n' "$*" >&2; }

alone=
suite=
while [ $# -gt 0 ]; do
  case $1 in
    --alone) alone=1; shift ;;
    --suite) suite=$2; shift 2 ;;
    *) break ;;
  esac
done
[ $# -ge 3 ] || { say "usage: fetch_packages.sh [--alone] [--suite NAME] ARCH FOLDER PACKAGE..."; exit 2; }
arch=$1
folder=$2
shift 2

# Nothing to do if FOLDER contains this set.
wanted=$(printf '%s\n' "$arch" "$suite" "$alone" "$@")
if [ "$(cat "$folder/.packages" 2>/dev/null)" = "$wanted" ]; then exit 0; fi
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { say "needs apt-get and dpkg-deb"; exit 1; }

mkdir -p "$(dirname "$folder")"
state=$(cd "$(dirname "$folder")" && pwd)/apt-$arch${suite:+-$suite}
mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/sources" "$state/none/partial"
: >"$state/status"

options="-q -o APT::Architecture=$arch -o APT::Architectures=$arch -o APT::Sandbox::User=
  -o Dir::State=$state -o Dir::State::lists=$state/lists -o Dir::State::status=$state/status
  -o Dir::Cache=$state -o Dir::Cache::archives=$state/archives -o APT::Get::AllowUnauthenticated=false"
if [ -n "$suite" ]; then
  # The mirrors of the machine's own release also have its other suites.
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT) $(SIGNED_BY)' 'Created-By: Packages' 2>/dev/null |
    awk -v suite="$suite" '!/-security|-updates|-backports/ && $3 == "main" && index(suite, $2 "-") == 1 && !seen[$1]++ {
      print "deb " $1 " " suite " main" }' >"$state/sources/suite.list"
  [ -s "$state/sources/suite.list" ] || { say "no source of this machine has a suite $suite"; exit 1; }
  keys=$(ls /usr/share/keyrings/debian-archive-keyring.gpg 2>/dev/null || true)
  [ -z "$keys" ] || sed -i "s|^deb |deb [signed-by=$keys] |" "$state/sources/suite.list"
  options="$options -o Dir::Etc::sourcelist=$state/sources/suite.list -o Dir::Etc::sourceparts=$state/none/partial"
fi
apt() { command=$1; shift; LC_ALL=C DEBIAN_FRONTEND=noninteractive "$command" $options "$@" </dev/null; }

update() { apt apt-get update >"$state/update.log" 2>&1 ||
  { tail -n 5 "$state/update.log" >&2; return 1; }; touch "$state/updated"; }
if [ -z "$(find "$state/updated" -mtime -7 2>/dev/null)" ]; then update ||
  say "apt-get update failed; going on with what is there"; fi

# Replaces a kernel's meta-package by the package it depends on.
resolve() {
  for package; do
    case $package in
      linux-image-*) apt apt-cache depends --important "$package" 2>/dev/null |
        awk -v name="$package" '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ && !found { found = $2 } END { print found ? found : name }' ;;
      *) echo "$package" ;;
    esac
  done
}
download() {
  if [ -n "$alone" ]; then
    (cd "$state/archives" && apt apt-get download $(resolve "$@")) >"$state/download.log" 2>&1 || return 1
    # apt-get omits packages found in the current folder, so this runs in an empty one.
    (cd "$state/none" && apt apt-get download --print-uris $(resolve "$@")) | awk '{ print $2 }' >"$state/set"
  else
    apt apt-get -y -d --no-install-recommends install "$@" >"$state/download.log" 2>&1 || return 1
    apt apt-get -y --print-uris --no-install-recommends -o "Dir::Cache::archives=$state/none" install "$@" 2>/dev/null |
      awk -F "'" '/^.http|^.file|^.copy|^.mirror/ { print $3 }' | awk '{ print $1 }' >"$state/set"
  fi
  [ -s "$state/set" ]
}
if ! download "$@"; then
  say "once more, with new package lists"
  if ! update || ! download "$@"; then tail -n 5 "$state/download.log" >&2; say "could not download: $*"; exit 1; fi
fi

rm -rf "$folder.new"
mkdir "$folder.new"
while read -r package; do
  dpkg-deb -x "$state/archives/$package" "$folder.new" || { say "$package could not be unpacked"; exit 1; }
done <"$state/set"
# Make absolute links relative: they would point outside the folder.
find "$folder.new" -type l -lname '/*' | while read -r link; do
  target=$(readlink "$link")
  up=$(dirname "${link#"$folder.new/"}" | sed 's|[^/][^/]*|..|g')
  [ "$(dirname "${link#"$folder.new/"}")" = . ] && up=.
  ln -sfn "$up$target" "$link"
done
printf '%s' "$wanted" >"$folder.new/.packages"
rm -rf "$folder"
mv "$folder.new" "$folder"
say "$(wc -l <"$state/set") packages in $folder"
