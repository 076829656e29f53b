#!/bin/sh
# The package files name the folders right also if the library folder has two levels, as Debian's.
#
# Use: multiarch.sh CMAKE SOURCE OPTION...     OPTION: of cmake.  Exit 1: what was wrong is printed.
set -u
cmake=$1 source=$2
shift 2
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-multiarch.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

"$cmake" -G Ninja -S "$source" -B "$work/build" -DSOFTLBR_TESTS=OFF -DSOFTLBR_BENCHMARKS=OFF -DSOFTLBR_TOOLS=OFF \
  -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/any-linux-gnu "$@" >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "cmake failed"; }
libraries=$work/usr/lib/any-linux-gnu
mkdir -p "$libraries/pkgconfig" "$libraries/cmake/softlbr" "$work/usr/include"
cp "$work/build/runtime/package/"*.pc "$libraries/pkgconfig"
cp "$work/build/runtime/package/softlbrConfig"*.cmake "$libraries/cmake/softlbr"

flags=$(PKG_CONFIG_LIBDIR=$libraries/pkgconfig pkg-config --cflags --libs softlbr-signals) || fail "pkg-config failed"
for option in $flags; do
  case $option in
    -I*) [ "$(realpath "${option#-I}")" = "$(realpath "$work/usr/include")" ] || fail "headers: $option" ;;
    -L*) [ "$(realpath "${option#-L}")" = "$(realpath "$libraries")" ] || fail "libraries: $option" ;;
  esac
done
cat >"$work/targets.cmake" <<END
include($libraries/cmake/softlbr/softlbrConfig.cmake)
get_target_property(archive softlbr::softlbr IMPORTED_LOCATION)
get_target_property(headers softlbr::softlbr INTERFACE_INCLUDE_DIRECTORIES)
message("\${archive} \${headers}")
END
mkdir "$work/project"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(any NONE)\ninclude(%s)\n' "$work/targets.cmake" \
  >"$work/project/CMakeLists.txt"
named=$("$cmake" -S "$work/project" -B "$work/any" 2>&1 >/dev/null)
real=$(realpath "$work/usr")
[ "$named" = "$real/lib/any-linux-gnu/libsoftlbr_all.a $real/include" ] || fail "CMake: $named"
