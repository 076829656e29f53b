# Loops, functions, subshells, pipes, traps, here-documents: bash forks for most of it.
total=0
f() { local n=$1; if ((n < 2)); then r=1; else f $((n - 1)); local a=$r; f $((n - 2)); r=$((r + a)); fi; }
f 15
echo "f $r"
for i in {1..4000}; do total=$(((total * 31 + i) % 1000003)); done
echo "total $total"
for i in 1 2 3 4 5 6 7 8 9 10; do x=$(echo "$i" | (read -r y; echo $((y * y)))); echo "square $x"; done
declare -A seen
while read -r a b _; do seen[$a]=$((${seen[$a]:-0} + 1)); done < <(head -n 400 text)
echo "${#seen[@]}"
trap 'echo got usr1' USR1
kill -USR1 $$
(trap 'echo inner exit' EXIT; exit 3) || echo "left $?"
sleep 0.05 & wait $!
coproc { read -r line; echo "co $line"; }
echo hello >&"${COPROC[1]}"; read -r answer <&"${COPROC[0]}"; echo "$answer"
cat <<EOF
here $total
EOF
exit 9
