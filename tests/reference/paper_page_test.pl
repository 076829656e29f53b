#!/usr/bin/perl
# Runs studies/paper/run.sh in its smallest form and checks what it wrote: the shape of the page and its pictures, and
# figures that must agree with each other whatever the machine does. No time is judged.
#
# Use: paper_page_test.pl ROOT BUILD     Exit code: 0, 1 with a line for each failure, 77 if run.sh says that something
#                                        is missing here
use strict;
use warnings;
use File::Temp qw(tempdir);
use JSON::PP;
use List::Util qw(sum);

my ($root, $build) = @ARGV;
die "usage: paper_page_test.pl ROOT BUILD\n" unless defined $build;
if (system('command -v gnuplot > /dev/null') != 0) { print "missing: gnuplot (gnuplot-nox)\n"; exit 77 }
my $folder = tempdir('softlbr-paper-XXXXXX', TMPDIR => 1, CLEANUP => 1);
my ($work, $out) = ("$folder/work", "$folder/out");
{
  local @ENV{qw(PAPER_WORK PAPER_OUT)} = ($work, $out);
  system('sh', "$root/studies/paper/run.sh", 'smallest', $build);
}
exit 77 if $? >> 8 == 77;

my @failures;
sub check { my ($is_true, $text) = @_; push @failures, $text unless $is_true }
sub slurp { my ($file) = @_; open my $in, '<', $file or return ''; local $/; return scalar <$in> }
sub kept { my ($name) = @_; my $text = slurp("$work/$name.json"); check($text ne '', "$name left nothing");
return $text eq '' ? {} : JSON::PP->new->decode($text) }

