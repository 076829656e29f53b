#!/bin/sh
# Links an app against an installed softlbr in every form an app can have, without a warning, and lets each record
# itself.
#
# Use: link_kinds.sh METHOD PREFIX SOFTLBR RUN KIND... -- COMPILER...
#   METHOD   pkg-config: the flags of softlbr.pc; archive: libsoftlbr_all.a and no other flag
#   PREFIX   where softlbr is installed
#   SOFTLBR  the command that reads the profiles
#   RUN      yes: each program must record a profile; an emulator: in it; no: only links
#   KIND     exe, pie, static, static-pie, so, wrapped (softlbr-main), control (softlbr-control), spooled
#            (softlbr-spool;
#            with pkg-config), uploading (softlbr-upload; with pkg-config), signed (softlbr-control and libsodium),
#            triggered (softlbr-control; `softlbr trigger` records those of static, static-pie and so that are among the
#            KINDs, and each again after it has stopped waiting, a plugin after it was closed)
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
  read_profile
}
read_profile() { # of $what
  "$softlbr" stats --json "$work/profile" >"$work/stats" || { fail "$what: no profile can be read"; return; }
  perl -MJSON::PP=decode_json -0777 -ne '
    my $s = decode_json($_);
    exit($s->{samples} >= 50 && $s->{taken_branches} >= 1000 && !$s->{is_truncated} ? 0 : 1);' "$work/stats" ||
    fail "$what: too little was recorded: $(tr -d '\n' <"$work/stats" | cut -c 1-300)"
}

program() { # KIND COMPILE_FLAGS LINK_FLAGS COMPILER...
  kind=$1 compile=$2 form=$3
  shift 3
  link "$kind" "$@" $compile $(flags softlbr) "$sources/programs/package_program.c" \
    "$sources/programs/package_recording.c" $form \
    $(libraries softlbr) -o "$work/$kind" && records "$kind" "$work/$kind" "$work/profile"
}

# triggered WHAT COMMAND...: runs it in the background; it waits under the names round1 and round2, and ends after a
# session in each.
triggered() {
  [ -z "$emulator" ] || return 0  # a sample takes milliseconds there, and a session lasts for a time: linking is all that can be tested
  what="triggered $1"
  shift
  [ "$run" != no ] && [ -x "$softlbr" ] || return
  rm -rf "$work/sockets"
  mkdir -m 700 "$work/sockets"
  $emulator "$@" "$work/sockets" &
  app=$!
  for round in round1 round2; do
    waited=0
    while [ ! -S "$work/sockets/softlbr.$round.$app.sock" ] && kill -0 $app 2>/dev/null && [ $waited -lt 300 ]; do
      sleep 0.1
      waited=$((waited + 1))
    done
    rm -f "$work/profile"
    # 50 samples, even if the machine gives the program a tenth of a CPU.
    "$softlbr" trigger "$work/sockets/softlbr.$round.$app.sock" -q -d 0.4 -F 1999 --max-overhead 100% \
      -o "$work/profile" &&
      read_profile || fail "$what: not recorded in $round"
  done
  wait $app || fail "$what: exit code $?"
  [ -z "$(ls "$work/sockets")" ] || fail "$what: its socket is left behind"
}

