#!/bin/sh
# Boots another kernel in QEMU and runs in_guest.sh there.
#
# Use: sh tests/kernels/kernel_test.sh BUILD [--newest]      Exit 0: passed, 1: failed, 77: skipped, and why
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd) || exit 2
newest=${2:-}

for needed in qemu-system-x86_64 cpio; do
  command -v "$needed" >/dev/null ||
    { echo "skipped: missing: $needed (toolchain/scripts/cross/setup.sh installs it)"; exit 77; }
done
# A folder beside the build, so that packages are fetched only once. Only guests use it.
SOFTLBR_GUEST_DIR=${SOFTLBR_GUEST_DIR:-$top/build/guest}
export SOFTLBR_GUEST_DIR
log=$(mktemp)
trap 'rm -f "$log"' EXIT
boot() {
  SOFTLBR_GUEST_TREE=$build sh "$top/toolchain/scripts/x86_64-guest.sh" $newest --memory 4096 --time 300 \
    --with "$here/in_guest.sh" \
    "sh '$here/in_guest.sh' '$build'" 2>"$log"
  code=$?
  cat "$log" >&2
}
boot
# QEMU may let a CPU execute an instruction that the kernel is patching on another one: Linux 6.12 panicked so in
# one of four boots. What we cause ourselves panics again.
if [ $code -ne 0 ] && grep -q 'Kernel panic' "$log"; then boot; fi
case $code in
  0) exit 0 ;;
  125) if grep -q 'cannot be had\|could not download' "$log"; then
    echo "skipped: missing: a package mirror with that kernel"; exit 77; fi ;;
esac
exit 1
