#!/bin/sh
# Runs a ClickHouse server with a data folder of its own: loopback only, ended by its process id.
#
# Use: sh clickhouse.sh start FOLDER [OWNER]   on a random free port; prints http://127.0.0.1:PORT when it answers.
#                                              FOLDER/pid has the process id. It also ends with the process OWNER, if
#                                              that is given
#      sh clickhouse.sh stop FOLDER            ends it and waits for its end; the data stay
#      sh clickhouse.sh run FOLDER PORT        in the foreground, as this process
# FOLDER is made if it is not there, and holds data, settings and logs. Needs Debian's package clickhouse-server, whose
# service is neither needed nor touched. Exit 1: it did not start, or did not end. Exit 77: the package is missing.
set -eu
PATH=$PATH:/usr/sbin

say() { printf 'clickhouse: %s\n' "$*" >&2; }
usage() { printf 'usage: clickhouse.sh start FOLDER [OWNER] | stop FOLDER | run FOLDER PORT\n' >&2; exit 2; }

write_settings() {
  cat > "$folder/config.xml" <<XML
<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>$folder/server.log</log><errorlog>$folder/error.log</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>$1</http_port>
  <max_connections>100</max_connections>
  <keep_alive_timeout>30</keep_alive_timeout>
  <mark_cache_size>268435456</mark_cache_size>
  <path>$folder/data/</path>
  <tmp_path>$folder/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
</yandex>
XML
  cat > "$folder/users.xml" <<XML
<?xml version="1.0"?>
<yandex>
  <profiles><default><max_memory_usage>4000000000</max_memory_usage><log_queries>0</log_queries></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>
XML
}

# The server of that process id, and no other process that got the number later.
is_ours() { [ -r "/proc/$1/cmdline" ] && tr '\0' ' ' < "/proc/$1/cmdline" | grep -qF "$folder/config.xml"; }

answers() { LC_ALL=C grep -qs "^ *[0-9]*: 0100007F:$(printf %04X "$1") 00000000:0000 0A" /proc/net/tcp; }

run() {
  command -v clickhouse-server >/dev/null 2>&1 ||
    { printf 'missing: clickhouse-server (the package clickhouse-server)\n' >&2; exit 77; }
  write_settings "$1"
  exec clickhouse-server --config-file="$folder/config.xml" >"$folder/output.log" 2>&1 </dev/null
}

stop() {
  [ -r "$folder/pid" ] || return 0
  pid=$(cat "$folder/pid")
  if is_ours "$pid"; then
    kill "$pid" 2>/dev/null || true
    for i in $(seq 300); do
      is_ours "$pid" || break
      sleep 0.1
    done
    is_ours "$pid" && { say "process $pid does not end"; exit 1; }
  fi
  rm -f "$folder/pid"
}

end_with() {
  while kill -0 "$1" && is_ours "$pid"; do sleep 1; done
  is_ours "$pid" && kill "$pid"
}

start() {
  command -v clickhouse-server >/dev/null 2>&1 ||
    { printf 'missing: clickhouse-server (the package clickhouse-server)\n' >&2; exit 77; }
  if [ -r "$folder/pid" ] && is_ours "$(cat "$folder/pid")"; then say "it runs already in $folder"; exit 1; fi
  for attempt in 1 2 3 4 5; do
    port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 30000))
    answers "$port" && continue
    sh "$0" run "$folder" "$port" &
    pid=$!
    printf '%s\n' "$pid" > "$folder/pid"
    for i in $(seq 300); do
      kill -0 "$pid" 2>/dev/null || break
      if answers "$port"; then
        if [ $# -ne 0 ]; then ( exec >/dev/null 2>&1 </dev/null; end_with "$1" ) & fi
        printf 'http://127.0.0.1:%s\n' "$port"
        exit 0
      fi
      sleep 0.1
    done
    stop
  done
  say "it does not start; $folder/error.log says why"
  exit 1
}

[ $# -ge 2 ] || usage
action=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
mkdir -p "$folder/data" "$folder/tmp"
case "$action $#" in
  "start 2") start ;;
  "start 3") start "$3" ;;
  "stop 2") stop ;;
  "run 3") run "$3" ;;
  *) usage ;;
esac
