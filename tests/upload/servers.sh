#!/bin/sh
# `softlbr upload` to real servers that are killed and restarted behind a proxy that fails on purpose: softlbr collect,
# nginx with dav (which overwrites: --head-first) and Apache with mod_dav (--mkcol). Each session must arrive once and
# whole.
#
# Use: sh tests/upload/servers.sh [BUILD [SESSIONS [SERVER...]]]
#   BUILD      a built tree, default build/release
#   SESSIONS   for each server, default 10000
#   SERVER     collect, nginx, apache; default all
# Prints a line of figures for each server. Exit 1: something is wrong. Exit 77: no server could be tested, because
# packages are missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
sessions=${2:-10000}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
PATH=$PATH:/usr/sbin
tested=0
failed=0
for server in ${*:-collect nginx apache}; do
  package=
  case $server in
    nginx) nginx -V 2>&1 | grep -q http_dav_module || package=nginx ;;
    apache) [ -e /usr/lib/apache2/modules/mod_dav_fs.so ] || package=apache2-bin ;;
    collect) ;;
    *) printf 'usage: servers.sh [BUILD [SESSIONS [collect|nginx|apache...]]]\n' >&2; exit 2 ;;
  esac
  if [ -n "$package" ]; then
    echo "skipped: $server: no package $package"
    continue
  fi
  tested=$((tested + 1))
  perl "$here/servers.pl" "$build/bin" "$server" "$sessions" || failed=$((failed + 1))
done
[ $failed = 0 ] || exit 1
[ $tested != 0 ] || exit 77
