# Fields, associative arrays, regular expressions, arithmetic.
{ for (i = 1; i <= NF; ++i) { seen[$i]++; length_of[length($i)]++ } }
/ab.*c$/ { matched++ }
{ gsub(/[aeiou]/, "<&>"); total += length($0) }
END {
  print NR, matched + 0, total
  for (n = 1; n < 12; ++n) print n, length_of[n] + 0
  x = 1
  for (i = 0; i < 200000; ++i) x = (x * 16807) % 2147483647
  print x
  exit 4
}
