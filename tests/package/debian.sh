#!/bin/sh
# Builds the Debian packages by the documented command (runtime/package/debian.cmake) and examines them: their files, no
# path of the build in them, and, unpacked into a folder, an app that links and a command that records.
#
# Use: debian.sh CPACK BUILD SOURCE LIBDIR       LIBDIR: of the build's configuration, e.g. lib
# Exit 1: what was wrong is printed. Exit 77: a tool is missing.
set -u
cpack=$1 build=$2 source=$3 libdir=$4
sources=$(cd "$(dirname "$0")" && pwd)
for tool in dpkg-deb dpkg-shlibdeps scdoc; do command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-debian.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

"$cpack" --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log"; fail "cpack failed"; }

sed -n "/^#/d; s|LIB/|/usr/$libdir/|; s|^?||p" "$sources/debian_files.list" >"$work/optional"
sed "/^[#?]/d; s|LIB/|/usr/$libdir/|" "$sources/debian_files.list" | sort >"$work/expected"
for package in libsoftlbr-dev softlbr; do
  file=$(ls "$work/${package}_"*.deb) || fail "$package was not built"
  dpkg-deb -c "$file" | awk -v package=$package '!/^d/ { sub(/^\./, "", $6); print package, $6 }'
  dpkg-deb -x "$file" "$work/root" || fail "$package does not unpack"
  [ -n "$(dpkg-deb -f "$file" Depends)" ] || fail "$package depends on nothing"
done | grep -v -x -F -f "$work/optional" | sort >"$work/actual"
diff "$work/expected" "$work/actual" || fail "other files than debian_files.list says (<)"
if grep -rlaF -e "$build" -e "$source/" "$work/root"; then fail "these name a folder of the build"; fi

sh "$sources/link_kinds.sh" pkg-config "$work/root/usr" "$work/root/usr/bin/softlbr" yes pie so -- cc ||
  fail "an app does not link"
"$work/root/usr/bin/softlbr" record -o "$work/p.slbr" -- perl -e 'for (1..2000000) { $sum += $_ % 7 }' >"$work/log" \
  2>&1 ||
  { cat "$work/log"; fail "record failed"; }
"$work/root/usr/bin/softlbr" stats "$work/p.slbr" >"$work/log" || fail "no profile can be read"
