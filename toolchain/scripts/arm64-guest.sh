#!/bin/sh
# Runs a command on a real arm64 kernel, with the cross-built tree at its own path and its bin/ in PATH.
#
# Use: sh toolchain/scripts/arm64-guest.sh [OPTION...] COMMAND...      options and exit codes: toolchain/scripts/guest/run.sh
# A single word is a shell's command line:  sh toolchain/scripts/arm64-guest.sh --cpu max 'uname -m && softlbr doctor'
# The tree is build/release-aarch64 (SOFTLBR_GUEST_TREE names another), made by
#   sh toolchain/scripts/cross/setup.sh && cmake --preset release-aarch64 && cmake --build --preset release-aarch64
# PAC by QEMU's own key hashing takes most of an emulated second; --cpu max,pauth-impdef=on takes a cheaper one.
# The kernel is Debian 12's (6.1, pages of 4 KiB). As the first word, --newest takes the newest of Debian's backports for it, and
# --16k the same with pages of 16 KiB and addresses of 52 bits, which only CPU max has. SOFTLBR_GUEST_KERNEL names a kernel of
# one's own in Debian's place, such as toolchain/scripts/guest/arm64_kernel.sh makes with pages of 64 KiB.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=${SOFTLBR_GUEST_TREE:-$top/build/release-aarch64}
chosen=${SOFTLBR_GUEST_KERNEL:+--kernel $SOFTLBR_GUEST_KERNEL}
case ${1:-} in
  --newest) chosen="--suite bookworm-backports"; shift ;;
  --16k) chosen="--suite bookworm-backports --kernel linux-image-arm64-16k --cpu max,pauth-impdef=on"; shift ;;
esac
[ ! -d "$tree" ] || set -- --tree "$tree" "$@"
exec sh "$top/toolchain/scripts/guest/run.sh" arm64 $chosen "$@"
