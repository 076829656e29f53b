#!/bin/sh
# Runs a command on an arm64 kernel in QEMU. The cross-built tree is at the same path as on this machine, its bin/ in
# PATH.
#
# Use: sh toolchain/scripts/arm64-guest.sh [OPTION...] COMMAND...      options and exit codes:
#                                                                      toolchain/scripts/guest/run.sh
# A single argument is a shell command line:  sh toolchain/scripts/arm64-guest.sh --cpu max 'uname -m && softlbr doctor'
# The tree is build/release-aarch64 (or SOFTLBR_GUEST_TREE), built by
#   sh toolchain/scripts/cross/setup.sh && cmake --preset release-aarch64 && cmake --build --preset release-aarch64
# Emulating the architected PAC algorithm takes most of the time; --cpu max,pauth-impdef=on uses a cheaper one.
# Default kernel: Debian 12's 6.1 with 4 KiB pages. As the first argument, --newest takes the newest kernel of Debian's
# backports, and --16k its variant with 16 KiB pages and 52-bit addresses, which needs CPU max. SOFTLBR_GUEST_KERNEL
# names another kernel image, for example one that toolchain/scripts/guest/arm64_kernel.sh built with 64 KiB pages.
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