for kind in $kinds; do
  case $kind in
    exe) program exe -fno-pie -no-pie "$@" ;;
    pie) program pie -fPIE -pie "$@" ;;
    static) program static -fno-pie -static "$@" ;;
    static-pie) program static-pie -fPIE -static-pie "$@" ;;
    wrapped)
      link wrapped "$@" "$sources/programs/package_wrapped.c" "$sources/programs/package_recording.c" \
        $(flags softlbr-main) $(libraries softlbr-main) \
        -o "$work/wrapped" && SOFTLBR_OPTIONS="v1;out=$work/profile;freq=9973" records wrapped "$work/wrapped"
      ;;
    control)
      link control "$@" "$sources/programs/package_control.c" "$sources/programs/package_recording.c" \
        $(flags softlbr-control) \
        $(libraries softlbr-control) -o "$work/control" && records control "$work/control" "$work/profile"
      [ -z "$(find "$work" -type s)" ] || fail "control: its socket is left behind"
      ;;
    spooled)
      link spooled "$@" "$sources/programs/package_spooled.c" "$sources/programs/package_recording.c" \
        $(flags "softlbr softlbr-spool softlbr-compact") $(libraries "softlbr softlbr-spool softlbr-compact") \
        -o "$work/spooled" && records spooled "$work/spooled" "$work/profile"
      ;;
    triggered)
      for form in $kinds; do
        case $form in
          static) flags_of_form="-fno-pie -static" ;;
          static-pie) flags_of_form="-fPIE -static-pie" ;;
          so) flags_of_form="-fPIC -fvisibility=hidden -shared -DPACKAGE_IS_PLUGIN" ;;
          *) continue ;;
        esac
        link "triggered $form" "$@" $flags_of_form $(flags softlbr-control) "$sources/programs/package_triggered.c" \
          "$sources/programs/package_recording.c" $(libraries softlbr-control) -o "$work/triggered-$form" || continue
        if [ $form = so ]; then
          link "trigger host" "$@" "$sources/programs/package_trigger_host.c" -o "$work/trigger-host" &&
            triggered so "$work/trigger-host" "$work/triggered-so"
        else
          triggered $form "$work/triggered-$form"
        fi
      done
      ;;
    signed)
      # The library alone, without its headers, is enough.
      sodium=$(find /usr/lib /lib -name 'libsodium.so.23' 2>/dev/null | head -n 1)
      [ -n "$sodium" ] && [ -x "$softlbr" ] && [ "$run" = yes ] || { echo "skipped: no libsodium23"; continue; }
      link signed "$@" "$sources/programs/package_signed.c" "$sources/programs/package_recording.c" \
        $(flags softlbr-control) $(libraries softlbr-control) \
        "$sodium" -o "$work/signed" || continue
      mkdir -m 700 "$work/device"
      "$softlbr" request --new-key "$work/key" >"$work/messages" 2>&1 &&
        "$softlbr" request --key "$work/key" --app signed -d 0.4 -F 1999 --max-overhead 100% \
        -o "$work/request" >>"$work/messages" 2>&1 ||
        { fail "signed: no request"; cat "$work/messages"; }
      records signed "$work/signed" "$work/key.pub" "$work/request" "$work/device" "$work/profile"
      ;;
    uploading)
      # Needs libcurl and libzstd of the system.
      PKG_CONFIG_PATH=$(pkg-config --variable pc_path pkg-config)
      export PKG_CONFIG_PATH
      pkg-config --exists libcurl libzstd || { echo "skipped: no libcurl4-openssl-dev"; continue; }
      mkdir "$work/empty"
      link uploading "$@" $(flags softlbr-upload) "$sources/programs/package_uploading.c" $(libraries softlbr-upload) \
        -o "$work/uploading" &&
        { "$work/uploading" "$work/empty" || fail "uploading: exit code $?"; }
      unset PKG_CONFIG_PATH
      ;;
    so)
      link so "$@" -fPIC -fvisibility=hidden -shared $(flags softlbr) "$sources/programs/package_recording.c" \
        $(libraries softlbr) \
        -o "$work/plugin.so" || continue
      # GNU ld lists __start_softlbr_text among them although it is hidden, which loaders ignore.
      others=$(readelf --dyn-syms -W "$work/plugin.so" |
        awk '$7 ~ /^[0-9]+$/ && $4 != "SECTION" && $6 != "HIDDEN" && $8 !~ /^(Package|_init$|_fini$)/ { print $8 }')
      [ -z "$others" ] || fail "so: exports $others"
      link host "$@" "$sources/programs/package_host.c" -o "$work/host" || continue
      records so "$work/host" "$work/plugin.so" "$work/profile"
      records "so, closed after the session" "$work/host" "$work/plugin.so" "$work/profile" between
      cp "$work/plugin.so" "$work/other.so"
      link copies "$@" "$sources/programs/package_copies.c" -o "$work/copies" &&
        records "so, two copies of the runtime" "$work/copies" "$work/plugin.so" "$work/other.so" "$work/profile"
      if [ "$run" = yes ]; then # Under another copy of the runtime it calls its own, which is refused: SOFTLBR_OTHER_RUNTIME.
        "$softlbr" record -o "$work/outer" -- "$work/host" "$work/plugin.so" "$work/profile" >"$work/messages" 2>&1
        [ $? = 19 ] || { fail "so, recorded by softlbr record: not refused"; cat "$work/messages"; }
      fi
      # The runtime keeps the library that it is in, and its dlclose is harmless.
      records "so, closed in the session" "$work/host" "$work/plugin.so" "$work/profile" unload
      if [ "$run" != no ]; then
        $emulator "$work/host" "$work/plugin.so" "$work/profile" leave ||
          fail "so, closed and never stopped: exit code $?"
      fi
      ;;
  esac
done
[ $failures = 0 ]
