#!/bin/sh
# Runs a command on another x86-64 kernel, in QEMU. The built tree is at the same path as on this machine, its bin/ in
# PATH.
#
# Use: sh toolchain/scripts/x86_64-guest.sh [OPTION...] COMMAND...      options and exit codes:
#                                                                       toolchain/scripts/guest/run.sh
# A single argument is a shell command line:  sh toolchain/scripts/x86_64-guest.sh 'uname -r && softlbr doctor'
# Default kernel: Debian 12's 6.1. As the first argument, --newest takes the newest kernel of Debian's backports.
# The CPU is emulated without cmpxchg16b: QEMU 7.2 occasionally executes it wrongly, and the allocator of kernels since
# 6.5 relies on it (300 forks under 6.12: 4 of 4 boots survive without it, 0 of 4 with it).
# The tree is build/release (or SOFTLBR_GUEST_TREE). KVM is neither needed nor used.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=${SOFTLBR_GUEST_TREE:-$top/build/release}
suite=
if [ "${1:-}" = --newest ]; then suite=bookworm-backports; shift; fi
[ ! -d "$tree" ] || set -- --tree "$tree" "$@"
[ -z "$suite" ] || set -- --suite "$suite" "$@"
exec sh "$top/toolchain/scripts/guest/run.sh" amd64 --cpu max,cx16=off "$@"
