#!/bin/sh
# Installs the packages for cross-building and for running guests, and unpacks the libraries to link with.
#
# Use: sh toolchain/scripts/cross/setup.sh    as root, or as a user who may run sudo. Prints nothing if nothing is
#                                             missing. Installs compilers, QEMU and cpio on this machine. Packages of
#                                             another architecture are never installed, only unpacked under build/cross
#                                             (toolchain/scripts/guest/fetch_packages.sh). Exit 1: a package could not
#                                             be installed or downloaded.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)

say() { printf 'setup: %s\n' "$*" >&2; }

packages="g++-aarch64-linux-gnu qemu-system-arm qemu-system-x86 qemu-user-static cpio clang-19 lld-19 llvm-19"
missing=
for package in $packages; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
  [ "$state" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || { say "missing:$missing; run this as root, or install sudo"; exit 1; }
    as_root=sudo
    [ -t 0 ] || as_root="sudo -n"
  fi
  say "installing:$missing"
  apt() { $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y "$@" </dev/null; }
  apt update || say "apt-get update failed; going on with the package lists at hand"
  apt install --no-install-recommends $missing || { say "apt-get install failed for:$missing"; exit 1; }
fi

fetch="sh $top/toolchain/scripts/guest/fetch_packages.sh"
$fetch arm64 "$top/build/cross/arm64" \
  liburcu-dev libzstd-dev libgtest-dev libcapstone-dev libcli11-dev nlohmann-json3-dev libelf-dev libiberty-dev \
  libcurl4-openssl-dev
# Without it the build works too, and apps link libzstd.a of these packages: the end of the configuration says so.
sh "$top/toolchain/scripts/fetch_zstd.sh" || say "going on without zstd's source: apps become 0.4 MB larger"
# For musl.cmake, on both CPUs: musl, the headers of the kernel and of a C++ library, and the libraries that softlbr
# links.
cross=$top/build/cross
$fetch --alone amd64 "$cross/libcxx" libc++-19-dev
for arch in aarch64 x86_64; do
  debian=amd64
  [ $arch = x86_64 ] || debian=arm64
  $fetch --alone $debian "$cross/musl-$arch" musl musl-dev linux-libc-dev
  for name in clang clang++; do ln -sf ../../toolchain/scripts/cross/musl_clang.sh "$cross/musl-$arch-$name"; done
  CC=$cross/musl-$arch-clang sh "$top/toolchain/scripts/cross/build_dependencies.sh" $arch-linux-musl \
    "$cross/musl-$arch-libraries"
done
# Third-party programs, for tests/paths.
$fetch arm64 "$top/build/cross/arm64-programs" xz-utils bzip2 gzip perl-base sqlite3 lua5.4 busybox-static
