#!/usr/bin/perl
# The paper's claim of no overhead while the profiler is off: a process after a session beside one that never had a
# session.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Paper;

my $command = bin_file('off_cost') . ' ' . setting('slices');
my ($ratio, $low, $high, $pairs) = split ' ', `$command`;
die "off.pl: fails: $command\n" if $? != 0 || !defined $pairs;
my $text = "## Off\n\nTwo processes that link the library do the same slices of work in turn, some milliseconds each; one of them has recorded a session and stopped it. CPU time\n"
  . "of a slice after the session, relative to the other process: " .
    sprintf("%.4f, quartiles %.4f to %.4f, of %d pairs.\n\n", $ratio, $low, $high, $pairs)
  . "Nothing of ours is executed then: no code is patched, and all events are closed.\n\n";
keep('off', {ratio => $ratio, low => $low, high => $high, pairs => $pairs});
fragment('off', $text);
