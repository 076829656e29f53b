#!/usr/bin/perl
# Section 4 with more traces: some of the programs of `similarity`, each with so many traces that chance leaves less of
# a difference. Reads `reference`. Takes long, so `quick` does not run it; run.sh says how it is run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Paper;
use SameEvent;

my $reference = kept('reference');
my %is_wanted = map { $_ => 1 } @{setting('more_programs')};
my @programs = grep { $is_wanted{$_->{name}} && $reference->{$_->{name}} } programs();
$_->{alone_ms} = $reference->{$_->{name}}{alone_ms} for @programs;
@programs = read_twice('more.', setting('more_traces'), @programs);

my (@rows, %all);
for my $name (map { $_->{name} } @programs) {
  my %overlap = (chance => overlap_of(work_file("more.clock1.$name"), work_file("more.clock2.$name")));
  $overlap{$_} = overlap_of(work_file("more.clock1.$name"), work_file("more.same.$_.$name")) for qw(static lookahead);
  push @{$all{$_}}, $overlap{$_} for keys %overlap;
  push @rows, [$name, stats_of(work_file("more.same.lookahead.$name"))->{traces_complete},
    map { percent($overlap{$_}{branch}, 1) . ' / ' . percent($overlap{$_}{function}, 1) } qw(chance static lookahead)];
  note("$name: compared");
}
push @rows, ['**geometric mean**', '', map { my $of = $all{$_};
  join ' / ', map { my $by = $_; percent(geomean(map { $_->{$by} } @$of),
    1) } qw(branch function) } qw(chance static lookahead)] if @rows;
keep('more_traces', \%all);
fragment('more_traces', "## The same with more traces\n\n"
  . "Programs of the table above whose overlap is small there, and some others, with about " . setting('more_traces') .
    " traces each:\n"
  . "`PAPER_WORK=FOLDER sh studies/paper/run.sh $ENV{PAPER_MODE} build/release more_traces`, after a whole run with the same folder.\n\n"
  . table(['program', 'traces', 'chance', 'static', 'look-ahead'], @rows));
