#!/usr/bin/perl
# Does what "Instructions of many programs in a database" in docs/tutorial.md says, in a new folder, and compares what
# is printed with the page (TutorialPage.pm); then looks at the picture and the table that it leaves.
#
# Use: tutorial_db.pl SOURCES BIN       SOURCES: this tree, DIR of the page; BIN: the folder of softlbr
# Exit 77: something that the page needs is missing, and named. Exit 1: what went wrong is printed.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use lib dirname(__FILE__);
use TutorialPage;

my ($sources, $bin) = @ARGV;
die "usage: tutorial_db.pl SOURCES BIN\n" unless defined $bin;
TutorialPage::needs($bin, qw(npm perl sqlite3 xz gnuplot));

my $page = TutorialPage->new($sources, 'docs/tutorial.md', 'Instructions of many programs in a database',
  'softlbr db setup');
$page->blocks_of('commands') >= 6 && $page->blocks_of('text') >= 4 or die "the database's tutorial shows too little\n";
my $work = tempdir(CLEANUP => 1);
chdir $work or die "$work: $!\n";
# The engine goes into the new folder, whatever is installed.
$page->run($bin, "set -eu\nunset SOFTLBR_DUCKDB\nexport XDG_DATA_HOME=\$PWD/data\n", '');
my $failures = $page->differences;

my $picture = TutorialPage::read_file('working_set.svg');
if ($picture !~ /<svg .*<\/svg>\s*$/s) { print "working_set.svg is no picture:\n$picture"; ++$failures }
my $rows = () = TutorialPage::read_file('instructions.csv') =~ /\n/g;
my ($recovered) = TutorialPage::read_file((glob 'log.*')[2]) =~ /([\d,]+) instructions of/;
$recovered =~ tr/,//d if defined $recovered;
if (!defined $recovered || $rows != $recovered + 1) { print "instructions.csv has $rows lines for ", $recovered // 'no',
  " instructions\n"; ++$failures }
exit($failures ? 1 : 0);
