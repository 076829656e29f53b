# Recordings and virtual LBRs of the same event with as many traces each, which similarity.pl and more_traces.pl
# compare.
#
# The virtual LBR is `clock_lbr` (tests/reference): the program runs natively, and is single-stepped over 16 taken
# branches each time it has used so much CPU time.
package SameEvent;
use strict;
use warnings;
use Exporter qw(import);
use List::Util qw(max);
use POSIX qw(ceil);
use Paper;

our @EXPORT = qw(shell merge read_twice);

sub shell {
  my ($command) = @_;
  system('/bin/sh', '-c', "cd '$ENV{PAPER_WORK}' && $command >/dev/null 2>stderr.$$ </dev/null") == 0 or
    die "studies/paper: fails: $command\n" . `cat $ENV{PAPER_WORK}/stderr.$$`;
}
# Adds up profiles in the file `out` of PAPER_WORK, and returns its name; undef if there is none.
sub merge {
  my ($out, @files) = @_;
  shell(bin_file('softlbr') . " merge --keep-outliers -o $out @files") if @files;
  return -s work_file($out) ? $out : undef;
}

# One process of the loop below: one reading of the virtual LBR, and with the first one the recordings.
sub read_once {
  my ($prefix, $program, $which) = @_;
  my ($name, $period) = @$program{qw(name period)};
  my @parts;
  for my $time (1 .. $program->{times}) {
    push @parts, "${prefix}clock$which.$name.$time";
    shell(bin_file('clock_lbr') . " -o $parts[-1] -c $period -- $program->{command}");
  }
  merge("${prefix}clock$which.$name", @parts);
  return if $which != 1;
  for my $method (qw(static lookahead)) {
    my @recorded;
    for my $time (1 .. $program->{times}) {
      push @recorded, "${prefix}same.$method.$name.$time";
      shell(record_options($method, $period, $recorded[-1]) . " $program->{command}");
    }
    merge("${prefix}same.$method.$name", @recorded);
  }
}

# Leaves PREFIXclock1.NAME, PREFIXclock2.NAME, PREFIXsame.static.NAME and PREFIXsame.lookahead.NAME of each program,
# each with about `wanted` traces. Returns the programs of which that worked. Each has {name, command, alone_ms}.
#
# The program's CPU time is cut in `wanted` parts, but none so short that the caches, which stepping empties, make the
# program another one; then the program runs more than once.
sub read_twice {
  my ($prefix, $wanted, @programs) = @_;
  my $shortest_ns = 500_000;
  my @queue;
  for my $program (@programs) {
    my $alone_ns = $program->{alone_ms} * 1e6;
    $program->{period} = max($shortest_ns, int($alone_ns / $wanted));
    $program->{times} = max(1, ceil($wanted * $program->{period} / $alone_ns - 0.1));
    push @queue, map { [$program, $_] } 1, 2;
  }
  # Two at a time: nothing here is timed.
  my %running;
  while (@queue || %running) {
    while (@queue && keys %running < 2) {
      my ($program, $which) = @{shift @queue};
      my $pid = fork // die "fork: $!\n";
      if ($pid == 0) {
        read_once($prefix, $program, $which);
        POSIX::_exit(0);
      }
      $running{$pid} = $program->{name};
    }
    my $pid = waitpid -1, 0;
    my $name = delete $running{$pid} // next;
    if ($? != 0) { note("studies/paper: $name is left out"); @programs = grep { $_->{name} ne $name } @programs }
  }
  return @programs;
}

1;
