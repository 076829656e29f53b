#!/usr/bin/perl
# Sections 3.2: cost by the number of threads: of breakpoints alone (Figure 6), and of whole recordings (Table 3).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use List::Util qw(sum);
use Paper;

my @threads = @{setting('threads')};
my $rounds = setting('thread_work') * 1000;
my $most = $threads[-1];

# --- breakpoints alone
# ------------------------------------------------------------------------------------------------------
my @costs = map { [split] } split /\n/, do {
  my $command = bin_file('breakpoint_contention') . ' ' . setting('contention') . " @threads";
  my $said = `$command`;
  die "threads.pl: fails: $command\n" if $? != 0;
  $said;
};
my $text = "## Breakpoints by the number of threads (Figure 6)\n\nMicroseconds of CPU time of the thread, medians over the threads, which all do the same at once, with an empty handler.\n\n"
  . table(['threads', 'set and clear', 'set, hit and clear'],
    map { [$_->[0], number($_->[1]), number($_->[2])] } @costs)
  . picture('contention', 'Cost of a breakpoint by threads',
    Chart::points('Cost of a breakpoint by the number of threads', ['threads', '', 2],
    ['us of CPU time', '', 10], ['set and clear', [map { [@$_[0, 1]] } @costs], 'linespoints'],
    ['set, hit and clear', [map { [@$_[0, 2]] } @costs], 'linespoints']))
  . "The paper sees the cost of a hit grow with the threads up to those of the machine (56 to 256), and explains it by a lock in the kernel's delivery of\n"
  . "signals. What this machine shows depends on its CPUs: threads beyond them wait, and do not contend.\n\n";

# --- whole recordings
# ------------------------------------------------------------------------------------------------------- Taken branches
# per round of work: counted by the emulator on a small part of it.
sub taken {
  my ($part) = @_;
  system('/bin/sh', '-c', "cd '$ENV{PAPER_WORK}' && " . bin_file('exact_counts') .
    " -o exact.threads -- ./thread_work 1 $part >/dev/null 2>emulator.threads") == 0
    or die "threads.pl: the emulator fails\n";
  open my $in, '<', work_file('emulator.threads') or die "emulator.threads: $!\n";
  my $said = join '', <$in>;
  return $said =~ /(\d+) taken branches/ ? $1 : die "threads.pl: the emulator says: $said\n";
}
my $taken_per_round = (taken(20000) - taken(10000)) / 10000;
my @alone = map { run_cpu_ms("./thread_work 1 $rounds") } 1 .. 3;
my $ns_per_branch = median(@alone) * 1e6 / ($rounds * $taken_per_round);

my @parts = qw(sampling evaluating lifting breakpoints);
# Shares of the CPU time of a recording, as in Table 3, and us per branch.
sub record {
  my ($threads, $method, $interval) = @_;
  my $file = "threads.$threads.$method.$interval";
  run_cpu_ms(record_options($method, $interval * $kMethod{$method}{factor} * $ns_per_branch, $file) .
    " ./thread_work $threads $rounds");
  my $stats = -s work_file($file) ? stats_of(work_file($file)) : return;
  my $app = $stats->{app_cpu_ns};
  my %ns = map { $_ => $stats->{overhead_ns}{$_} } @parts, 'control', 'switching', 'total';
  my $handlers = sum(map { $ns{$_} } @parts);
  return {threads => $threads, branches => $stats->{taken_branches}, traced => $stats->{threads_traced},
    untraced => $stats->{threads_untraced},
    us_per_branch => $stats->{taken_branches} ? $handlers / 1e3 / $stats->{taken_branches} : 0,
    shares => {map { $_ => $ns{$_} / $app } keys %ns},
    application => 1 - $handlers / $app};
}
my (%by_threads, @rows);
for my $threads (@threads) {
  my @cells;
  for my $method (@kMethods) {
    my $one = record($threads, $method, $kIntervals[0]) // next;
    $by_threads{$method}{$threads} = $one;
    push @cells, number($one->{us_per_branch});
  }
  push @rows, [$threads, $by_threads{static}{$threads}{traced}, @cells];
  note("$threads threads");
}
my @last = map { my $of = $by_threads{$_}; my $one = $of->{$threads[0]}{us_per_branch};
  $one ? sprintf('%.2f', $of->{$most}{us_per_branch} / $one) : '' } @kMethods;
$text .= "## Recording many threads (Table 3)\n\nA program whose threads share a fixed amount of work, at " .
  interval_name($kIntervals[0])
  . " taken branches: microseconds of CPU time in handlers and traps for a\nrecorded branch. A thread's first traces decode code that is in no cache of its CPU; the block cache is shared.\n\n"
  . table(['threads', 'traced', @kMethods], @rows, ["**$most to $threads[0]**", '', @last])
  . "As many threads at the paper's intervals; shares of the CPU time of the threads, as the recording itself tells. `application` is the rest.\n\n";
for my $method (@kMethods) {
  my @table;
  for my $interval (grep { $_ != 4_000_000 } @kIntervals) {
    my $one = $interval == $kIntervals[0] ? $by_threads{$method}{$most} : record($most, $method, $interval);
    next unless $one;
    push @table, [interval_name($interval), percent($one->{application}),
      map { percent($_) } $one->{shares}{breakpoints},
      $one->{shares}{evaluating} + $one->{shares}{lifting}, $one->{shares}{sampling}, $one->{shares}{control}];
  }
  $text .= ucfirst($kMethod{$method}{title}) . ", $most threads:\n\n" .
    table(['interval', 'application', 'breakpoints', 'decoding and evaluating', 'sampling', 'control'], @table);
}
keep('threads', {by_threads => \%by_threads, contention => \@costs});
fragment('threads', $text);
