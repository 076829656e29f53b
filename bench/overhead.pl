#!/usr/bin/perl
# Measures the CPU time that `softlbr record` adds to programs. overhead.sh makes their inputs and calls this.
#
# Use: overhead.pl SOFTLBR TABLE ROUNDS [PROGRAM...], in the folder with the inputs
#
# Each round runs a program alone, recorded, and recorded densely, in turns of changing order, so that slow changes of
# the machine meet all alike. A run's CPU time is that of a control group in which it runs: user and system time of the
# program, its children, the command `softlbr record` and the helper process, which no process waits for. The cost is
# the median of the ratios of the pairs.
#
# A dense recording may take a quarter of the CPU time, which stands out from the noise as the default's hundredth does
# not. It shows what a recording takes for each nanosecond that it tells of; that, times what the default tells, is what
# the default takes.
use strict;
use warnings;
use File::Path qw(make_path);
use List::Util qw(max);
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(sleep time);

my ($softlbr, $table, $rounds, @only) = @ARGV;
die "usage: overhead.pl SOFTLBR TABLE ROUNDS [PROGRAM...]\n" unless defined $rounds && -x $softlbr;
my $profile = 'overhead.slbr';
my $dense = '-c 400009 --branches 1024 --max-overhead 25%';
my $bar = 0.02;

# --- control group: that of cgroup v1's cpuacct or of v2
# ------------------------------------------------------------------
my ($group, $is_v1);
for my $root ('/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup/unified', '/sys/fs/cgroup') {
  next unless -e "$root/cgroup.procs";
  $group = "$root/softlbr-overhead-$$";
  if (mkdir $group) {
    $is_v1 = -e "$group/cpuacct.usage";
    last if $is_v1 || -e "$group/cpu.stat";
    rmdir $group;
  }
  undef $group;
}
unless (defined $group) {
  print STDERR "overhead.pl: no control group can be made below /sys/fs/cgroup: run this as root\n";
  exit 2;
}
END { rmdir $group if defined $group }
$SIG{INT} = $SIG{TERM} = sub { exit 130 };

sub slurp { my ($file) = @_; open my $in, '<', $file or return ''; local $/; return scalar <$in> }

sub used_ms {
  return slurp("$group/cpuacct.usage") / 1e6 if $is_v1;
  return slurp("$group/cpu.stat") =~ /^usage_usec (\d+)/m ? $1 / 1e3 : 0;
}

# Runs a command in the control group, and the client outside. Returns CPU ms and wall ms; $? is not 0 if either failed.
sub run {
  my ($command, $client) = @_;
  my ($before, $began) = (used_ms(), time);
  my $pid = fork // die "fork: $!\n";
  if ($pid == 0) {
    open my $procs, '>', "$group/cgroup.procs" or die "$group: $!\n";
    print $procs $$;
    close $procs;
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', 'stderr';
    exec '/bin/sh', '-c', "exec $command";
  }
  my $client_status = $client ? system("./$client >/dev/null 2>&1") : 0;
  waitpid $pid, 0;
  my $status = $? || $client_status;
  my $wall = time - $began;
  # The helper may take a moment longer.
  for (1 .. 500) {
    last if slurp("$group/cgroup.procs") eq '';
    sleep 0.01;
  }
  $? = $status;
  return (used_ms() - $before, $wall * 1e3);
}

