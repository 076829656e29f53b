#!/usr/bin/perl
# Section 3: CPU time that recording adds, by interval (Table 1), and the share of each part of it (Figure 3). Reads
# `recordings`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Paper;

my $recordings = kept('recordings');
my $reference = kept('reference');
my ($runs, $start) = @$recordings{qw(runs start_ms)};
my @names = grep { $runs->{$_} } map { $_->{name} } programs();

# Added CPU time of one run, relative to the program alone, without the start and end of the recording.
sub added { my ($run, $method) = @_; return ($run->{cpu_ms} - $start->{$method}) / $run->{alone_ms} - 1 }
# What the profile says about the handlers, relative to the program's own CPU time: the control thread and the switches
# not included.
my @parts = qw(sampling evaluating lifting breakpoints);
sub told {
  my ($run, @which) = @_;
  my $stats = $run->{stats} // return 0;
  my $sum = 0;
  $sum += $stats->{overhead_ns}{$_} for @which;
  return $stats->{app_cpu_ns} ? $sum / ($run->{alone_ms} * 1e6) : 0;
}

my $text = "## Overhead against interval (Table 1)\n\n"
  . "CPU time that recording adds, relative to the program alone: user and system time of all processes, the command and its helper included,\n"
  . 'medians of ' . setting('rounds') . " pairs that alternate in order. The start and the end of a recording are left out, because a run of the paper's\n"
  . 'takes minutes and pays them once: ' . join(', ', map { sprintf '%.1f ms (%s)', $start->{$_}, $_ } @kMethods) .
    ", the CPU time added to `true`.\n"
  . "In brackets what the profile itself says of the time in our handlers and traps, which has no noise. Spread: half the distance between\n"
  . "the quartiles of the rounds, as median over programs and intervals. Negative figures are noise.\n\n";
my %summary;
for my $method (@kMethods) {
  my (@rows, %column, @spread);
  for my $name (@names) {
    my @row = ($name);
    for my $interval (@kIntervals) {
      my @runs = @{$runs->{$name}{$method}{$interval}};
      my @added = map { added($_, $method) } @runs;
      my $told = median(map { told($_, @parts) } @runs);
      my ($low, $high) = quartiles(@added);
      push @spread, ($high - $low) / 2;
      push @{$column{$interval}{cpu}}, 1 + median(@added);
      push @{$column{$interval}{told}}, 1 + $told;
      push @row, percent(median(@added)) . ' (' . percent($told) . ')';
    }
    push @rows, \@row;
  }
  my @last = ('**geometric mean**');
  for my $interval (@kIntervals) {
    my ($cpu, $told) = map { geomean(@{$column{$interval}{$_}}) - 1 } qw(cpu told);
    push @last, percent($cpu) . ' (' . percent($told) . ')';
    $summary{$method}{$interval} = {cpu => $cpu, told => $told};
  }
  $text .= ucfirst($kMethod{$method}{title}) . ", spread " . percent(median(@spread)) . ":\n\n"
    . table(['program', map { interval_name($_) } @kIntervals], @rows, \@last);
}
my $dense = $kIntervals[0];
$text .= sprintf "The paper's geometric means at 500k and 5000k are 13.65 %% and 1.65 %% on Broadwell, 11.78 %% and 1.49 %% on Rome. For as many branches as the\n"
  . "densest interval gives, traces of 128 branches cost %s by the clocks, %.0f times less than the paper's method here.\n\n",
  percent($summary{long}{$dense}{told}, 3), $summary{static}{$dense}{told} / ($summary{long}{$dense}{told} || 1e-9);

$text .= "## Cost by part (Figure 3)\n\nShares of the CPU time of the program alone at the densest interval (" .
  interval_name($dense) . ' taken branches). `control` is the thread'
  . "\nthat writes the profile and follows modules and threads; `switching` the kernel's work for our events at context switches.\n\n";
my @shown = (@parts, qw(control switching));
for my $method (@kMethods) {
  my (@rows, %values);
  for my $name (@names) {
    my @shares = map { my $part = $_; median(map { told($_, $part) } @{$runs->{$name}{$method}{$dense}}) } @shown;
    push @{$values{$shown[$_]}}, 100 * $shares[$_] for 0 .. $#shown;
    push @rows, [$name, map { percent($_, 3) } @shares];
  }
  $text .= ucfirst($kMethod{$method}{title}) . ":\n\n" . table(['program', @shown], @rows)
    . picture("parts_$method", "Cost by part, $method",
      Chart::bars('bars', "Cost by part, $kMethod{$method}{title}", ['of the CPU time', '%'], \@names,
      map { [$_, $values{$_}] } @shown));
}
$text .= "Without samples nothing of this is spent but the start, the end and `control`, whose rounds follow the clock and not the interval: at long\n"
  . "intervals it is the largest part of what look-ahead costs.\n\n";
keep('collection_overhead', \%summary);
fragment('collection_overhead', $text);
