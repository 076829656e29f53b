#!/usr/bin/perl
# Section 4: speed-ups (Figures 7 and 8). Takes the table of studies/fdo from bench/README.md, where it says how it was
# measured, and draws it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Paper;

my $page = Paper::slurp("$FindBin::Bin/../../bench/README.md");
my ($section) = $page =~ /^## Speed from profiles\n(.*?)(?=^## |\z)/ms or
  die "fdo.pl: bench/README.md has no section `Speed from profiles`\n";
my ($first_table) = $section =~ /^((?:\|.*\n)+)/m or die "fdo.pl: that section has no table\n";
my @rows = map { [map { s/^\s+|\s+$//gr } grep { $_ ne '' } split /\|/] } grep { !/^\|[-| ]+$/ } split /\n/,
  $first_table;
my $head = shift @rows;
die "fdo.pl: the table of bench/README.md has no rows\n" unless @rows;

# Taken branches relative to the base, the second figure of an entry: by build, for each program.
my @builds = grep { $head->[$_] =~ /softlbr|exact|instrumentation/ } 2 .. $#$head;
my @series = map { my $column = $_; [$head->[$column],
  [map { $_->[$column] =~ /,\s*([0-9.]+)/ ? $1 : 0 } @rows]] } @builds;
my $text = "## What compilers make of it (Figures 7 and 8)\n\nThe table of `bench/README.md`, section *Speed from profiles*, which says how it was measured (`sh studies/fdo/fdo.sh`); not measured again by this\n"
  . "command. Each entry: instructions, then taken branches of the whole test run relative to the base, counted by the emulator. `exact` stands for the\n"
  . "paper's hardware profile.\n\n"
  . table($head, @rows)
  . picture('fdo', 'Taken branches of optimized programs',
    Chart::bars('groups', 'Taken branches relative to the base', ['taken branches, 1 is the base'],
    [map { $_->[0] } @rows], @series));
keep('fdo', {programs => [map { $_->[0] } @rows], builds => [map { $_->[0] } @series]});
fragment('fdo', $text);
