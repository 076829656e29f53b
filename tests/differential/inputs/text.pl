# Prints the given number of bytes, in lines that look like text: words of a fixed generator, the same everywhere.
use strict;
my $left = shift;
my $state = 12345;
my @words = map { my $w = ''; my $n = $_; do { $w .= chr(97 + $n % 26); $n = int($n / 3) } while $n > 0; $w } 1 .. 997;
while ($left > 0) {
  my $line = '';
  for (1 .. 9) {
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    $line .= $words[($state >> 8) % 997] . ($_ % 3 ? ' ' : " $state ");
  }
  $line .= "\n";
  print $line;
  $left -= length $line;
}
