#!/usr/bin/perl
# Records trees of processes. process_trees.sh makes the tools and calls this.
#
# Use: process_trees.pl SOFTLBR FOLDER WORK [TREE...]      FOLDER: holds TREE.sh with the functions `prepare`, optional,
#                                                          and `run`
#
# Each tree runs alone and recorded, in a folder of the same path with the same content, under process_times. A process
# of the tree counts as recorded if the profile has a session with its process id. Our own processes, the command and
# the helpers, are left out: they are called softlbr.
use strict;
use warnings;
use File::Path qw(remove_tree);
use JSON::PP;
use List::Util qw(sum0);

my ($softlbr, $folder, $work, @only) = @ARGV;
die "usage: process_trees.pl SOFTLBR FOLDER WORK [TREE...]\n" unless defined $work && -x $softlbr;
my $bar = 0.99;
$SIG{INT} = $SIG{TERM} = sub { exit 130 };

sub slurp { my ($file) = @_; open my $in, '<', $file or return ''; local $/; return scalar <$in> // '' }

# Runs a tree. Returns its exit code, what it printed, and its processes: id => {ns, name}.
sub run {
  my ($tree, $recording) = @_;
  my $here = "$work/$tree";
  remove_tree($here);
  mkdir $here or die "$here: $!\n";
  chdir $here;
  my $script = "$folder/$tree.sh";
  return if system('sh', '-c', "prepare() { :; }; . '$script'; prepare") != 0;
  my @command = ("$work/process_times", "$work/times", @$recording, 'sh', '-c', ". '$script'; run");
  my $pid = fork // die "fork: $!\n";
  if ($pid == 0) {
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', "$work/out";
    open STDERR, '>', "$work/err";
    exec @command;
  }
  waitpid $pid, 0;
  my $code = $? >> 8;
  die slurp("$work/err") if $code == 120;
  my %processes;
  for (split /\n/, slurp("$work/times")) {
    my ($id, $parent, $ns, $name) = split ' ', $_, 4;
    $processes{$id} = {ns => $ns, name => $name} unless $name eq 'softlbr';
  }
  chdir $work;
  return ($code, slurp("$work/out"), \%processes);
}

$| = 1;
printf "%-9s %-6s %9s %9s %6s %8s %8s %8s %8s  %s\n", 'tree', 'output', 'processes', 'recorded', 'images', 'alone ms',
  'CPU ms', 'recorded',
  'sessions', 'largest gap';
my ($is_measured, @breaches, @notes, @skipped);
for my $script (sort glob "$folder/*.sh") {
  my ($tree) = $script =~ m{([^/]+)\.sh$};
  next if @only && !grep { $_ eq $tree } @only;
  my ($needs) = slurp($script) =~ /Needs: (.*)/;
  my @missing = grep { system("command -v $_ >/dev/null 2>&1") != 0 } split ' ', $needs;
  if (@missing) { push @skipped, "$tree (@missing)"; next }
  my $profile = "$work/$tree.slbr";
  my ($code, $out, $alone) = run($tree, []);
  my ($code_recorded, $out_recorded, $processes) = run($tree, [$softlbr, 'record', '-o', $profile, '--']);
  if (!defined $code || !defined $code_recorded) { push @skipped, "$tree (cannot be prepared)"; next }
  my $messages = slurp("$work/err");
  my %sessions;
  my $images = 0;
  for my $session (@{decode_json(join "", `$softlbr stats --json $profile`)->{sessions}}) {
    ++$images;
    $sessions{$session->{pid}} += $session->{app_cpu_ns};
  }
  my $is_same = $code == $code_recorded && $out eq $out_recorded;
  my $total = sum0(map { $_->{ns} } values %$processes);
  my @recorded = grep { exists $sessions{$_} } keys %$processes;
  my $of_recorded = sum0(map { $processes->{$_}{ns} } @recorded);
  my $in_sessions = sum0(values %sessions);
  my %gaps = map { $_ => ($processes->{$_}{ns} - $sessions{$_}) / 1e6 } @recorded;
  my @strays = grep { !exists $processes->{$_} } keys %sessions;
  my ($widest) = sort { abs $gaps{$b} <=> abs $gaps{$a} } keys %gaps;
  printf "%-9s %-6s %9d %9d %6d %8.0f %8.0f %7.2f%% %7.2f%%  %s\n", $tree, $is_same ? 'same' : 'DIFFER',
    scalar(keys %$alone),
    scalar(@recorded), $images, sum0(map { $_->{ns} } values %$alone) / 1e6, $total / 1e6, 100 * $of_recorded / $total,
    100 * $in_sessions / $total, defined $widest ?
    sprintf('%.1f of %.1f ms, %s', $gaps{$widest}, $processes->{$widest}{ns} / 1e6, $processes->{$widest}{name}) : '';
  $is_measured = 1;
  push @breaches, $tree if !$is_same || $of_recorded < $bar * $total || @strays;
  push @notes, "$tree: sessions of unknown processes: @strays" if @strays;
  push @notes, "$tree: $_" for grep { !/ taken branches from / } grep { /^softlbr: / } split /\n/, $messages;
  my %left;
  for (grep { !exists $sessions{$_} } keys %$processes) {
    $left{$processes->{$_}{name}}{count}++;
    $left{$processes->{$_}{name}}{ns} += $processes->{$_}{ns};
  }
  my @left = sort { $left{$b}{ns} <=> $left{$a}{ns} } keys %left;
  push @notes, "$tree: no session: " . join(', ',
    map { sprintf '%s (%d, %.1f ms)', $_, $left{$_}{count}, $left{$_}{ns} / 1e6 } @left) if @left;
}
print "\n", map { "$_\n" } @notes;
print 'skipped, as programs are missing: ', join(' ', @skipped), "\n" if @skipped;
exit 2 unless $is_measured;
exit(@breaches ? 1 : 0);
