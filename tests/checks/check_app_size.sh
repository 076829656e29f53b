#!/bin/sh
# Compares what softlbr adds to a stripped app, everything that a session needs included, with two budgets in bytes.
#
# Use: check_app_size.sh SIZE_TOOL STRIP_TOOL APP APP_WITHOUT_SOFTLBR TEXT_BUDGET DATA_BUDGET
# Text is code and constants, data is .data, .data.rel.ro and .bss, by `size`. APP.map is the linker's map of APP: the
# sums of its parts are printed. Exit 1: a budget is exceeded.
#      check_app_size.sh --skip REASON    prints the reason. Exit 77.
set -eu
if [ "$1" = --skip ]; then echo "$2"; exit 77; fi
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-size.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$2" -o "$work/with" "$3"
"$2" -o "$work/without" "$4"

# Sections that the linker kept, by archive. A long section name stands on a line of its own.
awk '/^Linker script and memory map/ { kept = 1 }
  !kept { next }
  NF == 1 && /^ \./ { name = $1; next }
  name != "" { $0 = name " " $0; name = "" }
  $1 ~ /^(\.text|\.rodata|softlbr_text)/ && $3 ~ /^0x/ && $4 ~ /\.a[(:]/ {
    part = $4; sub(/\.a[(:].*/, "", part); sub(/.*\//, "", part)
    digits = tolower(substr($3, 3)); bytes = 0
    for (i = 1; i <= length(digits); ++i) bytes = bytes * 16 + index("0123456789abcdef", substr(digits, i, 1)) - 1
    sum[part] += bytes
  }
  END { for (part in sum) printf "  %-28s %7d\n", part, sum[part] }' "$3.map" | sort -k2,2nr

"$1" "$work/with" "$work/without" | awk -v text_budget="$5" -v data_budget="$6" '
  NR == 2 { text = $1; data = $2 + $3 }
  NR == 3 { text -= $1; data -= $2 + $3 }
  END {
    printf "text: %d of %d bytes; data and bss: %d of %d bytes\n", text, text_budget, data, data_budget
    exit !(NR == 3 && text > 100000 && text <= text_budget && data <= data_budget)
  }'
