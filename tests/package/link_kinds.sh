#!/bin/sh
# Links an app against an installed softlbr in every form an app can have, without a warning, and lets each record itself.
#
# Use: link_kinds.sh METHOD PREFIX SOFTLBR RUN KIND... -- COMPILER...
#   METHOD   pkg-config: the flags of softlbr.pc; archive: libsoftlbr_all.a and no other flag
#   PREFIX   where softlbr is installed
#   SOFTLBR  the command that reads the profiles
#   RUN      yes: each program must record a profile; an emulator: in it; no: only links
#   KIND     exe, pie, static, static-pie, so, wrapped (softlbr-main), control (softlbr-control), spooled (softlbr-spool;
#            with pkg-config), uploading (softlbr-upload; with pkg-config)
# Exit 1: what was wrong is printed. Exit 77: the compiler is missing.
set -u
method=$1 prefix=$2 softlbr=$3 run=$4
shift 4
kinds=
while [ "$1" != -- ]; do kinds="$kinds $1"; shift; done
shift
sources=$(cd "$(dirname "$0")" && pwd)
command -v "$1" >/dev/null 2>&1 || { echo "skipped: no $1"; exit 77; }
work=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-package.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
case $run in yes | no) emulator= ;; *) emulator=$run ;; esac
failures=0
fail() { echo "$*"; failures=$((failures + 1)); }

# flags PACKAGES: to compile; libraries PACKAGES: to link
PKG_CONFIG_LIBDIR=$(dirname "$(find "$prefix" -name softlbr.pc)")
PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
export PKG_CONFIG_LIBDIR PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
if [ "$method" = pkg-config ]; then
  flags() { pkg-config --cflags $1; }
  libraries() { pkg-config --libs $1; }
else
  flags() { echo "-I$prefix/include"; }
  libraries() {
    [ "$1" != softlbr-main ] || echo -Wl,--wrap=main
    [ "$1" != softlbr-control ] || find "$prefix" -name libsoftlbr_control.a
    find "$prefix" -name libsoftlbr_all.a
  }
fi

# link WHAT COMMAND...: an error or a warning is a failure.
link() {
  what=$1
  shift
  "$@" >"$work/messages" 2>&1 || { fail "$what: does not link"; cat "$work/messages"; return 1; }
  [ ! -s "$work/messages" ] || { fail "$what: the linker complains"; cat "$work/messages"; return 1; }
}

# records WHAT COMMAND...: runs it and reads the profile that it writes to $work/profile.
records() {
  what=$1
  shift
  rm -f "$work/profile"
  [ "$run" != no ] || return
  $emulator "$@" || { fail "$what: exit code $?"; return; }
  # A cross build may stand alone, without the host's command.
  [ -x "$softlbr" ] || return
  "$softlbr" stats --json "$work/profile" >"$work/stats" || { fail "$what: no profile can be read"; return; }
  perl -MJSON::PP=decode_json -0777 -ne '
    my $s = decode_json($_);
    exit($s->{samples} >= 50 && $s->{taken_branches} >= 1000 && !$s->{is_truncated} ? 0 : 1);' "$work/stats" ||
    fail "$what: too little was recorded: $(tr -d '\n' <"$work/stats" | cut -c 1-300)"
}

program() { # KIND COMPILE_FLAGS LINK_FLAGS COMPILER...
  kind=$1 compile=$2 form=$3
  shift 3
  link "$kind" "$@" $compile $(flags softlbr) "$sources/package_program.c" "$sources/package_recording.c" $form \
    $(libraries softlbr) -o "$work/$kind" && records "$kind" "$work/$kind" "$work/profile"
}

for kind in $kinds; do
  case $kind in
    exe) program exe -fno-pie -no-pie "$@" ;;
    pie) program pie -fPIE -pie "$@" ;;
    static) program static -fno-pie -static "$@" ;;
    static-pie) program static-pie -fPIE -static-pie "$@" ;;
    wrapped)
      link wrapped "$@" "$sources/package_wrapped.c" "$sources/package_recording.c" $(flags softlbr-main) $(libraries softlbr-main) \
        -o "$work/wrapped" && SOFTLBR_OPTIONS="v1;out=$work/profile;freq=9973" records wrapped "$work/wrapped"
      ;;
    control)
      link control "$@" "$sources/package_control.c" "$sources/package_recording.c" $(flags softlbr-control) \
        $(libraries softlbr-control) -o "$work/control" && records control "$work/control" "$work/profile"
      [ -z "$(find "$work" -type s)" ] || fail "control: its socket is left behind"
      ;;
    spooled)
      link spooled "$@" "$sources/package_spooled.c" "$sources/package_recording.c" \
        $(flags "softlbr softlbr-spool softlbr-compact") $(libraries "softlbr softlbr-spool softlbr-compact") -o "$work/spooled" && records spooled "$work/spooled" "$work/profile"
      ;;
    uploading)
      # Needs libcurl and libzstd of the system.
      PKG_CONFIG_PATH=$(pkg-config --variable pc_path pkg-config)
      export PKG_CONFIG_PATH
      pkg-config --exists libcurl libzstd || { echo "skipped: no libcurl4-openssl-dev"; continue; }
      mkdir "$work/empty"
      link uploading "$@" $(flags softlbr-upload) "$sources/package_uploading.c" $(libraries softlbr-upload) -o "$work/uploading" &&
        { "$work/uploading" "$work/empty" || fail "uploading: exit code $?"; }
      unset PKG_CONFIG_PATH
      ;;
    so)
      link so "$@" -fPIC -fvisibility=hidden -shared $(flags softlbr) "$sources/package_recording.c" $(libraries softlbr) \
        -o "$work/plugin.so" || continue
      # GNU ld lists __start_softlbr_text among them although it is hidden, which loaders ignore.
      others=$(readelf --dyn-syms -W "$work/plugin.so" |
        awk '$7 ~ /^[0-9]+$/ && $4 != "SECTION" && $6 != "HIDDEN" && $8 !~ /^(Package|_init$|_fini$)/ { print $8 }')
      [ -z "$others" ] || fail "so: exports $others"
      link host "$@" "$sources/package_host.c" -o "$work/host" || continue
      records so "$work/host" "$work/plugin.so" "$work/profile"
      records "so, closed after the session" "$work/host" "$work/plugin.so" "$work/profile" between
      cp "$work/plugin.so" "$work/other.so"
      link copies "$@" "$sources/package_copies.c" -o "$work/copies" &&
        records "so, two copies of the runtime" "$work/copies" "$work/plugin.so" "$work/other.so" "$work/profile"
      if [ "$run" = yes ]; then # Under another copy of the runtime it calls its own, which is refused: SOFTLBR_OTHER_RUNTIME.
        "$softlbr" record -o "$work/outer" -- "$work/host" "$work/plugin.so" "$work/profile" >"$work/messages" 2>&1
        [ $? = 19 ] || { fail "so, recorded by softlbr record: not refused"; cat "$work/messages"; }
      fi
      if [ "$method" = pkg-config ]; then # whose flags make dlclose harmless
        records "so, closed in the session" "$work/host" "$work/plugin.so" "$work/profile" unload
        if [ "$run" != no ]; then
          $emulator "$work/host" "$work/plugin.so" "$work/profile" leave || fail "so, closed and never stopped: exit code $?"
        fi
      fi
      ;;
  esac
done
[ $failures = 0 ]
