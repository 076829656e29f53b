#!/usr/bin/perl
# Checks docs/hazards.md: every hazard has a row and a section, and both name files and tests that exist.
#
# Use: hazard_table.pl ROOT HIGHEST
# The table has short rows "| number | what | state | `first test` | [more](#hazard-number) |", numbered 1 to HIGHEST or
# more. Each has a section "### Hazard NUMBER" with the hazard, "**Defence:**", and "**Shown by:**", "**Untested:**" or
# "**Known:**". Files and tests are in backticks: a path with a slash or an extension, or Suite.Test. The state is that
# of the section. The tests that tests/checks/timing_tests.list names must exist, too. Exit 1 with one line per breach.
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

my (@breaches, %row, %section);
my $named = 0;
my $longest_row = 180;
my $number;
open my $in, '<', "$root/docs/hazards.md" or die "docs/hazards.md: $!\n";
while (<$in>) {
  if (/^\|\s*(\d+)\s*\|/) {
    push @breaches, "hazard $1 stands twice" if defined $row{$1};
    $row{$1} = $_;
  } elsif (/^###? (?:Hazard (\d+)$)?/) {
    $number = $1;
    next unless defined $number;
    push @breaches, "hazard $number has two sections" if defined $section{$number};
    $section{$number} = '';
  } elsif (defined $number) {
    $section{$number} .= $_;
  }
}
for my $number (sort { $a <=> $b } keys %row) {
  chomp $row{$number};
  push @breaches, "hazard $number: its row has more than $longest_row characters"
    if length $row{$number} > $longest_row;
  my (undef, undef, $what, $state, $test, $link) = split /\s*\|\s*/, $row{$number};
  if (!defined $link || $what !~ /\w/) { push @breaches, "hazard $number: a column is empty"; next }
  push @breaches, "hazard $number: does not link to its section" unless $link =~ /\(#hazard-$number\)/;
  if (!defined $section{$number}) { push @breaches, "hazard $number has no section"; next }
  my %part = (hazard => '');
  my $part = 'hazard';
  for my $paragraph (split /\n\n+/, $section{$number}) {
    $part = $1 if $paragraph =~ /^\*\*(Defence|Shown by|Untested|Known):\*\* /m;
    $part{$part} .= "$paragraph\n";
  }
  push @breaches, "hazard $number: its section does not say what can go wrong" unless $part{hazard} =~ /\w/;
  push @breaches, "hazard $number: its section has no defence" unless ($part{Defence} // '') =~ /\*\* \S/;
  my $shown = $part{'Shown by'} // '';
  while (($part{Defence} // '') =~ /`([^`]+)`/g) {
    my $name = $1;
    next unless $name =~ m{/|\.(cc|h|def|pl|sh|c|S)$};
    push @breaches, "hazard $number: there is no file $name" unless $files{$name};
  }
  my @names = join(' ', $shown, $part{Untested} // '', $part{Known} // '') =~ /`(\w+\.\w+)`/g;
  push @breaches, "hazard $number: no test and no reason why" unless $shown =~ /`\w+\.\w+`/ || defined $part{Untested};
  for my $name (@names) {
    ++$named;
    push @breaches, "hazard $number: there is no test $name" unless $tests{$name} || $files{$name};
  }
  my ($first) = $shown =~ /`(\w+\.\w+)`/;
  $first = defined $first ? "`$first`" : 'none';
  push @breaches, "hazard $number: its row names $test, its section first $first" unless $test eq $first;
  my $is = ($part{Defence} // '') =~ /\*\* None[.:]/ ? 'open' : defined $part{Known} ? 'gaps known' :
    defined $part{Untested} ? 'partly tested' : 'tested';
  push @breaches, "hazard $number: its state is $is, its row says $state" unless $state eq $is;
}
for my $number (sort { $a <=> $b } keys %section) { push @breaches, "hazard $number has no row"
  unless defined $row{$number} }
for my $number (1 .. $highest) { push @breaches, "hazard $number has no row" unless defined $row{$number} ||
  defined $section{$number} }
if (open my $timing, '<', "$root/tests/checks/timing_tests.list") {
  while (<$timing>) {
    next if /^#/;
    my ($name, $what) = /^(\S+)\s+(\S.*)$/;
    if (!defined $what) { push @breaches, "timing_tests.list:$.: not a test and what it compares"; next }
    push @breaches, "timing_tests.list:$.: there is no test $name" unless $tests{$name};
  }
}
print "$_\n" for @breaches;
print scalar(keys %row), " hazards, $named tests named, ", scalar(@breaches), " breaches\n";
exit(@breaches ? 1 : 0);
