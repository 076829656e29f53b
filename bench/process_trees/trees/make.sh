# make -j4 of a package. Needs: make cc
prepare() { cp -rL "$PACKAGE" package; }
run() {
  make -j4 -C package ${PACKAGE_TARGET-libzstd.a CFLAGS=-O1} >log 2>&1
  echo "make ends with $?"
  sort log | cksum
  find package -name '*.a' | sort | xargs cksum
}