sub median { my @v = sort { $a <=> $b } @_; return ($v[$#v / 2] + $v[@v / 2]) / 2 }
# Standard error of the median, estimated by the median deviation.
sub error { my $m = median(@_); return 1.25 * 1.48 * median(map { abs($_ - $m) } @_) / sqrt @_ }

# What the profile says: overhead as a share of the program's CPU time. Nothing without a profile, as of a program
# without a sample.
sub told {
  my $json = `$softlbr stats --json $profile 2>/dev/null`;
  my ($cpu) = $json =~ /"app_cpu_ns": (\d+)/;
  my ($total) = $json =~ /"total": (\d+)/;
  return $cpu ? ($total / $cpu) : ();
}

sub measure {
  my ($command, $client, $rounds) = @_;
  my @ways = ($command, map { "$softlbr record -o $profile $_ -- $command" } ('--production', $dense));
  my (@ms, @wall, @told);
  for my $round (1 .. $rounds) {
    for my $way (map { ($_ + $round) % @ways } 0 .. $#ways) {
      unlink $profile;
      my ($cpu, $wall) = run($ways[$way], $client);
      push @{$ms[$way]}, $cpu;
      push @wall, $wall if $way == 0;
      push @{$told[$way]}, $way ? told() : ();
    }
  }
  return {alone => $ms[0], with => $ms[1], dense => $ms[2], wall => median(@wall), told => $told[1],
    told_dense => $told[2]};
}

sub percent { return sprintf('%.2f%%', 100 * $_[0]) }
sub ratios { my ($with, $alone) = @_; return map { $with->[$_] / $alone->[$_] - 1 } 0 .. $#$alone }
sub added { my ($m) = @_; return map { $m->{with}[$_] - $m->{alone}[$_] } 0 .. $#{$m->{alone}} }

# --- measurement
# ----------------------------------------------------------------------------------------------------------
$| = 1;
# What the start and the end of a recording cost, whatever the program.
my $start_ms = median(added(measure("/bin/true", undef, max(21, $rounds))));
printf "Start and end of a recording: %.1f ms of CPU time: above %.0f %% of a program that uses less than %.1f s.\n\n",
  $start_ms, $bar * 100,
  $start_ms / ($bar * 1000);
printf "%-16s %-7s %9s %9s %9s %8s %8s %9s %9s %8s %8s %9s\n", 'program', 'kind', 'alone ms', 'added ms', 'added', '+-',
  'told', 'dense', 'told', 'ratio', '+-',
  'expected';

my (@costs, @breaches, @skipped);
open my $in, '<', $table or die "$table: $!\n";
while (<$in>) {
  next if /^\s*(#|$)/;
  chomp;
  my ($name, $kind, $command, $client) = split / +\| +/;
  next if @only && !grep { $_ eq $name } @only;
  $command =~ s/\$(\w+)/$ENV{$1} \/\/ ''/ge;
  my ($program) = split ' ', $command;
  if (system("command -v $program >/dev/null 2>&1") != 0) {
    push @skipped, $name;
    next;
  }
  run($command, $client);  # files into memory
  if ($? != 0) {
    push @skipped, $name . " (fails: exit status " . ($? >> 8) . ")";
    next;
  }
  my $m = measure($command, $client, $rounds);
  my $alone = median(@{$m->{alone}});
  my $added = median(added($m));
  my @ratio = $kind eq 'idle' ? map { $_ / $m->{wall} } added($m) : ratios($m->{with}, $m->{alone});
  my ($ratio, $error) = (median(@ratio), error(@ratio));
  my @told = @{$m->{told} // []};
  my @columns = ('-') x 6;
  # The bar is for what noise does not explain.
  my ($cost, $cost_error) = ($ratio - $start_ms / ($kind eq 'idle' ? $m->{wall} : $alone), $error);
  if ($kind ne 'idle' && @told == $rounds && @{$m->{told_dense} // []} == $rounds) {
    my @dense = ratios($m->{dense}, $m->{alone});
    # What is told is a share of the CPU time with the recording; what is added, of that without.
    my @scale = map { my $told = $m->{told_dense}[$_]; $dense[$_] / ($told / (1 - $told)) } 0 .. $#dense;
    ($cost, $cost_error) = (median(@told) * median(@scale), median(@told) * error(@scale));
    @columns = (percent(median(@told)), percent(median(@dense)), percent(median(@{$m->{told_dense}})),
      sprintf('%.2f', median(@scale)),
      sprintf('%.2f', error(@scale)), percent($cost));
  }
  my $mark = '';
  if ($kind ne 'short') {
    push @costs, [$cost, $name];
    if ($cost - 2 * $cost_error > $bar) { $mark = ' above the bar'; push @breaches, $name }
  }
  printf "%-16s %-7s %9.1f %9.1f %9s %8s %8s %9s %9s %8s %8s %9s%s\n", $name, $kind, $alone, $added, percent($ratio),
    percent($error), @columns, $mark;
}
exit 2 unless @costs;
my ($worst) = sort { $b->[0] <=> $a->[0] } @costs;
printf "\n%d programs; worst %.2f%% (%s), median %.2f%%\n", scalar(@costs), 100 * $worst->[0], $worst->[1],
  100 * median(map { $_->[0] } @costs);
print 'skipped, as they are not installed or fail: ', join(' ', @skipped), "\n" if @skipped;
exit(@breaches ? 1 : 0);
