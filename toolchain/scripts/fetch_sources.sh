#!/bin/sh
# Downloads the source tarballs of Debian packages, checked by apt against the archive's signature.
#
# Use: sh toolchain/scripts/fetch_sources.sh FOLDER PACKAGE...    FOLDER gets the tarballs of this release's versions
# Needs no root: apt's lists are kept under FOLDER. Exit 1: not a Debian system, or no mirror; its last lines are
# printed.
set -eu

[ $# -ge 2 ] || { printf 'usage: fetch_sources.sh FOLDER PACKAGE...\n' >&2; exit 2; }
mkdir -p "$1/apt/lists/partial"
folder=$(cd "$1" && pwd)
shift
state=$folder/apt
log=$folder/log
keys=$(ls /usr/share/keyrings/debian-archive-keyring.gpg 2>/dev/null || true)
command -v apt-get >/dev/null 2>&1 || { printf 'sources: this is not a Debian system (no apt-get)\n' >&2; exit 1; }
apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
  awk -v keys="$keys" '$2 !~ /-/ && $3 == "main" && !seen[$1]++ {
    print "deb-src " (keys ? "[signed-by=" keys "] " : "") $1 " " $2 " main" }' >"$state/list"
options="-q -o Dir::Etc::sourcelist=$state/list -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists=$state/lists
  -o APT::Sandbox::User="
if ! LC_ALL=C apt-get $options update </dev/null >"$log" 2>&1 ||
  ! (cd "$folder" && LC_ALL=C apt-get $options --download-only source "$@" </dev/null >>"$log" 2>&1); then
  tail -n 5 "$log" >&2
  exit 1
fi
rm -rf "$state" "$log"
