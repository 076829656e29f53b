#!/bin/sh
# Boots a Debian kernel in QEMU (no KVM needed), runs one command there and returns its output and exit code.
#
# Use: sh toolchain/scripts/guest/run.sh ARCH [OPTION...] [--] COMMAND...     ARCH: arm64, amd64
#   --kernel PACKAGE     kernel image package (default: Debian's cloud kernel), or the path of a kernel image with
#                        built-in drivers (arm64_kernel.sh builds one); the path must contain a slash
#   --suite NAME         take the kernel package from this suite
#   --packages "P..."    more Debian packages in the guest, with their dependencies
#   --tree FOLDER        copy the programs and libraries of a build folder, without debug information, to the same path
#   --with PATH          copy a file or folder to the same path; may be repeated
#   --bring FOLDER       copy the files that the command writes to /out back into FOLDER
#   --cpu MODEL          QEMU's name of the CPU; --cpus N (2); --memory MIB (1024); --time SECONDS (300)
#   --sysctl KEY=VALUE   set before the command runs; may be repeated
#   --user               run as an ordinary user instead of root
#   --icount SHIFT       each instruction takes 2^SHIFT ns of guest time, independent of this machine's load; the CPUs
#                        alternate --plugin OPTIONS passed to QEMU's -plugin
#   --append WORDS       appended to the kernel's command line; --console: print the kernel's messages on stderr
# Exit: the command's exit code; 124 timeout, 125 no result (the kernel's last messages are on stderr), 2 wrong usage.
#
# The guest's file system is its initramfs: packages, kernel modules, tree and command, one cpio archive each,
# concatenated. The large archives are cached in build/guest/ARCH and rebuilt when their contents change. Nothing is
# installed on this machine; needs qemu-system-* and cpio (toolchain/scripts/cross/setup.sh).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)

say() { printf 'guest: %s\n' "$*" >&2; }
usage() { say "$*"; say "usage: run.sh ARCH [OPTION...] COMMAND...; see the head of toolchain/scripts/guest/run.sh"
exit 2; }

[ $# -ge 2 ] || usage "an architecture and a command are needed"
arch=$1
shift
case $arch in
  arm64)
    machine="qemu-system-aarch64 -M virt"; cpu=cortex-a57; console=ttyAMA0; kernel=linux-image-cloud-arm64
    triple=aarch64-linux-gnu ;;
  amd64)
    machine="qemu-system-x86_64 -M q35 -device virtio-rng-pci"; cpu=max; console=ttyS0; kernel=linux-image-cloud-amd64
    triple=x86_64-linux-gnu ;;
  *) usage "unknown architecture $arch" ;;
esac

suite= packages= tree= with= bring= cpus=2 memory=1024 limit=300 settings= user=root append= show_console= icount= \
  plugin=
while [ $# -gt 0 ]; do
  case $1 in
    --kernel) kernel=$2; shift 2 ;;
    --suite) suite=$2; shift 2 ;;
    --packages) packages="$packages $2"; shift 2 ;;
    --tree) tree=$(cd "$2" && pwd) || usage "no folder $2"; shift 2 ;;
    --with) with="$with$(realpath -e "$2")
"; shift 2 ;;
    --bring) mkdir -p "$2"; bring=$(cd "$2" && pwd); shift 2 ;;
    --cpu) cpu=$2; shift 2 ;;
    --cpus) cpus=$2; shift 2 ;;
    --memory) memory=$2; shift 2 ;;
    --time) limit=$2; shift 2 ;;
    --sysctl) settings="$settings$2
"; shift 2 ;;
    --user) user=user; shift ;;
    --icount) icount="-icount shift=$2,sleep=off"; shift 2 ;;
    --plugin) plugin=$2; shift 2 ;;
    --append) append=$2; shift 2 ;;
    --console) show_console=1; shift ;;
    --) shift; break ;;
    -*) usage "unknown option $1" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || usage "no command"
for needed in ${machine%% *} cpio flock timeout; do
  command -v "$needed" >/dev/null || { say "$needed is missing: sh toolchain/scripts/cross/setup.sh installs it"
  exit 125; }
done

work=${SOFTLBR_GUEST_DIR:-$top/build/guest}/$arch
mkdir -p "$work"
run=$(mktemp -d "$work/run.XXXXXX")
machine_pid=
trap 'rm -rf "$run"' EXIT
trap '[ -z "$machine_pid" ] || kill "$machine_pid"; exit 130' INT TERM
# Only one process at a time may update the cached archives.
exec 9>"$work/lock"
flock 9

# pack FOLDER ARCHIVE: everything under FOLDER, owned by root.
pack() { (cd "$1" && find . -print0 | LC_ALL=C sort -z | cpio -0 -o -H newc -R 0:0 --quiet) >"$2.new" &&
  mv "$2.new" "$2"; }
key() { printf '%s' "$*" | cksum | tr -c '0-9\n' '-'; }
fetch() { sh "$here/fetch_packages.sh" "$@" || { say "packages cannot be had: $*"; exit 125; }; }

