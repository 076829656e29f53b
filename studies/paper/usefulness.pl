#!/usr/bin/perl
# Section 3.1: fractions of taken and of static branches, and how many taken branches a breakpoint yields (Figure 4);
# traces per second; cost of a breakpoint and of decoding (Figure 5). Reads `reference` and `recordings`.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(sum);
use Paper;

my $reference = kept('reference');
my $runs = kept('recordings')->{runs};
my $dense = $kIntervals[0];
my @names = grep { $runs->{$_} } map { $_->{name} } programs();

# Sums of a counter over the rounds.
sub total {
  my ($name, $method, @path) = @_;
  my $sum = 0;
  for my $run (@{$runs->{$name}{$method}{$dense}}) {
    my $value = $run->{stats} // next;
    $value = $value->{$_} for @path;
    $sum += $value;
  }
  return $sum;
}
# CPU time of the handlers and traps.
sub handler_ns { my ($name, $method) = @_;
return sum(map { total($name, $method, 'overhead_ns', $_) } qw(sampling evaluating lifting breakpoints)) }
sub per { my ($a, $b) = @_; return $b ? $a / $b : 0 }

my (@fractions, @costs, %kept, %figure);
for my $name (@names) {
  my $one = $reference->{$name};
  my $executed = $one->{executed};
  my $branches = sum(map { $_ eq 'none' ? 0 : $executed->{$_} } keys %$executed);
  my $static = sum(map { $executed->{$_} // 0 } qw(jump call));
  my $s = $static / $branches;
  my $t = ($one->{taken} - $static) / ($branches - $static);
  my $usefulness = $t / (1 - $s);
  my $yield = $one->{taken} / ($branches - $static);
  my $measured = per(total($name, 'static', 'taken_branches'), total($name, 'static', 'breakpoint_hits'));
  my %second = map { $_ => per(total($name, $_, 'traces_complete'), total($name, $_, 'app_cpu_ns') / 1e9) } @kMethods;
  push @fractions, [$name, percent($t, 1), percent($s, 1), number($usefulness), number($yield), number($measured),
    (total($name, 'lookahead', 'breakpoint_hits') ? '' : 'more than ')
      . number(per(total($name, 'lookahead', 'taken_branches'), total($name, 'lookahead', 'breakpoint_hits') || 1)),
    sprintf('%.0f', $second{static}), sprintf('%.0f', $second{lookahead}), sprintf('%.0f', $second{long})];
  push @costs, [$name, map { number($_) } per(total($name, 'static', 'overhead_ns', 'breakpoints'),
    1e3 * total($name, 'static', 'breakpoint_hits')),
    per(total($name, 'static', 'overhead_ns', 'evaluating') + total($name, 'static', 'overhead_ns', 'lifting'),
    1e3 * total($name, 'static', 'block_lookups')),
    map { per(handler_ns($name, $_), 1e3 * total($name, $_, 'taken_branches')) } @kMethods];
  $kept{$name} = {t => $t, s => $s, usefulness => $usefulness, yield => $yield, measured => $measured};
  push @{$figure{$_->[0]}}, $_->[1] for ['t', $t], ['s', $s], ['usefulness', $usefulness];
}

my @all = values %kept;
my $text = "## Breakpoint usefulness and traces per second (Figure 4)\n\n"
  . "Fractions of the executed branches of the whole run, counted by the emulator: *s* are direct jumps and direct calls, which decoding alone\n"
  . "resolves; *t* is the taken part of the others. The paper's usefulness factor is t/(1-s). A trace also records the static branches between two\n"
  . "breakpoints, so a breakpoint yields t + s/(1-s) taken branches: `exact`. `recorded` is what it yielded in the recordings at " . interval_name($dense) . ",\n"
  . "which sample by time and not by branches. Traces per second of the program's CPU time at the same interval.\n\n"
  . table(['program', 't', 's', 'usefulness', 'yield: exact', 'recorded, static', 'recorded, look-ahead',
    'traces/s: static', 'look-ahead', 'long'], @fractions)
  . sprintf("Geometric mean of the usefulness factor: %.2f; the paper's is 0.6. `more than` marks recordings without a single hit.\n\n", geomean(map { $_->{usefulness} } @all))
  . picture('usefulness', 'Taken and static branches',
    Chart::bars('groups', 'Fractions of taken (t) and static (s) branches, and usefulness t/(1-s)', ['', '', '', 1],
    \@names,
    map { [$_, $figure{$_}] } qw(t s usefulness)));
$text .= "## Cost of a breakpoint and of decoding (Figure 5)\n\n"
  . "Microseconds of CPU time at the same interval. A breakpoint: setting it, the trap, and our handler without decoding; the paper measured about 9 us on\n"
  . "Broadwell. Decoding: per block that the static policy looks up, whose instructions are decoded once and found in a cache later. The other\n"
  . "columns: all work in handlers and traps, per recorded taken branch.\n\n"
  . table(['program', 'us per breakpoint', 'us of decoding per block', 'us per branch: static', 'look-ahead', 'long'],
    @costs);
keep('usefulness', \%kept);
fragment('usefulness', $text);
