#!/bin/sh
# Runs a command on a real arm64 kernel, with the cross-built tree at its own path and its bin/ in PATH.
#
# Use: sh toolchain/arm64-guest.sh [OPTION...] COMMAND...      options and exit codes: toolchain/guest/run.sh
# A single word is a shell's command line:  sh toolchain/arm64-guest.sh --cpu max 'uname -m && softlbr doctor'
# The tree is build/release-aarch64 (SOFTLBR_GUEST_TREE names another), made by
#   sh toolchain/cross/setup.sh && cmake --preset release-aarch64 && cmake --build --preset release-aarch64
# PAC by QEMU's own key hashing takes most of an emulated second; --cpu max,pauth-impdef=on takes a cheaper one.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
tree=${SOFTLBR_GUEST_TREE:-$top/build/release-aarch64}
[ ! -d "$tree" ] || set -- --tree "$tree" "$@"
exec sh "$top/toolchain/guest/run.sh" arm64 "$@"