# The kernel and the modules for virtio ports; a module that is built into the kernel has no file.
kernel_folder=$work/kernel-$(key "$kernel $suite")
case $kernel in
  */*)
    image=$(realpath -e "$kernel") || usage "no kernel $kernel"
    mkdir -p "$run/kernel/guest"
    : >"$run/kernel/guest/modules.list"
    kernel_folder=$run/kernel
    pack "$run/kernel" "$kernel_folder.cpio" ;;
  *)
    fetch --alone ${suite:+--suite "$suite"} "$arch" "$kernel_folder" "$kernel"
    image=$(ls "$kernel_folder"/boot/vmlinu[xz]-* | head -n 1)
    if [ ! -e "$kernel_folder.cpio" ] || [ "$kernel_folder/.packages" -nt "$kernel_folder.cpio" ] ||
       [ "$here/run.sh" -nt "$kernel_folder.cpio" ]; then
      mkdir -p "$run/kernel/guest/modules"
      for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_console; do
        file=$(find "$kernel_folder" -name "$module.ko*" | head -n 1)
        case $file in
          *.ko) cp "$file" "$run/kernel/guest/modules/$module.ko" ;;
          *.ko.xz) xz -dc "$file" >"$run/kernel/guest/modules/$module.ko" ;;
          *.ko.zst) zstd -qdc "$file" >"$run/kernel/guest/modules/$module.ko" ;;
          *) continue ;;
        esac
        echo "$module" >>"$run/kernel/guest/modules.list"
      done
      pack "$run/kernel" "$kernel_folder.cpio"
    fi ;;
esac

# Debian's packages: busybox for /init, the libraries of our own programs, and the requested ones.
root=$work/root-$(key "$packages")
fetch "$arch" "$root" busybox-static libstdc++6 $packages
if [ ! -e "$root.cpio" ] || [ "$root/.packages" -nt "$root.cpio" ]; then
  say "packing $(du -sm "$root" | cut -f 1) MB of packages"
  mkdir "$run/root"
  # /bin, /lib etc. stay folders. As links into /usr, as on an installed system, they would conflict with packages that
  # use folders.
  cp -a "$root/." "$run/root"
  rm -rf "$run/root/usr/share/doc" "$run/root/usr/share/man" "$run/root/usr/share/locale" "$run/root/.packages"
  pack "$run/root" "$root.cpio"
fi

# Our own programs, stripped of debug information (nine tenths of their size) when they change.
tree_archive=
if [ -n "$tree" ]; then
  strip=$triple-strip
  command -v "$strip" >/dev/null || strip=strip
  staged=$work/tree-$(key "$tree")
  mkdir -p "$staged$tree"
  (cd "$tree" && find . -name CMakeFiles -prune -o -type f \( -perm -u+x -o -name '*.so' \) \
    ! -name '*.cmake' ! -name '*.sh' ! -name '*.o' -print | LC_ALL=C sort) >"$run/tree.list"
  changed=
  while read -r file; do
    if [ ! -e "$staged$tree/$file" ] || [ "$tree/$file" -nt "$staged$tree/$file" ]; then
      mkdir -p "$(dirname "$staged$tree/$file")"
      "$strip" -g -o "$staged$tree/$file" "$tree/$file" 2>/dev/null || cp "$tree/$file" "$staged$tree/$file"
      changed=1
    fi
  done <"$run/tree.list"
  # Remove files that the build folder no longer contains.
  (cd "$staged$tree" && find . -type f | LC_ALL=C sort) | LC_ALL=C comm -23 - "$run/tree.list" >"$run/gone.list"
  while read -r file; do rm -f "$staged$tree/$file"; changed=1; done <"$run/gone.list"
  tree_archive=$staged.cpio
  if [ -n "$changed" ] || [ ! -e "$tree_archive" ]; then pack "$staged" "$tree_archive"; fi
fi

# The files of this invocation: /init, the command, and the files of --with.
mkdir -p "$run/job/guest"
cp "$here/init" "$run/job/init"
chmod 755 "$run/job/init"
printf '%s' "$settings" >"$run/job/guest/sysctl"
echo "$user" >"$run/job/guest/user"
{
  printf 'export PATH=%s$PATH\n' "${tree:+$tree/bin:}"
  if [ $# = 1 ]; then printf '%s\n' "$1"; else
    for word; do printf "'%s' " "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"; done
    echo
  fi
} >"$run/job/guest/command"
printf '%s' "$with" | while read -r path; do
  mkdir -p "$run/job$(dirname "$path")"
  cp -a "$path" "$run/job$path"
done
pack "$run/job" "$run/job.cpio"
cat "$root.cpio" "$kernel_folder.cpio" $tree_archive "$run/job.cpio" >"$run/initrd"
exec 9>&-

# Output goes through pipes, so that it is forwarded as it is produced.
mkfifo "$run/out" "$run/err"
cat "$run/out" &
out_pid=$!
cat "$run/err" >&2 &
err_pid=$!
set -- -cpu "$cpu" -smp "$cpus" -m "$memory" -display none -no-reboot -nodefaults -no-user-config \
  -kernel "$image" -initrd "$run/initrd" -append "console=$console loglevel=4 panic=-1 $append" \
  -chardev "file,id=console,path=$run/console" -serial chardev:console -device virtio-serial-pci
for port in out err code ${bring:+files}; do
  set -- "$@" -chardev "file,id=$port,path=$run/$port" -device "virtserialport,chardev=$port,name=$port"
done
[ -z "$plugin" ] || set -- "$@" -plugin "$plugin"
status=0
timeout -k 5 "$limit" $machine $icount "$@" </dev/null &
machine_pid=$!
wait "$machine_pid" || status=$?
wait "$out_pid" "$err_pid" || true

[ -z "$show_console" ] || cat "$run/console" >&2
if [ -n "$bring" ] && [ -s "$run/files" ]; then tar -C "$bring" -xmf "$run/files" --no-same-owner ||
  say "/out came back damaged"; fi
if [ -s "$run/code" ]; then exit "$(cat "$run/code")"; fi
[ "$status" != 124 ] || say "stopped after $limit s"
say "no result; the kernel's last words:"
tail -n 15 "$run/console" >&2 || true
[ "$status" != 124 ] || exit 124
exit 125
