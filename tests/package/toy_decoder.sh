#!/bin/sh
# Builds the example of docs/decoders.md with the installed headers, and checks it. The headers compile as C++, too.
#
# Use: toy_decoder.sh PREFIX COMMAND SOURCE
set -eu
prefix=$1 command=$2 source=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-toy.XXXXXX")
trap 'rm -rf "$work"' EXIT
cc -std=c11 -Wall -Wextra -Werror -O2 -fPIC -shared -fvisibility=hidden -I"$prefix/include" "$source" -o "$work/toy.so"
"$command" plugin-check "$work/toy.so" -b "$command"
printf '#include <softlbr/plugin.h>\n#include <softlbr/registers_aarch64.h>\n#include <softlbr/registers_x86_64.h>\n' \
  >"$work/headers.cc"
c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" "$work/headers.cc"
