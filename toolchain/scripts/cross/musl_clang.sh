#!/bin/sh
# Runs clang-19 against musl, with the headers of a C++ library but without the library. Used by musl.cmake.
#
# Called through the symbolic links musl-ARCH-clang and musl-ARCH-clang++ that setup.sh makes under build/cross, next to
# musl-ARCH (musl and the kernel's headers) and libcxx. Takes clang's arguments. Links statically unless the output is a
# shared library.
set -eu
name=$(basename "$0")
here=$(cd "$(dirname "$0")" && pwd)
arch=${name#musl-}
arch=${arch%%-*}
clang=${name##*-}-19
root=$here/musl-$arch/usr
lib=$root/lib/$arch-linux-musl

headers="-nostdlibinc -isystem $root/include/$arch-linux-musl -isystem $root/include -isystem $root/include/$arch-linux-gnu"
[ "$clang" = clang-19 ] || headers="-nostdinc++ -isystem $here/libcxx/usr/lib/llvm-19/include/c++/v1 $headers"

link=1
shared=
for word; do
  case $word in
    -c | -S | -E | -M | -MM | -r | -v | --version | -print-* | -dumpmachine) link= ;;
    -shared) shared=1 ;;
  esac
done
# libc++'s headers must be told which C library is used.
set -- --target="$arch-linux-musl" $headers -D_LIBCPP_HAS_MUSL_LIBC "$@"
if [ -n "$link" ]; then
  # Arithmetic that the CPU lacks comes from GCC's library, as clang's is not installed for the target.
  builtins=$(ls "/usr/lib/gcc-cross/$arch-linux-gnu"/*/libgcc.a "/usr/lib/gcc/$arch-linux-gnu"/*/libgcc.a 2>/dev/null \
    | tail -n 1)
  [ -n "$shared" ] || set -- -static "$lib/crt1.o" "$@"
  set -- "$@" -fuse-ld=lld-19 -nostdlib -L"$here/musl-$arch/lib/$arch-linux-musl" -L"$lib" -lc $builtins
fi
exec "$clang" "$@"
