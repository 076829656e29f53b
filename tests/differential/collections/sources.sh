# The collections, one function each, for collections.sh: fetch and unpack the source, name the programs and how to
# compile them. shellcheck shell=sh disable=SC2154

# The Open POSIX Test Suite: the behaviour of each POSIX function, much of it signals, threads, timers and shared
# memory.
posix_programs() {
  unpack posixtestsuite
  common='gcc -w -O1 -g -std=gnu99 -D_GNU_SOURCE -D_XOPEN_SOURCE=600 -Iinclude -I.'
  (cd "$tree/source/posixtestsuite" &&
    grep -lE '\bmain *\(' -r --include='*.c' conformance/interfaces conformance/behavior \
    functional) | grep -vE '/(testfrmw|threads_scenarii)\.c$' |
    sed -E "s,^(.*)\.c$,\1	$common \1.c -lpthread -lrt -lm," |
    sed -E 's,^(conformance/)?(interfaces/)?,,' | compile posix "$tree/source/posixtestsuite"
}

glibc_folders='debug dirent dlfcn inet io libio login malloc misc nptl posix rt setjmp signal socket stdio-common stdlib sysvipc'
glibc_folders="$glibc_folders time"

# The tests of glibc that can be compiled without its build tree; $shim stands for what they take from there.
glibc_programs() {
  unpack glibc
  top=$tree/source/glibc
  shim=$tree/glibc
  mkdir -p "$shim/support"
  cp "$here/collections/glibc_shim.h" "$shim/"
  for empty in config.h sysdep.h libc-internal.h stackinfo.h; do : >"$shim/$empty"; done
  paths=
  for path in SRCDIR OBJDIR OBJDIR_ELF_LDSO INSTDIR LIBDIR BINDIR SBINDIR SLIBDIR ROOTSBINDIR COMPLOCALEDIR \
    SYSCONFDIR; do
    paths="$paths -D${path}_PATH=\\\"/usr\\\""
  done
  common="gcc -w -O1 -g -std=gnu11 -D_GNU_SOURCE -I$shim -include glibc_shim.h"
  after="-idirafter . -idirafter include -idirafter sysdeps/x86_64"
  if ! [ -e "$shim/libsupport.a" ]; then
    (cd "$top" && for file in support/*.c; do
      case $file in */tst-* | */test-* | */*_main.c) continue ;; esac
      eval "$common -Isupport $after $paths -c $file -o $shim/${file%.c}.o" 2>/dev/null || :
    done
    eval "$common -Isupport $after -c support/support_test_main.c -o $shim/support/support_test_main.o"
    ar rc "$shim/libsupport.a" "$shim"/support/*.o)
  fi
  (cd "$top" && for folder in $glibc_folders sysdeps/pthread sysdeps/unix/sysv/linux sysdeps/x86_64; do
    for file in "$folder"/tst-*.c "$folder"/test-*.c "$folder"/bug-*.c; do
      ! [ -e "$file" ] || echo "${file%.c}	$common -I${file%/*} $after $file $shim/libsupport.a -lpthread -lrt -lm -ldl"
    done
  done) | compile glibc "$top"
}

# strace's tests: each makes one system call in every odd way and prints what strace should print.
strace_programs() {
  unpack strace
  top=$tree/source/strace
  if ! [ -e "$top/tests/libtests.a" ]; then
    (cd "$top" && ./configure -q --enable-mpers=no && make -s -C src scno.h && make -s -C tests libtests.a) >&2
  fi
  sizes='-DSTRACE_SIZEOF_KERNEL_LONG_T=8 -DTESTS_SIZEOF_KERNEL_LONG_T=8 -DSTRACE_SIZEOF_LONG=8 -DTESTS_SIZEOF_LONG=8'
  common="gcc -w -O1 -g -DHAVE_CONFIG_H $sizes -I. -I../src/linux/x86_64 -I../src/linux/generic -I../src -I.."
  (cd "$top/tests" && grep -lE '\bmain *\(' *.c) | sed 's/\.c$//' |
    sed "s%.*%&	$common &.c libtests.a -lpthread -lrt%" | compile strace "$top/tests"
}

# GCC's tests that run: exceptions and clean-ups (also through signal frames), coroutines, thread-local storage, and the
# older half of the C torture tests.
gcc_programs() {
  fetch gcc-12
  top=$tree/source/gcc-12
  if ! [ -d "$top" ]; then
    mkdir -p "$top.new"
    tar xzOf "$(ls "$tree"/packages/gcc-12_*.orig.tar.gz)" --wildcards '*/gcc-*.tar.xz' | xz -dc |
      tar xf - -C "$top.new" --strip-components=3 --wildcards '*/gcc/testsuite/gcc.c-torture/execute/*' \
      '*/gcc/testsuite/gcc.dg/*' \
        '*/gcc/testsuite/g++.dg/*'
    mv "$top.new" "$top"
  fi
  (cd "$top" && {
    grep -lE 'dg-do run' -r g++.dg/eh g++.dg/tls g++.dg/torture g++.dg/coroutines --include='*.C' |
      sed -E 's,^(.*)\.C$,\1	g++ -w -O1 -g -std=c++20 -fnon-call-exceptions \1.C -lpthread,'
    grep -lE 'dg-do run' -r gcc.dg/cleanup-* gcc.dg/tls gcc.dg/atomic --include='*.c' |
      sed -E 's,^(.*)\.c$,\1	gcc -w -O1 -g -fexceptions -fnon-call-exceptions \1.c -latomic -lm -lpthread,'
    ls gcc.c-torture/execute/[0-9]*.c | sed -E 's,^(.*)\.c$,\1	gcc -w -O1 -g \1.c -lm,'
  }) | compile gcc "$top"
}

# The programs that gdb's tests debug: signals, threads, forks, execs, jumps out of handlers, self-modifying data.
gdb_programs() {
  unpack gdb '*/gdb/testsuite/gdb.base/*.c' '*/gdb/testsuite/gdb.threads/*.c' '*/gdb/testsuite/lib/*.h' \
    '*/gdb/testsuite/gdb.*/*.h'
  (cd "$tree/source/gdb/gdb/testsuite" && grep -lE '\bmain *\(' gdb.base/*.c gdb.threads/*.c) |
    sed -E 's,^(.*)\.c$,\1	gcc -w -O0 -g \1.c -lpthread -lm -ldl,' | compile gdb "$tree/source/gdb/gdb/testsuite"
}

# Installed tools that change what a process is: namespaces, signal masks, limits, users, debuggers; and shells that
# trap signals.
tools_programs() {
  sed -n 's/^\([a-z][^	]*\)	/tools\/\1	/p' "$here/collections/tools.list" >>"$tree/programs"
}
