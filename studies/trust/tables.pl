#!/usr/bin/perl
# tables.pl PROGRAMS FIGURES FOLDER: writes the tables of the raw figures of run.sh between the markers of
# FOLDER/evaluation_trust.md, and the picture FOLDER/evaluation_trust.svg. Each entry is the median of the runs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Chart;

my ($programs, $figures, $folder) = @ARGV;
die "usage: tables.pl PROGRAMS FIGURES FOLDER\n" unless defined $folder;

my @methods = (
  ['clock-round', 'round'], ['clock-prime', 'prime'], ['clock-random', 'randomised'], ['none', 'precise, PDIR, IBS'],
  ['static-16', 'static 16'], ['lookahead-16', '16'], ['lookahead-128', '128'], ['lookahead-1024', '1024'],
  ['lookahead-128-start', '128, by start'], ['lookahead-128-length', '128, by length'],
  ['lookahead-1024-start', '1024, by start'],
  ['lookahead-1024-length', '1024, by length'], ['ideal-instructions', 'instructions'], ['ideal-lbr-16', 'LBR 16']);
# What the paper found: classic sampling, the best precise method, LBR. Ivy Bridge.
my %paper = (
  latencybias => [1.21, 0.19, 0.07], callchain => [0.59, 0.10, 0.12], testG4Box => [0.18, 0.15, 0.05],
  test40 => [0.60, 0.13, 0.11],
  mcf => [0.50, 0.305, 0.034], povray => [0.49, 0.161, 0.123], omnetpp => [0.65, 0.246, 0.116],
  xalancbmk => [0.56, 0.340, 0.112],
  FullCMS => [0.55, 0.177, 0.120]);

my (@rows, %values);
open my $in, '<', $programs or die "$programs: $!\n";
while (<$in>) {
  next if /^#/;
  s/\s+$//;
  my ($kind, $name, $theirs, $ours) = split / *\| */;
  push @rows, {kind => $kind, name => $name, theirs => $theirs, ours => $ours};
}
open $in, '<', $figures or die "$figures: $!\n";
while (<$in>) {
  chomp;
  my ($name, $method, $run, $by_block) = split /\t/;
  push @{$values{$name}{$method}}, $by_block;
}

sub median {
  my @sorted = sort { $a <=> $b } @_;
  return @sorted % 2 ? $sorted[$#sorted / 2] : ($sorted[@sorted / 2 - 1] + $sorted[@sorted / 2]) / 2;
}

sub entry {
  my ($name, $method) = @_;
  my $list = $values{$name}{$method} or return $method eq 'none' ? 'n/a' : '-';
  my $text = sprintf '%.3f', median(@$list);
  my @sorted = sort { $a <=> $b } @$list;
  $text .= sprintf ' ±%.3f', ($sorted[-1] - $sorted[0]) / 2 if @$list > 1;
  return $text;
}

sub table {
  my $kind = shift;
  my $text = "| program | for the paper's | clock: $methods[0][1] | clock: $methods[1][1] | clock: $methods[2][1] | $methods[3][1] | $methods[4][1] "
    . join('', map { "| look-ahead $_->[1] " } @methods[5 .. 11]) . "| ideal $methods[12][1] | ideal $methods[13][1] "
    . "| paper: classic | paper: precise | paper: LBR |\n" . '|---' x 19 . "|\n";
  for my $row (grep { $_->{kind} eq $kind } @rows) {
    $text .= join ' | ', "| $row->{name}", $row->{theirs}, (map { entry($row->{name}, $_->[0]) } @methods),
      (map { sprintf '%.2f', $_ } @{$paper{$row->{theirs}}});
    $text .= " |\n";
  }
  return $text;
}

my $stands = "| program | for the paper's | what it is |\n|---|---|---|\n";
$stands .= "| $_->{name} | $_->{theirs} | $_->{ours} |\n" for @rows;

sub replace {
  my ($page, $marker, $text) = @_;
  $$page =~ s/(<!-- $marker -->\n).*?(<!-- end -->)/$1\n$text\n$2/s or
    die "no marker $marker in $folder/evaluation_trust.md\n";
}

my $path = "$folder/evaluation_trust.md";
open $in, '<', $path or die "$path: $!\n";
my $page = do { local $/; <$in> };
replace(\$page, 'substitutes', $stands);
replace(\$page, 'table 1', table('kernel'));
replace(\$page, 'table 2', table('application'));
open my $out, '>', $path or die "$path: $!\n";
print $out $page;
close $out or die "$path: $!\n";

# The picture: a group of bars for each program.
my @shown = map { my ($method, $name, $colour) = @$_;
[$name, [map { my $list = $values{$_->{name}}{$method}; $list ? median(@$list) : 0 } @rows], $colour] } (
  ['clock-prime', 'clock, prime period', '#c0504d'], ['static-16', 'static 16', '#d0a040'],
  ['lookahead-16', 'look-ahead 16', '#9ac0e0'],
  ['lookahead-128', 'look-ahead 128', '#4a90d0'], ['lookahead-1024', 'look-ahead 1024', '#2b66a0'],
  ['ideal-lbr-16', 'ideal LBR 16', '#70a060']);
Chart::draw("$folder/evaluation_trust.svg",
  Chart::bars('groups', 'Error of the counts by program and method', ['error by block', '', '', 1.5],
  [map { $_->{name} } @rows], @shown));
