#!/bin/sh
# Installs the packages that large.table names, and runs its programs alone and recorded.
#
# Use: sh tests/differential/large.sh [BUILD]      BUILD: a built tree, default build/release; as root, or with sudo
# Exit code: that of the test. About 1 GB of packages, one minute to run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}

missing=
for package in $(sed -n 's/^packages: //p' "$here/large.table" | tr ' ' '\n' | sort -u); do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
  [ "$state" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  echo "installing:$missing" >&2
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends $missing </dev/null \
    >/dev/null ||
    echo "not everything could be installed; what is missing is skipped" >&2
fi
SOFTLBR_DIFFERENTIAL_TABLE="$here/large.table" exec "$build/bin/differential_tests"
