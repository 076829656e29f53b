#!/usr/bin/perl
# page.pl EXPERIMENT...: puts the parts that the experiments left in PAPER_WORK together to evaluation.md in PAPER_OUT,
# in this order.
use strict;
use warnings;

sub said { my ($command) = @_; my $text = `$command 2>/dev/null`; chomp $text; return $text }
sub slurp { my ($file) = @_; open my $in, '<', $file or return; local $/; return scalar <$in> }

my ($work, $out, $mode) = @ENV{qw(PAPER_WORK PAPER_OUT PAPER_MODE)};
my $cpus = said('nproc');
my $vendor = slurp('/proc/cpuinfo') =~ /^vendor_id\s*:\s*(\S+)/m ? $1 : said('uname -m');
my $is_virtual = (slurp('/proc/cpuinfo') // '') =~ /^flags\s*:.*\bhypervisor\b/m;
my $kernel = said('uname -r');
$kernel =~ s/^(\d+\.\d+).*/$1/;
my $tree = said("git -C '$ENV{PAPER_HERE}' log -1 --format=%cs");

my $text = "# Evaluation: the experiments of the paper\n\n"
  . "*Break Dancing: Low Overhead, Architecture Neutral Software Branch Tracing* (LCTES '21) measures the method in its sections 3 and 4. This page has\n"
  . "the same experiments with the paper's method, which `softlbr record --resolve static` offers, and with look-ahead, in one run. It is written by\n\n"
  . "    sh studies/paper/run.sh $mode\n\n"
  . sprintf("Machine: %s with %d CPUs of %s, Linux %s, no hardware counters are needed. Tree of %s.\n\n", $is_virtual ?
    'a virtual machine' : 'a machine',
    $cpus, $vendor, $kernel, $tree)
  . "Intervals are taken branches, as in the paper. Where the machine has no counter for them, samples come from the clock of the thread's CPU time, and an\n"
  . "interval is the CPU time in which the program takes that many branches. Times are CPU times; medians of paired runs that alternate in order, so that\n"
  . "other load of the machine meets both alike. Compare figures of one page only.\n\n";
my %is_there;
for my $name (grep { !$is_there{$_}++ } @ARGV) {
  my $part = slurp("$work/$name.md");
  if (defined $part) { $text .= $part } else { print STDERR "page.pl: no result of $name: left out\n" }
}
$text =~ s/\n+\z/\n/;
open my $page, '>', "$out/evaluation.md" or die "$out/evaluation.md: $!\n";
print $page $text;
close $page or die "evaluation.md: $!\n";
print "$out/evaluation.md\n";
