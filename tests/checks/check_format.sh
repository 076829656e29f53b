#!/bin/sh
# Checks that clang-format would change no source file (.clang-format).
#
# Use: check_format.sh ROOT        CLANG_FORMAT: the program to use (default clang-format-14)
# Exit 0; 1 and the names of the files that differ; 77 (skipped) without clang-format 14: other versions break lines
# differently. Corpora and inputs of tests are data and not checked.
set -u
cd "$1" || exit 1
tool=${CLANG_FORMAT:-clang-format-14}
if ! "$tool" --version 2>/dev/null | grep -q 'version 14\.'; then echo "skipped: missing: clang-format 14"; exit 77; fi
find bench decoders docs platform runtime studies tests toolchain \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) \
  ! -path '*/corpus/*' ! -path '*/inputs/*' -print0 | xargs -0 "$tool" --dry-run --Werror -style=file 2>&1 |
  sed -n 's/^\([^:]*\):[0-9:]* error: code should be clang-formatted.*/\1/p' | sort | uniq -c |
  tee "${TMPDIR:-/tmp}/format.$$"
differing=$(wc -l <"${TMPDIR:-/tmp}/format.$$")
rm -f "${TMPDIR:-/tmp}/format.$$"
[ "$differing" = 0 ] && echo "every file is as clang-format leaves it" && exit 0
echo "$differing files differ: clang-format -i FILE"
exit 1
