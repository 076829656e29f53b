#!/bin/sh
# Code prefetch from softlbr's profiles, measured in a simulator: records programs, chooses hints, puts them into the
# programs' assembly, and simulates the instruction fetch of the programs before and after. See
# studies/prefetch/code_prefetch.md.
#
# Use: sh studies/prefetch/run.sh [BUILD [PROGRAM...]]
# Programs: ring (made here, seconds); lua, sqlite3, perl, xmllint, tcc, duktape, mujs (Debian's sources; minutes each,
#           most of them to compile)
# Environment: FAN_OUT (0.05), DISTANCE (8) and OPTIONS, further options of `softlbr prefetch`; NEXT_LINES and
#              BUFFER_LINES, of the prefetchers (2 and 32); L1, bytes (8192); ROUNDS, of choosing and rebuilding (4);
#              ARCH, x86_64 or aarch64: cross-compiled, recorded on an emulated arm64 kernel (toolchain/scripts/guest),
#              with the archive LIBRARY of a cross build (build/release-aarch64); tried with lua and mujs; LONG, rounds
#              recorded there; WORK, a folder that is kept and whose sources and assembly are used again, with
#              KEEP_PROFILE=1 its recording too
# Needs gcc, binutils, perl, qemu-x86_64 with plugins (qemu-user); the build's targets softlbr, code_fetch_plugin and
# softlbr_all. Output: rows of a table. Exit 1: a step failed, or a rewritten program printed something else.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- ring lua sqlite3 perl xmllint tcc duktape mujs
l1=${L1:-8192} next_lines=${NEXT_LINES:-2} buffer_lines=${BUFFER_LINES:-32} rounds=${ROUNDS:-4}
if [ -n "${WORK:-}" ]; then
  mkdir -p "$WORK"
  work=$(cd "$WORK" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
# The emulator has no AVX-512: libc must choose the same functions in both.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-SSSE3,-ERMS,-FSRM,-RTM,Fast_Unaligned_Copy

fail() { printf 'prefetch: %s\n' "$1" >&2; exit 1; }
case ${ARCH:-x86_64} in
  x86_64) prefix= emulator=qemu-x86_64 hint=prefetcht1 hint_bytes=7 long=9000 library=$build/lib/libsoftlbr_all.a ;;
  aarch64)
    # Recorded on an emulated kernel, so shorter; the CPU is the same in both emulators.
    prefix=aarch64-linux-gnu- emulator="qemu-aarch64 -cpu cortex-a57" hint=prfm hint_bytes=4 long=${LONG:-900}
    library=${LIBRARY:-$root/build/release-aarch64/lib/libsoftlbr_all.a} ;;
  *) fail "ARCH is x86_64 or aarch64" ;;
esac
for tool in "${prefix}gcc" "${prefix}as" perl "${emulator%% *}"; do command -v "$tool" >/dev/null ||
  fail "needs $tool"; done

