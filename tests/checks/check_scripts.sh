#!/bin/sh
# Checks that sh and Perl understand every script of the tree, also those that no test runs. Nothing is executed.
# Inputs of tests are data and not checked.
#
# Use: check_scripts.sh ROOT
# Exit 0; 1 and what they say of the others.
set -u
cd "$1" || exit 1
count=0 failed=0
for file in $(find bench docs runtime studies tests toolchain \( -name '*.sh' -o -name '*.pl' -o -name '*.pm' \) \
    ! -path '*/inputs/*' | sort); do
  count=$((count + 1))
  case $file in
    *.sh) said=$(sh -n "$file" 2>&1) || said=${said:-"sh -n: exit $?"} ;;
    *) said=$(perl -I "$(dirname "$file")" -c "$file" 2>&1) && said= ;;
  esac
  [ -z "$said" ] || { printf '%s: %s\n' "$file" "$said"; failed=$((failed + 1)); }
done
echo "$count scripts, $failed that are not understood"
[ "$failed" = 0 ]
