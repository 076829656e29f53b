#!/usr/bin/perl
# The first table of the page: what the paper has, what is asked of softlbr, and what the other experiments measured.
# Reads all of them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(min);
use Paper;

my $overhead = kept('collection_overhead');
my $lengths = kept('lengths');
my $threads = kept('threads')->{by_threads};
my $same = kept('similarity')->{same};
my $off = kept('off');
my $dense = $kIntervals[0];
my ($one, $most) = @{setting('threads')}[0, -1];
my $longest = (@{setting('lengths')})[-1];

sub row { my ($what, $paper, $bar, $here, $is_met) = @_; return [$what, $paper, $bar, $here, $is_met ? 'yes' : 'no'] }
sub similar { my ($pair, $by, $of) = @_; return $of->(map { $same->{$_}{$pair}{$by} } keys %$same) }
sub growth {
  my ($method) = @_;
  my $of = $threads->{$method};
  return $of->{$one} && $of->{$one}{us_per_branch} ? $of->{$most}{us_per_branch} / $of->{$one}{us_per_branch} : 0;
}

my $default = $overhead->{long}{$dense}{told};
my @shares = map { $lengths->{$_}{lookahead}{$longest}{share} // () } sort keys %$lengths;
my $long = @shares ? geomean(@shares) : 1;
my @rows = (
  row('handlers and traps, for as many branches as 16 at ' . interval_name($dense) . ', traces of 128', '13.65 %',
  'at most 0.5 %', percent($default), $default <= 0.005),
  row("the same, traces of $longest, programs of the table by length", '13.65 %', 'at most 0.5 %', percent($long),
  $long <= 0.005),
  row('overlap with a virtual LBR of the same event, by function, geometric mean', '96.6 %', 'at least 99 %',
    percent(similar('lookahead', 'function', \&geomean), 1) . '; two virtual LBRs: ' .
    percent(similar('chance', 'function', \&geomean), 1),
    similar('lookahead', 'function', \&geomean) >= 0.99),
  row('the same, lowest program', '85.8 %', 'at least 97 %',
    percent(similar('lookahead', 'function', \&min), 1) . '; two virtual LBRs: ' .
    percent(similar('chance', 'function', \&min), 1),
    similar('lookahead', 'function', \&min) >= 0.97),
  map({ row("us per branch, $most threads to $one, $_", 'grows with the CPUs', 'at most 1.25',
  sprintf('%.2f', growth($_)), growth($_) > 0 && growth($_) <= 1.25) } @kMethods),
  row('CPU time of work after a session, to that without one', '1', '1',
  sprintf('%.4f, quartiles %.4f to %.4f', @$off{qw(ratio low high)}),
    $off->{low} <= 1 && $off->{high} >= 1),
);
my $text = "## In short\n\n" . table(['what', 'paper', 'asked', 'here', 'met'], @rows)
  . "Where an overlap falls short, the overlap of two virtual LBRs beside it tells how much is chance: both have as many traces as the recording, and no\n"
  . "recorder can be expected to come closer. More traces bring both nearer to 1: see \"The same with more traces\". Why the bars of overhead are missed: see\n"
  . "\"Cost of a trace by its length\".\n\n";
keep('bars', [map { {what => $_->[0], met => $_->[4]} } @rows]);
fragment('bars', $text);
