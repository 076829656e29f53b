#!/bin/sh
# Prints what profiles take: as recorded, compacted as on a device, merged in each form of the format, and as perf would have written their
# branches.
#
# Use: sh bench/profile_size.sh BUILD FILE.slbr...
# Files should be as the runtime wrote them, which `softlbr record` does for a pipe: it combines the frames of any other file.
#   softlbr record --no-children -F 5000 --max-overhead 50% -o /dev/stdout -- PROGRAM | cat > FILE.slbr
# Binaries for the lean form are looked for as `softlbr merge --lean` does; SOFTLBR_BINARY names one more.
# Columns: rows are distinct branches and ranges. perf's struct perf_branch_entry has 24 bytes a taken branch.
set -eu
[ $# -ge 2 ] || { sed -n 's/^# Use: /use: /p' "$0" >&2; exit 2; }
softlbr=$1/bin/softlbr
compact=$1/bin/compact_profile
shift
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
named=${SOFTLBR_BINARY:+-b $SOFTLBR_BINARY}
bytes() { wc -c < "$1" | tr -d ' '; }
per_row() { awk -v bytes="$1" -v rows="$rows" 'BEGIN { printf "%d (%.2f)", bytes, bytes / rows }'; }

echo '| profile | taken branches | rows | as perf has them | as recorded: bytes (a row) | compacted on the device | version 1, merged | version 2 | version 2, lean |'
echo '|---|---|---|---|---|---|---|---|---|'
for file; do
  "$softlbr" merge --explicit -o "$work/1" "$file"
  "$softlbr" merge -o "$work/2" "$file"
  # shellcheck disable=SC2086
  "$softlbr" merge --lean $named -o "$work/lean" "$file"
  # 3: the file stays as it is.
  "$compact" "$file" "$work/compact" > /dev/null || { [ $? -eq 3 ] && cp "$file" "$work/compact"; }
  "$softlbr" dump "$file" > "$work/dump"
  rows=$(grep -c -e '^branch ' -e '^range ' "$work/dump")
  taken=$(sed -n 's/^counter taken_branches //p' "$work/dump")
  echo "| $(basename "$file" .slbr) | $taken | $rows | $((taken * 24)) | $(per_row "$(bytes "$file")") |" \
    "$(per_row "$(bytes "$work/compact")") | $(per_row "$(bytes "$work/1")") | $(per_row "$(bytes "$work/2")") | $(per_row "$(bytes "$work/lean")") |"
done
