#!/bin/sh
# Compares the text (code and constants) of an archive with a budget in bytes. Use: check_size.sh SIZE_TOOL ARCHIVE
# BUDGET
set -eu
text=$("$1" "$2" | awk 'NR > 1 { sum += $1 } END { print sum + 0 }')
echo "$(basename "$2"): $text of $3 bytes of text"
[ "$text" -gt 0 ] && [ "$text" -le "$3" ]
