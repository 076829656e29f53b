#!/usr/bin/perl
# Prints one row of a table: what hints did to a program.
#
# Use: summarize.pl NAME L1 PLAIN_TEXT HINTED_TEXT ORIGINAL HINTED
# The texts are bytes of the program's .text; the last two the outputs of code_fetch_plugin for the program and for the
# rewritten one. Misses covered are those of the original program without any prefetch that the rewritten one no longer
# has.
use strict;
use warnings;

sub counts_of {
  my ($path) = @_;
  my %counts;
  open(my $file, '<', $path) or die "$path: $!\n";
  while (<$file>) {
    if (/^(\w+) (\d+)$/) { $counts{$1} = $2 }
    elsif (/^(plain|next|hints) (.*)/) {
      my ($machine, $rest) = ($1, $2);
      $counts{"$machine $1"} = $2 while $rest =~ /(\w+)=(\S+)/g;
    }
  }
  return \%counts;
}

die "usage: summarize.pl NAME L1 PLAIN_TEXT HINTED_TEXT ORIGINAL HINTED\n" unless @ARGV == 6;
my ($name, $l1, $plain_text, $hinted_text, @files) = @ARGV;
my ($original, $hinted) = map { counts_of($_) } @files;
my $misses = $original->{'plain misses'} || 1;
my $own = $hinted->{instructions} - $hinted->{hints};
my $executed = $hinted->{hints} || 1;
printf "| %s | %d KiB | %.1f | %.1f | %.1f %% | %.1f %% | %.1f %% | %.2f %% | %.2f %% | %.1f %% | %.1f %% | %.3f | %.3f |\n",
  $name, $l1 / 1024, $original->{instructions} / 1e6, 1000 * $misses / $original->{instructions},
  100 * (1 - $original->{'next misses'} / $misses),
  100 * (1 - $hinted->{'hints misses'} / $misses),
  100 * (1 - ($hinted->{'hints misses'} + $hinted->{'hints late'}) / $misses),
  100 * $hinted->{hints} / $own,
  100 * ($hinted_text - $plain_text) / $plain_text,
  100 * $hinted->{'hints hint_issued'} / $executed, 100 * $hinted->{'hints hint_useful'} / $executed,
  $original->{'plain cycles'} / $original->{'next cycles'}, $original->{'plain cycles'} / $hinted->{'hints cycles'};
