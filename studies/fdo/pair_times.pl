# CPU time of two programs in pairs: pair_times.pl PAIRS COMMAND BEFORE AFTER, where COMMAND holds $PROGRAM.
# Prints the median of the ratios after/before, and their quartiles. The order changes from pair to pair.
use strict;
use warnings;

my ($pairs, $command, @programs) = @ARGV;

sub cpu_seconds {
  my ($program) = @_;
  my @before = times;
  local $ENV{PROGRAM} = $program;
  system("{ $command; } >/dev/null 2>&1 </dev/null") == 0 or die "pair_times.pl: $program fails\n";
  my @after = times;
  return $after[2] + $after[3] - $before[2] - $before[3];
}

my @ratios;
for my $pair (1 .. $pairs) {
  my @seconds;
  $seconds[$_] = cpu_seconds($programs[$_]) for $pair % 2 ? (0, 1) : (1, 0);
  push @ratios, $seconds[1] / ($seconds[0] || 0.01);
}
@ratios = sort { $a <=> $b } @ratios;
printf "%.3f (%.3f to %.3f)\n", map { $ratios[$_ * $#ratios] } 0.5, 0.25, 0.75;
