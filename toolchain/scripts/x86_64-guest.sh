#!/bin/sh
# Runs a command on another x86-64 kernel than this machine's, with the built tree at its own path and its bin/ in PATH.
#
# Use: sh toolchain/scripts/x86_64-guest.sh [OPTION...] COMMAND...      options and exit codes: toolchain/scripts/guest/run.sh
# A single word is a shell's command line:  sh toolchain/scripts/x86_64-guest.sh 'uname -r && softlbr doctor'
# The kernel is Debian 12's (6.1); `--newest`, as the first word, takes the newest that Debian's
# backports for it offer.
# QEMU 7.2 gets cmpxchg16b wrong now and then, and kernels from 6.5 on build their allocator upon it: the CPU has none
# (300 forks under 6.12: 4 of 4 boots survive, with it 0 of 4).
# The tree is build/release (SOFTLBR_GUEST_TREE names another). QEMU translates: no KVM is needed or used.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=${SOFTLBR_GUEST_TREE:-$top/build/release}
suite=
if [ "${1:-}" = --newest ]; then suite=bookworm-backports; shift; fi
[ ! -d "$tree" ] || set -- --tree "$tree" "$@"
[ -z "$suite" ] || set -- --suite "$suite" "$@"
exec sh "$top/toolchain/scripts/guest/run.sh" amd64 --cpu max,cx16=off "$@"