# Each program: makes its files *.s in $1/assembly, its input in $1, and sets libraries, recorded and simulated
# (arguments), and written, the file that its output goes to if it is not printed.
program_ring() {
  libraries= recorded=40000 simulated=300
  perl "$here/ring.pl" >"$1/ring.c"
  [ -e "$1/assembly/ring.s" ] || "${prefix}gcc" -O1 -falign-functions=128 -S "$1/ring.c" -o "$1/assembly/ring.s"
}
fetch() {  # the sources of a Debian package, into $1/source; $3: folders around them in the archive (1)
  [ -e "$1/source" ] && return
  sh "$root/toolchain/scripts/fetch_sources.sh" "$1/packages" "$2"
  mkdir "$1/source"
  tar xf "$1"/packages/"$2"*.orig.tar.* -C "$1/source" --strip-components="${3:-1}"
}
program_lua() {
  libraries=-lm recorded="$here/mixed.lua $long" simulated="$here/mixed.lua 20"
  fetch "$1" lua5.4
  for source in "$1"/source/src/*.c; do
    name=$(basename "$source" .c)
    [ "$name" = luac ] || [ -e "$1/assembly/$name.s" ] ||
      "${prefix}gcc" -O2 -DLUA_USE_POSIX -S "$source" -o "$1/assembly/$name.s"
  done
}
program_perl() {
  libraries="-lm -lcrypt" recorded="$here/mixed.pl $long" simulated="$here/mixed.pl 25"
  fetch "$1" perl
  if [ ! -e "$1/assembly/perly.s" ]; then
    (cd "$1/source" && sh Configure -des -Dcc=gcc -Doptimize=-O2 -Uusedl &&
      make miniperl OPTIMIZE="-O2 -save-temps") >"$1/log" 2>&1
    rm -f "$1/source/generate_uudmap.s"
    cp "$1"/source/*.s "$1/assembly"
  fi
}
program_xmllint() {  # parses and prints pages of HTML
  pages=$1/source/doc
  libraries=-lm simulated="--html $pages/APIchunk10.html $pages/FAQ.html $pages/architecture.html $pages/APIfunctions.html"
  fetch "$1" libxml2
  recorded=--html
  for i in $(seq 20); do recorded="$recorded $(echo "$pages"/API*.html) $pages/FAQ.html"; done
  [ -e "$1/source/config.h" ] ||
    (cd "$1/source" && ./configure --disable-shared --without-python --without-zlib --without-lzma \
    --without-threads --without-iconv --without-http --without-ftp) >"$1/log" 2>&1
  for name in HTMLparser HTMLtree SAX SAX2 buf c14n catalog chvalid debugXML dict encoding entities error globals hash \
    legacy list \
    nanoftp nanohttp parser parserInternals pattern relaxng schematron threads tree uri valid xinclude xlink xmlIO \
    xmllint xmlmemory \
    xmlmodule xmlreader xmlregexp xmlsave xmlschemas xmlschemastypes xmlstring xmlunicode xmlwriter xpath xpointer \
    xzlib; do
    [ -e "$1/assembly/$name.s" ] ||
      "${prefix}gcc" -O2 -DHAVE_CONFIG_H -I"$1/source" -I"$1/source/include" -S "$1/source/$name.c" \
      -o "$1/assembly/$name.s"
  done
}
program_sqlite3() {
  libraries=-lm
  recorded="-init $1/long.sql :memory: .quit" simulated="-init $here/queries.sql :memory: .quit"
  : >"$1/long.sql"
  for i in $(seq 400); do cat "$here/queries.sql" >>"$1/long.sql"; done
  fetch "$1" sqlite3
  [ -e "$1/source/sqlite3.c" ] ||
    (cd "$1/source" && ./configure --disable-tcl --disable-readline --disable-amalgamation &&
    make sqlite3.c shell.c) >"$1/log" 2>&1
  for name in sqlite3 shell; do
    [ -e "$1/assembly/$name.s" ] ||
      "${prefix}gcc" -O2 -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_ENABLE_FTS5 \
      -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_MATH_FUNCTIONS -I"$1/source" -S "$1/source/$name.c" -o "$1/assembly/$name.s"
  done
}
program_tcc() {  # compiles itself
  fetch "$1" tcc 0
  [ -e "$1/source/config.h" ] || (cd "$1/source" && ./configure) >"$1/log" 2>&1
  [ -e "$1/assembly/tcc.s" ] ||
    "${prefix}gcc" -O2 -DONE_SOURCE=1 -I"$1/source" -S "$1/source/tcc.c" -o "$1/assembly/tcc.s"
  options="-c -DONE_SOURCE=1 -nostdinc -I$1/source/include -I$1/source -I/usr/include/x86_64-linux-gnu -I/usr/include"
  libraries="-lm -ldl -lpthread" simulated="$options -o simulated.o $1/source/tcc.c" written=simulated.o \
    recorded=$options
  for i in $(seq 150); do recorded="$recorded $1/source/tcc.c"; done
}
script() {  # ROUNDS FILE
  { printf 'var rounds = %d;\n' "$1"; cat "$here/mixed.js"; } >"$2"
}
program_duktape() {
  libraries=-lm recorded=long.js simulated=short.js
  script "$long" "$1/long.js"
  script 25 "$1/short.js"
  fetch "$1" duktape
  for source in src/duktape examples/cmdline/duk_cmdline extras/print-alert/duk_print_alert; do
    name=$(basename "$source")
    [ -e "$1/assembly/$name.s" ] ||
      "${prefix}gcc" -O2 -DDUK_CMDLINE_PRINTALERT_SUPPORT -I"$1/source/src" -I"$1/source/extras/print-alert" \
      -S "$1/source/$source.c" -o "$1/assembly/$name.s"
  done
}
program_mujs() {
  libraries=-lm recorded=long.js simulated=short.js
  script "$long" "$1/long.js"
  script 25 "$1/short.js"
  fetch "$1" mujs
  for name in one main; do
    [ -e "$1/assembly/$name.s" ] || "${prefix}gcc" -O2 -S "$1/source/$name.c" -o "$1/assembly/$name.s"
  done
}

text_bytes() { "${prefix}size" -A "$1" | awk '$1 == ".text" { print $2 }'; }
simulate() {  # FOLDER PROGRAM OUTPUT: the program's output goes to OUTPUT.out
  (cd "$1" &&
    $emulator -plugin "$build/bin/code_fetch_plugin.so,out=$3,l1=$l1,next_lines=$next_lines,buffer_lines=$buffer_lines" \
      "./$2" $simulated >"$3.out" 2>"$3.err"
    [ -z "$written" ] || cat "$written" >>"$3.out")
  [ -s "$3.out" ] || fail "$2 prints nothing; see $3.err"
}
record() {  # FOLDER
  if [ -z "$prefix" ]; then
    (cd "$1" && SOFTLBR_SESSION=profile.slbr ./recorded $recorded >recorded.out 2>recorded.err)
  else
    sh "$root/toolchain/scripts/guest/run.sh" arm64 --time 600 --with "$1/recorded" \
      --with "$here" $(ls -d "$1"/*.js "$1"/*.sql 2>/dev/null | sed 's/^/--with /') \
      --bring "$1" "cd $1 && SOFTLBR_SESSION=/out/profile.slbr ./recorded $recorded >/dev/null" >"$1/recorded.out" \
      2>"$1/recorded.err"
  fi
}
rebuild() {  # FOLDER SITES PROGRAM
  (
    cd "$1"
    rebuilt=
    for file in assembly/*.s; do
      name=$(basename "$file" .s)
      perl "$root/toolchain/scripts/insert_prefetches.pl" "$2" "$file" "$hint" >"hinted/$name.s"
      "${prefix}as" -g "hinted/$name.s" -o "hinted/$name.o"
      rebuilt="$rebuilt hinted/$name.o"
    done
    "${prefix}gcc" -static -o "$3" $rebuilt $libraries 2>link.log
  )
}
run() {
  folder=$work/$1
  mkdir -p "$folder/assembly" "$folder/objects" "$folder/hinted"
  written=
  "program_$1" "$folder"
  objects=
  for file in "$folder"/assembly/*.s; do
    name=$(basename "$file" .s)
    [ -e "$folder/objects/$name.o" ] || "${prefix}as" -g "$file" -o "$folder/objects/$name.o"
    objects="$objects objects/$name.o"
  done
  "${prefix}gcc" -O2 -I"$root/runtime/include" -c "$here/session.c" -o "$folder/session.o"
  (cd "$folder" && "${prefix}gcc" -static -Wl,--build-id -o recorded $objects session.o "$library" $libraries &&
    "${prefix}gcc" -static -o original $objects $libraries) 2>"$folder/link.log" || fail "$1: see $folder/link.log"
  [ -n "${KEEP_PROFILE:-}" ] && [ -e "$folder/profile.slbr" ] || record "$folder" ||
    fail "$1: it fails when recorded; see $folder/recorded.err"
  simulate "$folder" original "$folder/original.fetch"
  # Code comes from the L2, 12 cycles or 8 instructions away. Hints are at most 0.85 % of .text.
  most_hints=$(($(text_bytes "$folder/original") * 85 / 10000 / hint_bytes))
  # The recorder's code is not in the program that is rebuilt. From the second round on the worst hints are replaced, in
  # the layout that the hints of the round before led to. The best round is the one whose hints leave the fewest misses
  # of the path in their own layout.
  layout="--layout $folder/original" fewest= best=1
  for round in $(seq "$((rounds + 1))"); do
    sites=$folder/sites.$round hinted=$folder/hinted.$round
    "$build/bin/softlbr" prefetch "$folder/profile.slbr" -b "$folder/recorded" --cache "$l1" \
      --next-lines "$next_lines" \
      --buffer-lines "$buffer_lines" --distance "${DISTANCE:-8}" --fan-out "${FAN_OUT:-0.05}" \
      --most-hints "$most_hints" $layout ${OPTIONS:-} >"$sites"
    if [ "$round" -gt 1 ]; then
      left=$(awk '$1 == "path" { instructions = $2; misses = $4 } $1 == "given" { printf "%d", 1e9 * (misses - $2) / instructions }' "$sites")
      if [ -z "$fewest" ] || [ "$left" -lt "$fewest" ]; then fewest=$left best=$((round - 1)); fi
    fi
    [ "$round" -le "$rounds" ] || break  # it only judged the last round
    rebuild "$folder" "$sites" "$hinted" || fail "$1: see $folder/link.log"
    [ "$rounds" -gt 1 ] || break
    layout="--layout $hinted --hints $sites --replaced 10"
  done
  cp "$folder/sites.$best" "$folder/sites"
  cp "$folder/hinted.$best" "$folder/hinted.program"
  simulate "$folder" hinted.program "$folder/hinted.fetch"
  cmp -s "$folder/original.fetch.out" "$folder/hinted.fetch.out" ||
    fail "$1: the rewritten program prints something else"
  perl "$here/summarize.pl" "$1" "$l1" "$(text_bytes "$folder/original")" "$(text_bytes "$folder/hinted.program")" \
    "$folder/original.fetch" "$folder/hinted.fetch"
}

printf '| program | L1-I | 10^6 instructions | misses per 1000 | covered: next line | with hints | in time | more instructions | more .text | hints that fetch | useful | speed: next line | with hints |\n'
printf '|---|---|---|---|---|---|---|---|---|---|---|---|---|\n'
for program in "$@"; do run "$program"; done
