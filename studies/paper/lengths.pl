#!/usr/bin/perl
# Section 3: cost of a trace by its length, for both resolve policies. Reads `reference`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(sum);
use Paper;

my $reference = kept('reference');
my @lengths = @{setting('lengths')};
my @wanted = @{setting('length_programs')};
my @programs = grep { my $name = $_->{name}; $reference->{$name} &&
  (!@wanted || grep { $_ eq $name } @wanted) } programs();
my %title = (static => 'static', lookahead => 'look-ahead');

my (%cost, %per_branch, %kept);
for my $program (@programs) {
  my $name = $program->{name};
  my $ns_per_branch = $reference->{$name}{alone_ms} * 1e6 / $reference->{$name}{taken};
  for my $length (@lengths) {
    for my $policy (qw(static lookahead)) {
      # As many branches at every length as with 16 at 500k.
      my $period = 500_000 * $ns_per_branch * $length / 16;
      my $file = "length.$name.$policy.$length";
      run_cpu_ms(sprintf '%s record -q --no-children -c %d --resolve %s --branches %d -o %s -- %s', bin_file('softlbr'),
        $period, $policy, $length, $file,
        $program->{command});
      my $stats = -s work_file($file) ? stats_of(work_file($file)) : next;
      my $traces = $stats->{traces_complete} || next;
      my $us = sum(map { $stats->{overhead_ns}{$_} } qw(sampling evaluating lifting breakpoints)) / 1e3;
      push @{$cost{$policy}{$length}}, $us / $traces;
      push @{$per_branch{$policy}{$length}}, $us / $stats->{taken_branches};
      $kept{$name}{$policy}{$length} = {traces => $traces, us => $us, branches => $stats->{taken_branches},
        hits => $stats->{breakpoint_hits},
        share => $us * 1e3 / ($reference->{$name}{alone_ms} * 1e6)};
    }
  }
  note("$name: lengths");
}
my @rows;
for my $length (@lengths) {
  my @cells;
  for my $policy (qw(static lookahead)) {
    my @all = map { $kept{$_}{$policy}{$length} // () } sort keys %kept;
    push @cells, @all ? (number(geomean(@{$cost{$policy}{$length}})), number(geomean(@{$per_branch{$policy}{$length}})),
      percent(geomean(map { $_->{share} } @all), 2)) : ('', '', '');
  }
  push @rows, [$length, @cells];
}
my $text = "## Cost of a trace by its length (Figures 5 and 6 by length)\n\n"
  . 'Geometric means over ' . join(', ', map { $_->{name} } @programs) .
    ": microseconds of CPU time in handlers and traps for a trace, and for a branch of it. The\n"
  . "interval grows with the length, so that all rows record as many branches as 16 at 500k; `share` is the part of the program's CPU time that this takes.\n\n"
  . table(['branches', 'static: us a trace', 'us a branch', 'share', 'look-ahead: us a trace', 'us a branch', 'share'],
    @rows)
  . picture('lengths', 'Cost of a trace by its length',
    Chart::points('Cost of a trace by its length', ['taken branches in a trace', '', 2], ['us of CPU time', '', 10],
    map { my $policy = $_; [$title{$policy},
    [map { [$_, geomean(@{$cost{$policy}{$_}})] } grep { $cost{$policy}{$_} } @lengths],
    'linespoints'] } qw(static lookahead)));
# What a trace costs besides its branches: the line through the shortest and the longest.
my ($short, $long) = @lengths[0, -1];
if ($short < $long && $cost{lookahead}{$short} && $cost{lookahead}{$long}) {
  my $at = geomean(@{$cost{lookahead}{$long}});
  my $branch = ($at - geomean(@{$cost{lookahead}{$short}})) / ($long - $short);
  my $share = geomean(map { $kept{$_}{lookahead}{$long} ? $kept{$_}{lookahead}{$long}{share} : () } sort keys %kept);
  $text .= sprintf "With look-ahead, a trace takes some %.0f us, for the sample and for caches that the program has filled meanwhile, and %.2f us for each branch. Of a trace of\n"
    . "%d branches the branches are %.0f %%: if samples cost nothing at all, it would still be %.2f %% of the program's CPU time.\n\n",
    $at - $branch * $long, $branch, $long, 100 * $branch * $long / $at, 100 * $share * $branch * $long / $at;
}
keep('lengths', \%kept);
fragment('lengths', $text);
