#!/usr/bin/perl
# Measures the CPU time that `softlbr record` adds to programs. overhead.sh makes their inputs and calls this.
#
# Use: overhead.pl SOFTLBR TABLE ROUNDS [PROGRAM...], in the folder with the inputs
#
# Each round runs a program alone and recorded, in turns of changing order, so that slow changes of the machine meet both alike. A
# run's CPU time is that of a control group in which it runs: user and system time of the program, its children, the command
# `softlbr record` and the helper process, which no process waits for. The cost is the median of the ratios of the pairs.
use strict;
use warnings;
use File::Path qw(make_path);
use List::Util qw(max sum);
use POSIX qw(:sys_wait_h);
use Time::HiRes qw(sleep time);

my ($softlbr, $table, $rounds, @only) = @ARGV;
die "usage: overhead.pl SOFTLBR TABLE ROUNDS [PROGRAM...]\n" unless defined $rounds && -x $softlbr;
my $profile = 'overhead.slbr';
my $bar = 0.02;

# --- control group: that of cgroup v1's cpuacct or of v2 ------------------------------------------------------------------
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

# What the profile says: overhead as a share of the program's CPU time. Nothing without a profile, as of a program without a sample.
sub told {
  my $json = `$softlbr stats --json $profile 2>/dev/null`;
  my ($cpu) = $json =~ /"app_cpu_ns": (\d+)/;
  my ($total) = $json =~ /"total": (\d+)/;
  return $cpu ? ($total / $cpu) : ();
}

sub measure {
  my ($command, $client, $rounds) = @_;
  my $recorded = "$softlbr record -o $profile -- $command";
  my (@alone, @with, @wall, @told);
  for my $round (1 .. $rounds) {
    my @order = $round % 2 ? (0, 1) : (1, 0);
    my @ms;
    for my $is_recorded (@order) {
      unlink $profile;
      my ($cpu, $wall) = run($is_recorded ? $recorded : $command, $client);
      $ms[$is_recorded] = $cpu;
      push @wall, $wall unless $is_recorded;
      push @told, told() if $is_recorded;
    }
    push @alone, $ms[0];
    push @with, $ms[1];
  }
  return {alone => \@alone, with => \@with, wall => median(@wall), told => @told ? median(@told) : undef};
}

sub added { my ($m) = @_; return map { $m->{with}[$_] - $m->{alone}[$_] } 0 .. $#{$m->{alone}} }

# --- measurement ----------------------------------------------------------------------------------------------------------
$| = 1;
# What the start and the end of a recording cost, whatever the program.
my $start_ms = median(added(measure("/bin/true", undef, max(21, $rounds))));
printf "Start and end of a recording: %.1f ms of CPU time: above %.0f %% of a program that uses less than %.1f s.\n\n", $start_ms, $bar * 100,
  $start_ms / ($bar * 1000);
printf "%-16s %-7s %9s %9s %9s %8s %8s  %s\n", 'program', 'kind', 'alone ms', 'added ms', 'added', '+-', 'told', 'without start';

my (@shares, @ratios, @breaches, @skipped);
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
  my $base = $kind eq 'idle' ? $m->{wall} : $alone;
  my @ratio = map { ($_ + 0.0) / $base } added($m);
  # Each pair by its own denominator where that is CPU time.
  @ratio = map { $m->{with}[$_] / $m->{alone}[$_] - 1 } 0 .. $#{$m->{alone}} if $kind ne 'idle';
  my ($ratio, $error) = (median(@ratio), error(@ratio));
  my $rest = $ratio - $start_ms / $base;
  my $mark = '';
  if ($kind ne 'short') {
    push @shares, [$rest, $name];
    push @ratios, 1 + $rest if $kind ne 'idle';
    # What the noise does not explain.
    if ($rest - 2 * $error > $bar) { $mark = ' above the bar'; push @breaches, $name }
  }
  printf "%-16s %-7s %9.1f %9.1f %8.2f%% %7.2f%% %8s  %s%s\n", $name, $kind, $alone, $added, 100 * $ratio, 100 * $error,
    defined $m->{told} ? sprintf('%.2f%%', 100 * $m->{told}) : '-',
    $kind eq 'short' ? '-' : sprintf('%.2f%%', 100 * $rest), $mark;
}
exit 2 unless @shares;
my ($worst) = sort { $b->[0] <=> $a->[0] } @shares;
printf "\n%d programs; worst %.2f%% (%s)", scalar(@shares), 100 * $worst->[0], $worst->[1];
printf ", geometric mean %.2f%%", 100 * (exp(sum(map { log } @ratios) / @ratios) - 1) if @ratios;
print "\n";
print 'skipped, as they are not installed or fail: ', join(' ', @skipped), "\n" if @skipped;
exit(@breaches ? 1 : 0);
