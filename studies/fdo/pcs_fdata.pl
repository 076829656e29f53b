# BOLT's profile of what a profiler without branches has: `softlbr dump FILE | perl pcs_fdata.pl BINARY >FDATA`
#
# A line for each sampled pc of the main module: "1 FUNCTION OFFSET COUNT". BOLT knows the Nth local function NAME of
# the symbol table as NAME/N.
use strict;
use warnings;

my ($binary) = @ARGV;
open my $symbols, '-|', "readelf -sW '$binary'" or die "readelf: $!\n";
my (@functions, %locals);
while (<$symbols>) {
  last if /'\.symtab'/;
}
while (<$symbols>) {
  next unless /^\s*\d+: ([0-9a-f]+)\s+(\d+) FUNC\s+(\w+)\s+\w+\s+(?!UND)\w+ (\S+)/ && $2 > 0;
  my $name = $3 eq 'LOCAL' ? "$4/" . ++$locals{$4} : $4;
  push @functions, [hex $1, $2, $name];
}
@functions = sort { $a->[0] <=> $b->[0] } @functions;

my (%counts, $main);
while (<STDIN>) {
  $main = $1 if /^module (\S+) .*main=1/;
  next unless defined $main && /^sample (\d+) \Q$main\E\+0x([0-9a-f]+)$/;
  my ($count, $pc) = ($1, hex $2);
  my ($low, $high) = (0, scalar @functions);
  while ($low < $high) { my $at = int(($low + $high) / 2);
  if ($functions[$at][0] <= $pc) { $low = $at + 1 } else { $high = $at } }
  next if $low == 0;
  my ($start, $bytes, $name) = @{$functions[$low - 1]};
  $counts{sprintf '%s %x', $name, $pc - $start} += $count if $pc < $start + $bytes;
}
print "no_lbr task-clock:u\n";
print "1 $_ $counts{$_}\n" for sort keys %counts;
