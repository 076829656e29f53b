#!/usr/bin/perl
# Puts the code prefetches of `softlbr prefetch` into an assembly file.
#
# Use: insert_prefetches.pl SITES FILE.s [INSTRUCTION] >OUTPUT.s
# SITES names lines of the files that the recorded program was assembled from (toolchain/prefetch/site_list.h), by their
# base names; FILE.s must be one of these, unchanged. Before the line of each target comes a hidden global label, before
# that of each site a hint:
#   x86-64   INSTRUCTION LABEL(%rip)             prefetcht1 by default; prefetchit1 where the assembler and the CPU have
#                                                it AArch64 prfm plil1keep, LABEL with INSTRUCTION prfm
# Line numbers stay those of FILE.s, so that `softlbr prefetch --layout` finds the code again; hints have the line of
# the instruction that they precede, in a file FILE.s.hints.
# All files of a program must be rewritten with the same SITES, or their labels are missing.
use strict;
use warnings;

my ($sites, $assembly, $instruction) = @ARGV;
die "usage: insert_prefetches.pl SITES FILE.s [INSTRUCTION]\n" unless defined $assembly;
$instruction //= 'prefetcht1';

sub base_name { my ($path) = @_; $path =~ s{.*/}{}; return $path }

sub label_of {
  my ($file, $line) = @_;
  (my $name = base_name($file)) =~ s/\W/_/g;
  return "softlbr_code_${name}_$line";
}

my $name = base_name($assembly);
my (%is_target, %hints);
open(my $list, '<', $sites) or die "$sites: $!\n";
my $first = <$list> // '';
$first eq "softlbr-prefetch 1\n" or die "$sites: not a list of sites; write one with `softlbr prefetch`\n";
while (my $row = <$list>) {
  next unless $row =~ /^hint /;
  my ($file, $line, $kind, $target, $where) =
    $row =~ /^hint [0-9a-f]+ [0-9a-f]+ \d+ \d+ (\S+) (\d+) (line|symbol) (\S+) (\d+)$/
    or die "$sites:$.: not a hint\n";
  $is_target{$where} = 1 if $kind eq 'line' && base_name($target) eq $name;
  next unless base_name($file) eq $name;
  my $label = $kind eq 'line' ? label_of($target, $where) : "$target+$where";
  push @{$hints{$line}}, $instruction eq 'prfm' ? "\tprfm\tplil1keep, $label\n" : "\t$instruction\t$label(%rip)\n";
}
close $list;

open(my $input, '<', $assembly) or die "$assembly: $!\n";
my $last = 0;
print "# 1 \"$name\"\n";
while (my $text = <$input>) {
  $last = $.;
  if ($is_target{$.}) {
    my $label = label_of($name, $.);
    print "\t.globl\t$label\n\t.hidden\t$label\n$label:\n";
  }
  if ($hints{$.}) {
    print "# $. \"$name.hints\"\n$_" for @{$hints{$.}};
    print "# $. \"$name\"\n";
  } elsif ($is_target{$.}) {
    print "# $. \"$name\"\n";
  }
  print $text;
  print "# ", $. + 1, " \"$name\"\n" if $text =~ /^\s*\.file\s+"/;  # which names the compiler's input instead
}
for my $line (keys %is_target, keys %hints) {
  die "$assembly: has no line $line; is it the file that was recorded?\n" if $line > $last;
}
close(STDOUT) or die "output: $!\n";
