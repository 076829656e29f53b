#!/usr/bin/perl
# Checks docs/hazards.md: every hazard has a row, and every row names files and tests that exist.
#
# Use: hazard_table.pl ROOT HIGHEST      rows are "| number | hazard | defence | tests |", numbered 1 to HIGHEST or more
# Files and tests are in backticks: a path with a slash or an extension, or Suite.Test. A row may say "untested:" with a
# reason instead of a test. The tests that tests/checks/timing_tests.list names must exist, too. Exit 1 with one line per breach.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Find;

my ($root, $highest) = @ARGV;
die "usage: hazard_table.pl ROOT HIGHEST\n" unless defined $highest && -f "$root/docs/hazards.md";

my (%tests, %files);
find({no_chdir => 1, wanted => sub {
  if (-d && (basename($_) eq 'build' || basename($_) =~ /^\../)) { $File::Find::prune = 1; return }
  return unless -f;
  my $path = substr($_, length($root) + 1);
  $files{$path} = 1;
  $files{basename($path)} = 1;
  return unless $path =~ m{^tests/.*(\.cc|CMakeLists\.txt)$};
  open my $in, '<', $_ or die "$_: $!\n";
  local $/;
  my $text = <$in>;
  $tests{"$1.$2"} = 1 while $text =~ /^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+)\s*,\s*(\w+)\s*\)/mg;
  $tests{"Package.$1"} = 1 while $text =~ /^\s*softlbr_package_test\(\s*(\w+)/mg;
  $tests{"Checks.$1"} = 1 while $text =~ /^\s*softlbr_check\(\s*(\w+)/mg;
}}, $root);

my (@breaches, %seen);
my $named = 0;
open my $in, '<', "$root/docs/hazards.md" or die "docs/hazards.md: $!\n";
while (<$in>) {
  next unless /^\|\s*(\d+)\s*\|/;
  my $number = $1;
  chomp;
  my (undef, undef, $hazard, $defence, $shown) = split /\|/;
  push @breaches, "hazard $number stands twice" if $seen{$number}++;
  if (!defined $shown || $hazard !~ /\w/ || $defence !~ /\w/) { push @breaches, "hazard $number: a column is empty"; next }
  while ($defence =~ /`([^`]+)`/g) {
    my $name = $1;
    next unless $name =~ m{/|\.(cc|h|def|pl|sh|c|S)$};
    push @breaches, "hazard $number: there is no file $name" unless $files{$name};
  }
  my @names = $shown =~ /`([^`]+)`/g;
  push @breaches, "hazard $number: no test and no reason why" unless @names || $shown =~ /untested: \w/;
  for my $name (@names) {
    ++$named;
    push @breaches, "hazard $number: there is no test $name" unless $tests{$name};
  }
}
for my $number (1 .. $highest) { push @breaches, "hazard $number has no row" unless $seen{$number} }
if (open my $timing, '<', "$root/tests/checks/timing_tests.list") {
  while (<$timing>) {
    next if /^#/;
    my ($name, $what) = /^(\S+)\s+(\S.*)$/;
    if (!defined $what) { push @breaches, "timing_tests.list:$.: not a test and what it compares"; next }
    push @breaches, "timing_tests.list:$.: there is no test $name" unless $tests{$name};
  }
}
print "$_\n" for @breaches;
print scalar(keys %seen), " hazards, $named tests named, ", scalar(@breaches), " breaches\n";
exit(@breaches ? 1 : 0);
