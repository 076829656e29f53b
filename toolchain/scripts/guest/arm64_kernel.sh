#!/bin/sh
# Builds an arm64 kernel with a page or address size for which Debian has no package. Use it with arm64-guest.sh
# --kernel IMAGE.
#
# Use: sh toolchain/scripts/guest/arm64_kernel.sh [OPTION...] IMAGE
#   --pages 4k|16k|64k          (64k)
#   --address-bits N            (52) Linux 6.1 has 39 or 48 with 4k, 47 or 48 with 16k, 42, 48 or 52 with 64k
#   --all-high                  with 52: the kernel places every mapping above 48 bits, even without a hint
#                               (ARM64_FORCE_52BIT) --jobs N (number of CPUs)
# Writes the kernel to IMAGE and its configuration to IMAGE.config. Debian's linux-source-6.1 is unpacked and built
# under build/guest/linux (1.6 GB), each variant in its own folder. Takes eight minutes of CPU time, four to five on two
# CPUs.
# Installs linux-source-6.1 and its build dependencies, as root or with sudo. Exit 1: a package is missing or the build
# failed;
# 2: wrong usage, or a variant that Linux 6.1 does not have.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
here=$top/toolchain/scripts/guest

say() { printf 'kernel: %s\n' "$*" >&2; }
usage() { say "$*; see the head of toolchain/scripts/guest/arm64_kernel.sh"; exit 2; }

pages=64k bits=52 high= jobs=$(nproc 2>/dev/null || echo 2)
while [ $# -gt 0 ]; do
  case $1 in
    --pages) pages=$2; shift 2 ;;
    --address-bits) bits=$2; shift 2 ;;
    --all-high) high=-high; shift ;;
    --jobs) jobs=$2; shift 2 ;;
    -*) usage "unknown option $1" ;;
    *) break ;;
  esac
done
[ $# = 1 ] || usage "one file for the kernel is needed"
case $pages-$bits in
  4k-39|4k-48|16k-47|16k-48|64k-42|64k-48|64k-52) ;;
  *) usage "Linux 6.1 has no pages of $pages with addresses of $bits bits" ;;
esac
[ -z "$high" ] || [ "$bits" = 52 ] || usage "--all-high is for 52 bits"
mkdir -p "$(dirname "$1")"
image=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")

sh "$top/toolchain/scripts/cross/setup.sh" || exit 1
missing=
for package in linux-source-6.1 make flex bison bc gcc libc6-dev libssl-dev libelf-dev xz-utils; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || state=
  [ "$state" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  say "installing:$missing"
  $as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y install --no-install-recommends $missing \
    </dev/null >&2 || {
    say "apt-get install failed for:$missing"; exit 1; }
fi

work=$top/build/guest/linux
mkdir -p "$work"
exec 9>"$work/lock"
flock 9
archive=/usr/src/linux-source-6.1.tar.xz
source=$work/linux-source-6.1
if [ ! -e "$work/.unpacked" ] || [ "$archive" -nt "$work/.unpacked" ]; then
  say "unpacking $archive"
  rm -rf "$source"
  tar -C "$work" -xf "$archive"
  touch "$work/.unpacked"
fi

build=$work/$pages-$bits$high
mkdir -p "$build"
{
  grep '^CONFIG_' "$here/arm64_kernel.config"
  echo "CONFIG_ARM64_$(echo "$pages" | tr k K)_PAGES=y"
  echo "CONFIG_ARM64_VA_BITS_$bits=y"
  [ -z "$high" ] || echo "CONFIG_ARM64_FORCE_52BIT=y"
  echo "CONFIG_LOCALVERSION=\"-softlbr-$pages-$bits$high\""
} >"$build/wanted"
build_kernel() { nice -n 5 make -C "$source" O="$build" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
  -j "$jobs" "$@" </dev/null; }
KCONFIG_ALLCONFIG=$build/wanted build_kernel allnoconfig >"$build/log" 2>&1 || { tail -n 20 "$build/log" >&2; exit 1; }
LC_ALL=C sort "$build/.config" >"$build/sorted"
refused=$(LC_ALL=C sort "$build/wanted" | LC_ALL=C comm -23 - "$build/sorted")
[ -z "$refused" ] || { say "Kconfig did not take:" $refused; exit 1; }
say "building: pages of $pages, addresses of $bits bits; log in $build/log"
build_kernel Image >>"$build/log" 2>&1 || { tail -n 20 "$build/log" >&2; exit 1; }
cp "$build/.config" "$image.config"
cp "$build/arch/arm64/boot/Image" "$image"
say "$image: $(cat "$build/include/config/kernel.release"), $(($(stat -c %s "$image") / 1024)) KiB"
