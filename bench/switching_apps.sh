#!/bin/sh
# Apps of many threads and context switches, recorded for five seconds at a limit of 1 %: samples, and the overhead as
# told.
#
# Use: switching_apps.sh BUILD     (needs chocolate-doom and freedoom, redis-server; see the Debian packages of these
#                                  names)
# The game shows its own demos, without a screen and sound. redis serves redis-benchmark on the loopback.
set -eu
build=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME="$work" SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy

row() {
  "$build/bin/softlbr" stats --json "$2" | perl -MJSON::PP -e '
    my $s = decode_json(join "", <STDIN>);
    my $cpu = $s->{app_cpu_ns} || 1;
    printf "| %s | %d | %.2f s | %d | %.2f %% | %.1f ms | %.0f %% | %.0f %% |\n", $ARGV[0], $s->{threads_traced}, $cpu / 1e9,
      $s->{samples}, 100 * $s->{overhead_ns}{total} / $cpu, $s->{overhead_ns}{control} / 1e6, 100 * $s->{timer_cpu_ns} / $cpu,
      100 * $s->{paused_cpu_ns} / $cpu' "$1"
}

echo '| app | threads | CPU time | samples | told | control thread | by timers | paused |'
echo '|---|---|---|---|---|---|---|---|'
timeout -s INT 5 "$build/bin/softlbr" record -q --max-overhead 1% -o doom.slbr -- \
  /usr/games/chocolate-doom -iwad /usr/share/games/doom/freedoom1.wad -nogui > doom.log 2>&1 || true
row doom doom.slbr

"$build/bin/softlbr" record -q --max-overhead 1% --no-children -o redis.slbr -- redis-server --port 6399 \
  --save '' > redis.log 2>&1 &
server=$!
sleep 0.5
timeout 5 redis-benchmark -p 6399 -q -l -t set,get -n 100000 > /dev/null 2>&1 || true
redis-cli -p 6399 shutdown nosave > /dev/null 2>&1 || true
wait "$server" || true
row redis redis.slbr
