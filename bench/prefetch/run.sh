#!/bin/sh
# Code prefetch from softlbr's profiles, measured in a simulator: records programs, chooses hints, puts them into the programs' assembly,
# and simulates the instruction fetch of the programs before and after. See docs/code_prefetch.md.
#
# Use: sh bench/prefetch/run.sh [BUILD [PROGRAM...]]     programs: ring (made here, seconds), lua, sqlite3 (Debian's sources, minutes)
# Environment: OPTIONS, further options of `softlbr prefetch`; NEXT_LINES, of the prefetcher (1); L1, bytes (each program's own);
#              WORK, a folder that is kept and whose sources and assembly are used again
# Needs gcc, binutils, perl, qemu-x86_64 with plugins (qemu-user); the build's targets softlbr, code_fetch_plugin and softlbr_all.
# Output: rows of a table. Exit 1: a step failed, or a rewritten program printed something else.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- ring lua sqlite3
next_lines=${NEXT_LINES:-1}
if [ -n "${WORK:-}" ]; then
  mkdir -p "$WORK"
  work=$(cd "$WORK" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
# The emulator has no AVX-512: libc must choose the same functions in both.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-ERMS,-FSRM,-RTM

fail() { printf 'prefetch: %s\n' "$1" >&2; exit 1; }
for tool in gcc as perl qemu-x86_64; do command -v "$tool" >/dev/null || fail "needs $tool"; done

# Each program: makes its files *.s in $1/assembly, its input in $1, and sets l1, libraries, recorded and simulated (arguments).
program_ring() {
  l1=8192 libraries= recorded=40000 simulated=300
  perl "$here/ring.pl" >"$1/ring.c"
  [ -e "$1/assembly/ring.s" ] || gcc -O1 -falign-functions=128 -S "$1/ring.c" -o "$1/assembly/ring.s"
}
fetch() {  # the sources of a Debian package, into $1/source
  [ -e "$1/source" ] && return
  sh "$root/toolchain/scripts/fetch_sources.sh" "$1/packages" "$2"
  mkdir "$1/source"
  tar xf "$1"/packages/*.orig.tar.* -C "$1/source" --strip-components=1
}
program_lua() {
  l1=${L1:-8192} libraries=-lm recorded="$here/mixed.lua 3000" simulated="$here/mixed.lua 20"
  fetch "$1" lua5.4
  for source in "$1"/source/src/*.c; do
    name=$(basename "$source" .c)
    [ "$name" = luac ] || [ -e "$1/assembly/$name.s" ] || gcc -O2 -DLUA_USE_POSIX -S "$source" -o "$1/assembly/$name.s"
  done
}
program_sqlite3() {
  l1=${L1:-8192} libraries=-lm
  recorded="-init $1/long.sql :memory: .quit" simulated="-init $here/queries.sql :memory: .quit"
  : >"$1/long.sql"
  for i in $(seq 100); do cat "$here/queries.sql" >>"$1/long.sql"; done
  fetch "$1" sqlite3
  [ -e "$1/source/sqlite3.c" ] || (cd "$1/source" && ./configure --disable-tcl --disable-readline --disable-amalgamation && make sqlite3.c shell.c) >"$1/log" 2>&1
  for name in sqlite3 shell; do
    [ -e "$1/assembly/$name.s" ] || gcc -O2 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_FTS5 \
      -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_MATH_FUNCTIONS -I"$1/source" -S "$1/source/$name.c" -o "$1/assembly/$name.s"
  done
}

text_bytes() { size -A "$1" | awk '$1 == ".text" { print $2 }'; }
simulate() {  # FOLDER PROGRAM OUTPUT: the program's output goes to OUTPUT.out
  (cd "$1" && qemu-x86_64 -plugin "$build/bin/code_fetch_plugin.so,out=$3,l1=$l1,next_lines=$next_lines" "./$2" $simulated >"$3.out")
}
run() {
  folder=$work/$1
  mkdir -p "$folder/assembly" "$folder/objects" "$folder/hinted"
  "program_$1" "$folder"
  objects= hinted=
  for file in "$folder"/assembly/*.s; do
    name=$(basename "$file" .s)
    [ -e "$folder/objects/$name.o" ] || as -g "$file" -o "$folder/objects/$name.o"
    objects="$objects objects/$name.o" hinted="$hinted hinted/$name.o"
  done
  gcc -O2 -I"$root/runtime/include" -c "$here/session.c" -o "$folder/session.o"
  (cd "$folder" && gcc -static -Wl,--build-id -o recorded $objects session.o "$build/lib/libsoftlbr_all.a" $libraries &&
    gcc -static -o original $objects $libraries) 2>"$folder/link.log" || fail "$1: see $folder/link.log"
  (cd "$folder" && SOFTLBR_SESSION=profile.slbr ./recorded $recorded >recorded.out) || fail "$1: it fails when recorded"
  "$build/bin/softlbr" prefetch "$folder/profile.slbr" -b "$folder/recorded" --cache "$l1" --next-lines "$next_lines" ${OPTIONS:-} \
    >"$folder/sites"
  for file in "$folder"/assembly/*.s; do
    name=$(basename "$file" .s)
    perl "$root/toolchain/scripts/insert_prefetches.pl" "$folder/sites" "$file" >"$folder/hinted/$name.s"
    as "$folder/hinted/$name.s" -o "$folder/hinted/$name.o"
  done
  (cd "$folder" && gcc -static -o hinted.program $hinted $libraries) 2>"$folder/link.log" || fail "$1: see $folder/link.log"
  simulate "$folder" original "$folder/original.fetch"
  simulate "$folder" hinted.program "$folder/hinted.fetch"
  cmp -s "$folder/original.fetch.out" "$folder/hinted.fetch.out" || fail "$1: the rewritten program prints something else"
  perl "$here/summarize.pl" "$1" "$l1" "$(text_bytes "$folder/original")" "$(text_bytes "$folder/hinted.program")" \
    "$folder/original.fetch" "$folder/hinted.fetch"
}

printf '| program | L1-I | 10^6 instructions | misses per 1000 | covered: next line | with hints | in time | more instructions | more .text | hints that fetch | useful | speed: next line | with hints |\n'
printf '|---|---|---|---|---|---|---|---|---|---|---|---|---|\n'
for program in "$@"; do run "$program"; done
