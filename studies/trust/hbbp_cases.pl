#!/usr/bin/perl
# hbbp_cases.pl OUT ROUNDS: run times, and the instruction mixes of the programs of mix.table that are a case study.
# Called by hbbp.sh, in the folder of the inputs.
#
# Programs come from standard input, a line each: kind | name | command, ready to run. Kinds: test and timed are timed;
# fitter is timed and its mix is counted. Lines of OUT, fields separated by tabs:
#   time NAME WAY MS                       CPU time of all processes, median of ROUNDS that alternate in order (of the
#                                          emulator: one run). Ways: alone; default: softlbr record; dense: each 20,021
#                                          ns, 128 branches, not of a fitter; exact: the emulator
#   error NAME WAY ERROR                   average weighted error by mnemonic, hybrid counts
#   mix NAME WAY EXTENSION PACKING COUNT   executed instructions; CALLs have the extension "call" and no packing
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../paper";
use JSON::PP;
use Paper;

my ($out, $rounds) = @ARGV;
die "usage: hbbp_cases.pl OUT ROUNDS\n" unless defined $rounds;
my $softlbr = bin_file('softlbr');
my %record = (
  default => "$softlbr record -q --no-children -o default --",
  dense => "$softlbr record -q --no-children -c 20021 --max-overhead 100% --branches 128 -o dense --");
my $exact = bin_file('exact_counts') . ' -q -o exact --';

sub mix {
  my ($profile, $file, $by) = @_;
  my $mix = eval { JSON::PP->new->decode(scalar
    `$softlbr mix -b '$file' --by $by --top 1000000 --json $profile 2>/dev/null`) } or return ();
  return @{$mix->{tables}[0]{rows}};
}

open my $figures, '>', $out or die "$out: $!\n";
$figures->autoflush(1);
sub figure { print $figures join("\t", @_), "\n" }

while (<STDIN>) {
  chomp;
  my ($kind, $name, $command) = split /\s*\|\s*/, $_, 3;
  unlink qw(default dense exact);
  my ($program) = split ' ', $command;
  chomp(my $file = `command -v '$program'`);
  unless ($file) { note("$name: not installed"); next }
  my %times;
  for my $round (1 .. $rounds) {
    my @ways = $kind eq 'fitter' ? qw(alone default) : qw(alone default dense);
    for my $way ($round % 2 ? @ways : reverse @ways) {
      my $time = eval { run_cpu_ms($way eq 'alone' ? $command : "$record{$way} $command") };
      push @{$times{$way}}, $time if defined $time;
    }
  }
  unless ($times{alone}) { note("$name: does not run here"); next }
  my $emulated = eval { run_cpu_ms("$exact $command") };
  $times{exact} = [$emulated] if defined $emulated;
  figure('time', $name, $_, median(@{$times{$_}})) for grep { $times{$_} } qw(alone default dense exact);
  if (-e 'exact') {
    for my $way (grep { -e } qw(default dense)) {
      my (undef, undef, $error) = split /\t/,
        `@{[bin_file('block_accuracy')]} -b '$file' exact hybrid=$way 2>/dev/null`;
      figure('error', $name, $way, $error) if defined $error;
    }
  }
  next unless $kind eq 'fitter';
  for my $way (grep { -e } qw(exact default)) {
    figure('mix', $name, $way, $_->{extension}, $_->{packing}, $_->{instructions})
      for mix($way, $file, 'extension,packing');
    figure('mix', $name, $way, 'call', '', $_->{instructions})
      for grep { $_->{mnemonic} eq 'call' } mix($way, $file, 'mnemonic');
  }
}
close $figures or die "$out: $!\n";
