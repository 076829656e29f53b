#!/usr/bin/perl
# Prints the rows of sweep.sh as a table, and draws them.
#
# Use: sweep_table.pl PROGRAM ROWS [SVG]
# A row: VARIED FAN_OUT DISTANCE WINDOW NEXT COVERED IN_TIME INSTRUCTIONS FETCHING USEFUL SPEED, the last seven as of
# run.sh's table.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Chart;

die "usage: sweep_table.pl PROGRAM ROWS [SVG]\n" unless @ARGV >= 2;
my ($program, $path, $svg) = @ARGV;
my @keys = qw(varied fan_out distance window next covered in_time instructions fetching useful speed);
my @rows;
open(my $file, '<', $path) or die "$path: $!\n";
while (<$file>) {
  my @words = split;
  die "$path:$.: not a row\n" unless @words == @keys;
  my %row;
  @row{@keys} = @words;
  push @rows, \%row;
}
die "$path: empty\n" unless @rows;

print "| program | fan-out | distance | window | covered | in time | more instructions | hints that fetch | useful | speed |\n";
print "|---|---|---|---|---|---|---|---|---|---|\n";
printf "| %s | %.0f %% | %d | %d | %.1f %% | %.1f %% | %.2f %% | %.1f %% | %.1f %% | %.3f |\n", $program,
  100 * $_->{fan_out},
  @$_{qw(distance window covered in_time instructions fetching useful speed)}
  for @rows;
exit unless defined $svg;

# Distances stand left of their points, so that they do not hide windows.
my %value_of = (none => sub { '' }, 'fan-out' => sub { 100 * $_[0]{fan_out} . ' %' },
distance => sub { $_[0]{distance} }, window => sub { $_[0]{window} });
Chart::draw($svg, Chart::points("Misses covered in $program against executed hints, for several choices",
  ["more instructions; the next-line prefetcher alone covers $rows[0]{next} %", '%'], ['misses covered', '%'],
  map { my $varied = $_; [$varied eq 'none' ? 'run.sh' : $varied,
  [map { [@$_{qw(instructions covered)}, $value_of{$varied}->($_)] } grep { $_->{varied} eq $varied } @rows],
    'points', $varied eq 'distance' ? 'left' : 'right'] } 'none', 'fan-out', 'distance', 'window'));
