# PostgreSQL as its own user, with pgbench. Needs: postgres initdb pgbench psql su
prepare() {
  mkdir -m 755 server
  chown postgres server
  chmod 755 .
  su postgres -s /bin/sh -c "PATH='$PATH'; initdb -N -A trust -D '$PWD/server/data' >server/log"
}
run() {
  su postgres -s /bin/sh -c "PATH='$PATH'; exec postgres -D '$PWD/server/data' -k '$PWD/server' -c listen_addresses= -c fsync=off" 2>log &
  until pg_isready -q -h "$PWD/server"; do sleep 0.2; done
  pgbench -h "$PWD/server" -U postgres -i -q postgres 2>/dev/null
  pgbench -h "$PWD/server" -U postgres -n -c 4 -j 2 -t 1000 postgres 2>/dev/null | grep 'actually processed'
  psql -h "$PWD/server" -U postgres -Atc 'select count(*), sum(aid) from pgbench_accounts' postgres
  kill -INT "$(head -1 server/data/postmaster.pid)"
  wait
}
