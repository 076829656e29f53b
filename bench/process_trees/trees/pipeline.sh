# A pipeline of a shell. Needs: seq sort gzip awk
run() {
  seq 400000 | awk '{ print ($1 * 7919) % 400009 }' | sort | gzip -c | gzip -dc | sort -n |
    awk '{ s += $1 * NR % 7 } END { print s }' | cat
  (exit 5)
}
