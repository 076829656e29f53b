#!/usr/bin/perl
# Section 4: similarity of recordings to a virtual LBR that samples by the same event, and to exact counts (Tables 4 and
# 5). Reads `reference` and `recordings`.
#
# Two readings of the virtual LBR tell how much of a difference is chance.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(min);
use Paper;
use SameEvent;

my $reference = kept('reference');
my $runs = kept('recordings')->{runs};
my @programs = grep { $reference->{$_->{name}} && $runs->{$_->{name}} } programs();

# --- recordings with as many traces each, by the same event
# -----------------------------------------------------------------
$_->{alone_ms} = $reference->{$_->{name}}{alone_ms} for @programs;
@programs = read_twice('', setting('reference_traces'), @programs);
for my $name (map { $_->{name} } @programs) { merge("clock.$name", "clock1.$name", "clock2.$name") }

# --- same event, same number of traces
# --------------------------------------------------------------------------------------
my (%same, @rows);
my @pairs = (['chance', 'clock1', 'clock2'], ['static', 'clock1', 'same.static'],
  ['lookahead', 'clock1', 'same.lookahead'],
  ['methods', 'same.static', 'same.lookahead'], ['virtual', 'virtual', 'clock']);
for my $name (map { $_->{name} } @programs) {
  $same{$name}{$_->[0]} = overlap_of(work_file("$_->[1].$name"), work_file("$_->[2].$name")) for @pairs;
  my $stats = stats_of(work_file("same.lookahead.$name"));
  $same{$name}{traces} = $stats->{traces_complete};
  push @rows, [$name, $stats->{traces_complete},
    map { percent($same{$name}{$_->[0]}{branch}, 1) . ' / ' . percent($same{$name}{$_->[0]}{function}, 1) } @pairs];
  note("$name: compared");
}
sub summary {
  my ($title, $of) = @_;
  my @cells = map { my $pair = $_->[0];
    join ' / ', map { my $by = $_; percent($of->(map { $same{$_}{$pair}{$by} } keys %same),
      1) } qw(branch function) } @pairs;
  return ["**$title**", '', @cells];
}
my $text = "## Similarity to a virtual LBR sampled by the same event (section 4)\n\n"
  . "The virtual LBR runs the program natively, and single-steps it over 16 taken branches at each sample of the clock of its CPU time: what a faultless\n"
  . "recorder would show, with the recorder's own event. All have about as many traces. `chance`: two readings of the virtual LBR; no\n"
  . "recorder can be expected to be closer. `static to look-ahead`: two recorders that resolve branches in different ways; where they agree with each\n"
  . "other more than with the virtual LBR, which stops the program at each reading, the difference is in where samples fall. `by event`: the virtual LBR by clock against the virtual LBR that the emulator reads behind every 10,007th\n"
  . "taken branch: the difference that the event alone makes. Each entry: overlap by branch / by function; the paper's profile_diff weighs functions.\n\n"
  . table(['program', 'traces', 'chance', 'static', 'look-ahead', 'static to look-ahead', 'by event'], @rows,
    summary('geometric mean', \&geomean), summary('lowest', \&min))
  . "The paper has 96.6 % on Intel and 91.2 % on AMD, against an LBR that samples taken branches, with its lowest program at 85.8 and 73.2 %.\n\n";

# --- by interval
# ------------------------------------------------------------------------------------------------------------
my (%overlap, %size);
for my $name (map { $_->{name} } @programs) {
  for my $method (@kMethods) {
    for my $interval (@kIntervals) {
      my @files = map { $_->{file} // () } @{$runs->{$name}{$method}{$interval}};
      my $file = @files ? merge("merged.$name.$method.$interval", @files) : undef;
      next unless $file;
      my $stats = stats_of(work_file($file));
      next unless $stats->{taken_branches};
      push @{$size{$method}{$interval}{traces}}, $stats->{traces_complete};
      push @{$size{$method}{$interval}{expected}}, $stats->{expected_overlap} // 0;
      $overlap{$_}{$name}{$method}{$interval} = overlap_of(work_file("$_.$name"), work_file($file)) for qw(clock exact);
    }
  }
  note("$name: by interval");
}
my %title = (clock => "the virtual LBR by clock (both readings)", exact => 'exact counts of the whole run');
my %number = (clock => 4, exact => 5);
for my $to (qw(clock exact)) {
  $text .= "## Similarity by interval, to $title{$to} (Table $number{$to})\n\n";
  $text .= 'All rounds of an interval added up, ' . setting('rounds') .
    " runs of some tenths of a second, where the paper has five of minutes. So a long interval has few\n"
    . "traces, and the column for chance says what two recordings of that size are expected to have in common (`softlbr stats`). "
    . "By branch / by function,\ngeometric means over the programs.\n\n";
  my @lines;
  for my $method (@kMethods) {
    for my $interval (@kIntervals) {
      my @all = map { $overlap{$to}{$_}{$method}{$interval} // () } map { $_->{name} } @programs;
      next unless @all;
      push @lines, [$method, interval_name($interval), sprintf('%.0f', median(@{$size{$method}{$interval}{traces}})),
        percent(geomean(@{$size{$method}{$interval}{expected}}), 1), percent(geomean(map { $_->{branch} } @all), 1),
        percent(geomean(map { $_->{function} } @all), 1), percent(min(map { $_->{function} } @all), 1)];
    }
  }
  $text .= table(['method', 'interval', 'traces (median)', 'chance, by branch', 'by branch', 'by function',
    'lowest by function'], @lines);
  for my $method (qw(static long)) {
    $text .= ucfirst($kMethod{$method}{title}) . ", by function:\n\n"
      . table(['program', map { interval_name($_) } @kIntervals], map { my $name = $_->{name};
        [$name, map { my $one = $overlap{$to}{$name}{$method}{$_}; $one ? percent($one->{function}, 1) :
          'no sample' } @kIntervals] } @programs);
  }
}
keep('similarity', {same => \%same, overlap => \%overlap});
fragment('similarity', $text);
