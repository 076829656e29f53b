#!/usr/bin/perl
# The recordings that several experiments read: each program, interval and method, alternating with the program alone.
#
# An interval is a number of taken branches, as in the paper. This machine's sampler is a clock, so an interval becomes
# the CPU time in which the program takes that many branches: its exact count and its CPU time alone tell
# (reference.pl).
#
# A round runs, for each interval, the program alone and then recorded in each way, the next round in the opposite
# order: slow changes of the machine meet all alike. Leaves the profiles in PAPER_WORK, and `recordings.json`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Paper;

my $reference = kept('reference');
my (%runs, %start_ms);

# What the start and the end of a recording cost, by method: a recording of a program that ends at once.
my @true;
for my $round (1 .. setting('starts')) {
  my $alone = run_cpu_ms('/bin/true');
  push @{$start_ms{$_}}, run_cpu_ms(record_options($_, 1_000_000, 'start.slbr') . ' /bin/true 2>/dev/null || true')
    - $alone for @kMethods;
}
$start_ms{$_} = median(@{$start_ms{$_}}) for @kMethods;

for my $program (grep { $reference->{$_->{name}} } programs()) {
  my $name = $program->{name};
  my $one = $reference->{$name};
  my $ns_per_branch = $one->{alone_ms} * 1e6 / $one->{taken};
  for my $round (1 .. setting('rounds')) {
    for my $interval (@kIntervals) {
      my @order = ('alone', @kMethods);
      @order = reverse @order if $round % 2 == 0;
      my %cpu;
      for my $way (@order) {
        my $file = "$name.$way.$interval.$round.slbr";
        my $period = $way eq 'alone' ? 0 : $interval * $kMethod{$way}{factor} * $ns_per_branch;
        $cpu{$way} = run_cpu_ms($way eq 'alone' ? $program->{command} :
          record_options($way, $period, $file) . " $program->{command}");
        next if $way eq 'alone';
        my $stats = -s work_file($file) ? stats_of(work_file($file)) : undef;
        undef $stats unless $stats && $stats->{taken_branches};  # not one sample
        delete @$stats{qw(modules sessions lost)} if $stats;
        push @{$runs{$name}{$way}{$interval}}, {file => $stats ? $file : undef, cpu_ms => $cpu{$way}, stats => $stats};
      }
      $runs{$name}{$_}{$interval}[-1]{alone_ms} = $cpu{alone} for @kMethods;
    }
  }
  note("$name: recorded");
}
keep('recordings', {runs => \%runs, start_ms => \%start_ms});
fragment('recordings', '');
