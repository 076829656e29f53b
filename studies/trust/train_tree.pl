#!/usr/bin/perl
# train_tree.pl ROWS OUT: trains the tree that chooses a block's source, and writes it as C++.
#
# ROWS: what hbbp.sh train collects, one block a line: program, profile, instructions, samples, starts,
# is_by_instructions, distance, aborts, exact, by_branches, by_samples. The label is the source whose count is nearer
# the exact one; a block weighs as much as the two sources differ in distance from it, as a share of its program's
# instructions, so that a program counts as much as another. Blocks whose sources are equally far do not count. A split
# is the one of least Gini impurity (CART). A leaf takes the source that is nearer in most of the programs: one hot
# block of one program makes no rule. The same rows give the same tree.
use strict;
use warnings;

my @frozen = qw(instructions samples starts is_by_instructions);  # every profile has these
my @tried = (@frozen, qw(distance aborts));                       # these need whole traces
my %column = (instructions => 2, samples => 3, starts => 4, is_by_instructions => 5, distance => 6, aborts => 7);
my ($max_depth, $min_leaf) = (3, 30);

# Gini impurity of labels with these weights, times their sum.
sub impurity {
  my ($of_branches, $of_samples) = @_;
  my $sum = $of_branches + $of_samples;
  return $sum > 0 ? $sum - ($of_branches**2 + $of_samples**2) / $sum : 0;
}

# Weights of the rows that branches are nearer to, and of those that samples are.
sub weights {
  my ($rows) = @_;
  my @weight = (0, 0);
  $weight[$_->{gain} > 0] += abs $_->{gain} for @$rows;
  return @weight;
}

# A node: {rows}, and with a split {name, threshold, left, right}. {importance} sums up how much each feature takes
# away.
sub grow {
  my ($rows, $names, $depth, $importance) = @_;
  my %node = (rows => $rows);
  my @all = weights($rows);
  my $whole = impurity(@all);
  return \%node if $depth == $max_depth || @$rows < 2 * $min_leaf || $whole <= 1e-15 * ($all[0] + $all[1]);
  my $least = 'inf';
  for my $name (@$names) {
    my $at = $column{$name};
    my @sorted = sort { $a->{cells}[$at] <=> $b->{cells}[$at] } @$rows;
    my @left = (0, 0);
    for my $i (0 .. $#sorted - $min_leaf) {
      $left[$sorted[$i]{gain} > 0] += abs $sorted[$i]{gain};
      my ($value, $next) = ($sorted[$i]{cells}[$at], $sorted[$i + 1]{cells}[$at]);
      next if $i + 1 < $min_leaf || $value == $next;
      my $split = impurity(@left) + impurity($all[0] - $left[0], $all[1] - $left[1]);
      next if $split >= $least;
      $least = $split;
      @node{qw(name threshold)} = ($name, ($value + $next) / 2);
    }
  }
  return \%node unless defined $node{name};
  $importance->{$node{name}} += $whole - $least;
  my @sides = ([], []);
  push @{$sides[$_->{cells}[$column{$node{name}}] > $node{threshold}]}, $_ for @$rows;
  @node{qw(left right)} = map { grow($_, $names, $depth + 1, $importance) } @sides;
  return \%node;
}

# The leaves say whether they take samples.
sub choose {
  my ($node) = @_;
  if ($node->{left}) {
    choose($_) for @$node{qw(left right)};
    return;
  }
  my %gain;
  $gain{$_->{cells}[0]} += $_->{gain} for @{$node->{rows}};
  $node->{is_by_samples} = 2 * grep({ $_ > 0 } values %gain) > keys %gain;
}

sub leaf_of {
  my ($node, $row) = @_;
  $node = $row->{cells}[$column{$node->{name}}] <= $node->{threshold} ? $node->{left} :
    $node->{right} while $node->{left};
  return $node;
}

sub as_cpp {
  my ($node, $depth) = @_;
  my $pad = '  ' x $depth;
  return "${pad}return CountSource::" . ($node->{is_by_samples} ? 'kSamples' : 'kBranches') . ";\n"
    unless $node->{left};
  my $name = $node->{name};
  my $test = $name eq 'is_by_instructions' ? '!features.is_by_instructions' : sprintf 'features.%s <= %.6g', $name,
    $node->{threshold};
  my ($left, $right) = (as_cpp($node->{left}, $depth + 1), as_cpp($node->{right}, $depth));
  return $right if $left =~ s/^ +//mgr eq $right =~ s/^ +//mgr;
  return "${pad}if ($test) {\n$left$pad}\n$right";
}

@ARGV == 2 or die "use: train_tree.pl ROWS OUT\n";
my ($in_file, $out_file) = @ARGV;
open my $in, '<', $in_file or die "$in_file: $!\n";
my @rows;
while (my $line = <$in>) {
  my @cells = split /,/, $line =~ s/\s+\z//r;
  my ($exact, $by_branches, $by_samples) = @cells[8 .. 10];
  push @rows, {cells => \@cells, gain => abs($by_branches - $exact)
    - abs($by_samples - $exact)};  # above 0: samples are nearer
}
sub is_by_instructions { return $_[0]{cells}[$column{is_by_instructions}] eq '1' }
sub is_by_branches { return $_[0]{cells}[1] =~ /^branches/ }
sub is_by_time { return !is_by_instructions($_[0]) && !is_by_branches($_[0]) }
my ($tree, $used);
for (['clock, with features of whole traces', \@tried, \&is_by_time],
  ['clock', \@frozen, \&is_by_time],
  ['instructions', \@frozen, \&is_by_instructions],
  ['instructions, by the length alone', ['instructions'], \&is_by_instructions],
  ['taken branches', \@frozen, \&is_by_branches],
  ['all, frozen', \@frozen, sub { 1 }]) {
  my ($title, $names, $is_meant) = @$_;
  my @meant = grep { $is_meant->($_) } @rows;
  my @used = grep { $_->{gain} != 0 } @meant;
  my %importance;
  $tree = grow(\@used, $names, 0, \%importance);
  choose($tree);
  $used = @used;
  my @error = (0, 0, 0);
  for my $row (@meant) {
    my ($exact, $by_branches, $by_samples) = @{$row->{cells}}[8 .. 10];
    my $chosen = leaf_of($tree, $row)->{is_by_samples} ? $by_samples : $by_branches;
    $error[0] += abs($by_samples - $exact);
    $error[1] += abs($by_branches - $exact);
    $error[2] += abs($chosen - $exact);
  }
  my $sum = 0;
  $sum += $_ for values %importance;
  print "\n$title: $used blocks; error of samples, branches, tree, summed over programs: ",
    join(', ', map { sprintf '%.4f', $_ } @error), "\n";
  print 'importance: ', join(', ', map { sprintf '%s %.3f', $_, $sum ? ($importance{$_} // 0) / $sum : 0 } @$names),
    "\n";
  print as_cpp($tree, 1);
}
my %programs = map { $_->{cells}[0] => 1 } @rows;
my $body = as_cpp($tree, 1);
my $unused = $body =~ /features\./ ? '' : "(void)features;\n";
open my $out, '>', $out_file or die "$out_file: $!\n";
print $out "// Made by studies/trust/train_tree.pl: $used blocks of ", join(', ', sort keys %programs),
  ". Do not edit.\n",
  "#include \"toolchain/code/block_counts.h\"\n\nnamespace softlbr::toolchain {\n\n",
  "CountSource CountSourceOf(const BlockFeatures& features) {\n$unused$body}\n\n}  // namespace softlbr::toolchain\n";
close $out or die "$out_file: $!\n";