check($? == 0, "run.sh ends with status $?");
my $page = slurp("$out/evaluation.md");
check($page =~ /^# Evaluation/, 'no page');

# --- shape
# ----------------------------------------------------------------------------------------------------------------
my %part_of = (reference => 'Which program stands for which', collection_overhead => 'Overhead against interval',
  usefulness => 'Breakpoint usefulness', lengths => 'Cost of a trace by its length',
  threads => 'Recording many threads', off => 'Off',
  similarity => 'Similarity to a virtual LBR', more_traces => 'The same with more traces',
  fdo => 'What compilers make of it', bars => 'In short');
for my $experiment (sort keys %part_of) { check($page =~ /^## \Q$part_of{$experiment}/m, "no part of $experiment") }
my ($tables, $columns) = (0, undef);
for my $line (split /\n/, $page) {
  if ($line !~ /^\|/) { undef $columns; next }
  my $count = ($line =~ tr/|//);
  if (defined $columns) { check($count == $columns, "a row of another width: $line") } else { $columns = $count;
  ++$tables }
  check($line !~ /\b(?:nan|inf)\b/i, "not a number: $line");
}
check($tables >= 22, "only $tables tables");
my @pictures = $page =~ /\]\((evaluation\/\w+\.svg)\)/g;
check(@pictures >= 7, scalar(@pictures) . ' pictures');
for my $picture (@pictures) {
  my $svg = slurp("$out/$picture");
  check($svg =~ m{<svg .*</svg>\n\z}s, "$picture: no SVG");
  my ($opened, $closed) = (scalar(() = $svg =~ /<text/g), scalar(() = $svg =~ m{</text>}g));
  check($opened > 5 && $opened == $closed, "$picture: $opened labels, $closed ends");
  check($svg !~ /nan|inf"|="-/, "$picture: a size that is none");
}

# --- agreement
# ------------------------------------------------------------------------------------------------------------
my $reference = kept('reference');
for my $name (sort keys %$reference) {
  my $one = $reference->{$name};
  my $executed = sum(values %{$one->{executed}});
  check(abs($executed / $one->{instructions} - 1) < 0.01,
    "$name: $executed instructions in ranges, $one->{instructions} executed");
  my $branches = $executed - $one->{executed}{none};
  check($branches >= $one->{taken}, "$name: more taken branches than branches");
}
my $runs = kept('recordings')->{runs};
check(join(' ', sort keys %$runs) eq join(' ', sort keys %$reference), 'other programs were recorded than counted');
for my $name (sort keys %$runs) {
  for my $method (sort keys %{$runs->{$name}}) {
    for my $interval (sort { $a <=> $b } keys %{$runs->{$name}{$method}}) {
      for my $run (@{$runs->{$name}{$method}{$interval}}) {
        my $what = "$name, $method, $interval";
        check($run->{cpu_ms} > 0 && $run->{alone_ms} > 0, "$what: no CPU time");
        my $stats = $run->{stats} // next;
        my $length = $method eq 'long' ? 128 : 16;
        check($stats->{branches_per_trace} == $length, "$what: traces of $stats->{branches_per_trace}");
        check($stats->{resolve} eq ($method eq 'static' ? 'static' : 'lookahead'),
          "$what: resolved by $stats->{resolve}");
        check($stats->{taken_branches} >= $stats->{traces_complete} * $length, "$what: short traces");
        # The static policy needs a breakpoint for nearly every branch, look-ahead for nearly none.
        check($stats->{breakpoint_hits} >= $stats->{traces_complete} * 4, "$what: $stats->{breakpoint_hits} hits")
        if $method eq 'static';
        check($stats->{breakpoint_hits} <= $stats->{taken_branches} / 16, "$what: $stats->{breakpoint_hits} hits")
          if $method ne 'static';
        my $parts = sum(@{$stats->{overhead_ns}}{qw(sampling evaluating lifting breakpoints control switching)});
        check(abs($parts - $stats->{overhead_ns}{total}) <= 0.01 * $parts + 6,
          "$what: parts of $parts ns, total $stats->{overhead_ns}{total} ns");
      }
    }
  }
}
my $usefulness = kept('usefulness');
for my $name (sort keys %$usefulness) {
  my $one = $usefulness->{$name};
  check($one->{t} > 0 && $one->{t} <= 1 && $one->{s} >= 0 && $one->{s} < 1, "$name: fractions");
  # Samples by time see other parts of the program more often than the whole run's counts do, and there are few.
  check($one->{measured} > 0.5 * $one->{yield} && $one->{measured} < 2 * $one->{yield},
    "$name: a breakpoint yields $one->{measured} branches, $one->{yield} by the exact counts");
}

my $lengths = kept('lengths');
check(%$lengths, 'no lengths');
for my $name (sort keys %$lengths) {
  while (my ($length, $one) = each %{$lengths->{$name}{lookahead}}) {
    check($one->{branches} >= $one->{traces} * $length && $one->{us} > 0,
      "$name: traces of $length: $one->{branches} branches, $one->{traces} traces");
  }
}
my $threads = kept('threads');
for my $one (@{$threads->{contention}}) { check($one->[2] > $one->[1] && $one->[1] > 0,
  "@$one: a hit costs no more than setting a breakpoint") }
for my $method (qw(static lookahead long)) {
  while (my ($count, $one) = each %{$threads->{by_threads}{$method}}) {
    check($one->{traced} >= $count && $one->{untraced} == 0, "$method, $count threads: $one->{traced} traced");
    check($one->{branches} > 0 && $one->{application} > 0 && $one->{application} < 1,
      "$method, $count threads: shares");
  }
}
my $off = kept('off');
check($off->{pairs} > 0 && $off->{low} > 0 && $off->{low} <= $off->{ratio} && $off->{ratio} <= $off->{high},
  'off: no ratio');

my $similarity = kept('similarity');
check(join(' ', sort keys %{$similarity->{same}}) eq join(' ', sort keys %$reference),
  'programs are missing in the comparison');
for my $name (sort keys %{$similarity->{same}}) {
  my $one = $similarity->{same}{$name};
  for my $pair (qw(chance static lookahead methods virtual)) {
    for my $by (qw(branch function)) {
      # Few traces: a tenth to a fifth is chance. Without anything in common it would be near 0.
      check($one->{$pair}{$by} > 0.5 && $one->{$pair}{$by} <= 1.000001,
      "$name: $pair by $by: an overlap of $one->{$pair}{$by}");
    }
  }
}

# What was recorded of a program's own code is what it executes: each branch is one of the exact counts.
sub branches {
  my ($file, $name) = @_;
  my %branches;
  for my $line (split /\n/, `$build/bin/softlbr dump $file`) {
    $branches{"$1 $2"} = 1 if $line =~ /^branch \d+ (\Q$name\E\+\S+) (\Q$name\E\+\S+)$/;
  }
  return \%branches;
}
for my $name (sort keys %$reference) {
  my $exact = branches("$work/exact.$name", $name);
  for my $kind (qw(virtual clock1 same.static same.lookahead)) {
    my $seen = branches("$work/$kind.$name", $name);
    check(%$seen, "$kind.$name has no branch of the program");
    my @wrong = grep { !$exact->{$_} } sort keys %$seen;
    check(!@wrong, "$kind.$name has branches that the program does not take: @wrong");
  }
}

print "$_\n" for @failures;
printf "%d tables, %d pictures, %d failures\n", $tables, scalar @pictures, scalar @failures;
exit(@failures ? 1 : 0);
