#!/bin/sh
# Each example is compiled by the command in its first lines, with nothing but pkg-config's path, and without a warning.
#
# Use: example_commands.sh PREFIX EXAMPLES      EXAMPLES: docs/examples
# Exit 1: what was wrong is printed.
set -u
prefix=$1 examples=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-examples.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name softlbr.pc)")
CPATH=$prefix/include  # of the toy decoder, which links nothing
export PKG_CONFIG_PATH CPATH
failures=0
tried=0
cp "$examples"/*.c "$examples"/*.cc "$work" && cd "$work" || exit 1
for source in *.c *.cc; do
  command=$(sed -nE '1,12s#^(//| \*) +((cc|c\+\+) .*-o [a-z_.]+).*#\2#p' "$source")
  [ -n "$command" ] || { echo "$source: its first lines name no command"; failures=$((failures + 1)); continue; }
  sh -c "$command" >messages 2>&1 && [ ! -s messages ] || { echo "$source: $command"; cat messages
  failures=$((failures + 1)); }
  [ -e "${command##*-o }" ] || { echo "$source: nothing was made"; failures=$((failures + 1)); }
  tried=$((tried + 1))
done
[ $tried -ge 5 ] || { echo "only $tried examples were tried"; failures=$((failures + 1)); }
[ $failures = 0 ]
