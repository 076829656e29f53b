#!/bin/sh
# Prints what profiles take: as recorded, compacted as on a device, merged, and as perf would have written their
# branches.
#
# Use: sh bench/profile_size.sh BUILD FILE.slbr...
# Files should be as the runtime wrote them, which `softlbr record` does for a pipe: it combines the frames of any other
#   file. softlbr record --no-children -F 5000 --max-overhead 50% -o /dev/stdout -- PROGRAM | cat > FILE.slbr
# Columns: rows are distinct branches and ranges. perf's struct perf_branch_entry has 24 bytes a taken branch.
set -eu
[ $# -ge 2 ] || { sed -n 's/^# Use: /use: /p' "$0" >&2; exit 2; }
softlbr=$1/bin/softlbr
compact=$1/bin/compact_profile
shift
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
bytes() { wc -c < "$1" | tr -d ' '; }
per_row() { awk -v bytes="$1" -v rows="$rows" 'BEGIN { printf "%d (%.2f)", bytes, bytes / rows }'; }

echo '| profile | taken branches | rows | as perf has them | as recorded: bytes (a row) | compacted on the device | merged |'
echo '|---|---|---|---|---|---|---|'
for file; do
  "$softlbr" merge -o "$work/merged" "$file"
  # 3: the file stays as it is.
  "$compact" "$file" "$work/compact" > /dev/null || { [ $? -eq 3 ] && cp "$file" "$work/compact"; }
  "$softlbr" dump "$file" > "$work/dump"
  rows=$(grep -c -e '^branch ' -e '^range ' "$work/dump")
  taken=$(sed -n 's/^counter taken_branches //p' "$work/dump")
  echo "| $(basename "$file" .slbr) | $taken | $rows | $((taken * 24)) | $(per_row "$(bytes "$file")") |" \
    "$(per_row "$(bytes "$work/compact")") | $(per_row "$(bytes "$work/merged")") |"
done
