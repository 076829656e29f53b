#!/bin/sh
# The time and memory of `softlbr report` for a program with 200 MB of libraries: clang++, with libclang-cpp and
# libLLVM.
#
# Use: sh bench/report_cost.sh [BUILD [COMMAND...]]   BUILD: a built tree, default build/release; COMMAND: another
#                                                     program
#
# Prints the bytes of the files that the report reads, and of five reports the shortest CPU time, which is the whole on
# a machine at rest, and the largest memory. Exit code 1: above 1 s or 150 MB although the files have no more than 250
# MB; 77: clang++-19 or time is missing.
set -eu
build=$(cd "${1:-$(dirname "$0")/../build/release}" && pwd)
[ $# -eq 0 ] || shift
softlbr=$build/bin/softlbr
[ $# -ne 0 ] || set -- clang++-19 -O2 -c a.cc -o a.o
for tool in "$1" /usr/bin/time; do
  command -v "$tool" > /dev/null || { echo "report_cost: $tool is needed (packages clang-19, time)" >&2; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '%s\n' '#include <regex>' 'int main(int c, char** v) { return std::regex_match(v[0], std::regex("a+b")); }' > \
  a.cc
"$softlbr" record -q -F 199 -o p.slbr -- "$@"
files=$("$softlbr" report --json p.slbr | sed -n 's/^ *"file": "\(\/.*\)",*$/\1/p')
bytes=0
for file in $files; do bytes=$((bytes + $(stat -L -c %s "$file"))); done
for round in 1 2 3 4 5; do
  /usr/bin/time -a -o times -f '%U %S %M' "$softlbr" report p.slbr > /dev/null
done
awk -v bytes="$bytes" '
  { seconds = $1 + $2; if (NR == 1 || seconds < least) least = seconds; if ($3 > most) most = $3 }
  END {
    megabytes = most * 1024 / 1e6
    printf "report of files of %.0f MB: %.2f s of CPU time, %.0f MB of memory\n", bytes / 1e6, least, megabytes
    exit bytes <= 250e6 && (least > 1 || megabytes > 150)
  }' times
