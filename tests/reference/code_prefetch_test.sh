#!/bin/sh
# The steps of studies/prefetch/code_prefetch.md on the ring of studies/prefetch, whose misses all have one cause each:
# nine of ten must be covered. Use: sh code_prefetch_test.sh BUILD. Exit 77: a tool is missing.
set -eu
for tool in gcc as perl qemu-x86_64; do
  command -v "$tool" >/dev/null || { printf 'needs %s\n' "$tool"; exit 77; }
done
row=$(BUFFER_LINES=0 OPTIONS='--most-executions 10' sh "$(dirname "$0")/../../studies/prefetch/run.sh" "$1" ring |
  tail -n 1)
printf '%s\n' "$row"
# Columns: 6 covered by the next line, 7 with hints.
printf '%s\n' "$row" | awk -F'|' '{ exit !($6 + 0 < 20 && $7 + 0 > 90) }'
