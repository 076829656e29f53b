# What db.sh, db_many.sh, db_growth.sh and asmdb.sh share: the engine, commands with their costs, ClickHouse servers.
# Sourced, with `here` (this folder), `build` (a built tree) and `work` (a folder of the caller, which `end_servers`
# must be called before removing).

# Exit 77 if what the measurements need is missing.
need_engine() {
  : "${SOFTLBR_DUCKDB:=$here/../../build/duckdb/libduckdb.so}"
  export SOFTLBR_DUCKDB
  [ -r "$SOFTLBR_DUCKDB" ] || { printf 'missing: libduckdb.so (toolchain/scripts/fetch_duckdb.sh)\n'; exit 77; }
  [ -x /usr/bin/time ] || { printf 'missing: /usr/bin/time (the package time)\n'; exit 77; }
}

# costs COMMAND...: its output goes to $work/out and $work/log. Sets wall and cpu, in seconds, and memory (VmHWM, MiB).
costs() {
  /usr/bin/time -o "$work/time" -f '%e %U %S %M' "$@" > "$work/out" 2> "$work/log" ||
    { tail -3 "$work/log" >&2; return 1; }
  set -- $(tail -1 "$work/time")
  wall=$1
  cpu=$(awk "BEGIN { printf \"%.2f\", $2 + $3 }")
  memory=$(awk "BEGIN { printf \"%.0f\", $4 / 1024 }")
}

softlbr() { "$build/bin/softlbr" "$@"; }

# One value of one row.
ask() { softlbr db query --csv "$@" | tr -d '\r' | tail -1; }

# start_servers N: N ClickHouse servers on loopback, each with a folder of its own, which end with this process too.
# Sets `servers`, their databases, and `server_pids`. Fails where the package is missing.
server_pids=
start_servers() {
  servers= server_pids=
  for i in $(seq "$1"); do
    url=$(sh "$here/../../toolchain/scripts/clickhouse.sh" start "$work/server$i" $$) ||
      { code=$?; end_servers; return $code; }
    servers="$servers${servers:+,}$url/softlbr"
    server_pids="$server_pids $(cat "$work/server$i/pid")"
  done
  NO_PROXY=127.0.0.1 no_proxy=127.0.0.1
  export NO_PROXY no_proxy
}

end_servers() {
  for folder in "$work"/server*; do
    [ -e "$folder/pid" ] && sh "$here/../../toolchain/scripts/clickhouse.sh" stop "$folder"
    rm -rf "$folder"
  done
  server_pids=
}

# CPU seconds of all servers so far. Fields 14 and 15 of stat, behind the name in parentheses, are in ticks.
server_cpu() {
  for pid in $server_pids; do sed 's/.*) //' "/proc/$pid/stat"; done |
    awk -v ticks="$(getconf CLK_TCK)" '{ sum += $12 + $13 } END { printf "%.2f", sum / ticks }'
}

# MiB that the largest of them had.
server_memory() {
  for pid in $server_pids; do grep VmHWM "/proc/$pid/status"; done |
    awk '$2 > most { most = $2 } END { printf "%.0f", most / 1024 }'
}

# Bytes of their tables. Parts that were merged into others are removed minutes later, so they are not counted.
server_bytes() {
  softlbr db query --csv "$servers" \
    "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'softlbr'" | tr -d '\r' |
    awk 'NR > 1 { sum += $1 } END { printf "%.0f", sum }'
}
