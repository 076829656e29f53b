# What the experiments of studies/paper share: settings, the table of programs, runs in a control group, statistics,
# tables in Markdown.
#
# Environment, set by run.sh: PAPER_MODE, PAPER_BIN (programs of the build), PAPER_WORK (inputs, state and profiles),
# PAPER_OUT (fragments and pictures). Results of one experiment that another needs are kept as JSON in PAPER_WORK.
package Paper;
use strict;
use warnings;
use Exporter qw(import);
use FindBin;
use lib "$FindBin::Bin/..";
use Chart;
use JSON::PP;
use List::Util qw(sum max);
use Time::HiRes qw(sleep);

our @EXPORT = qw(setting bin_file work_file programs run_cpu_ms record_options stats_of overlap_of keep kept median quartiles geomean
  table fragment picture percent number note @kIntervals @kMethods %kMethod interval_name);

my %settings = (
  smallest => {programs => {quantum_gates => './quantum_gates 200', grid_paths => './grid_paths 10'},
  intervals => [500_000, 2_000_000], rounds => 1, starts => 3,
    lengths => [16, 128], length_programs => [qw(grid_paths)], threads => [1, 4], thread_work => 400, contention => 300,
    slices => 20,
    reference_traces => 100, more_traces => 200, more_programs => [qw(grid_paths)]},
  quick => {intervals => [500_000, 1_000_000, 2_000_000, 4_000_000, 5_000_000], rounds => 3, starts => 15,
    lengths => [16, 32, 64, 128, 256, 512, 1024], length_programs => [qw(perl bzip2 cc1 gnugo xalan)],
    threads => [1, 4, 16, 64, 128, 256, 400], thread_work => 6000, contention => 3000, slices => 200,
    reference_traces => 1000,
    more_traces => 3000, more_programs => [qw(perl cc1 mincost cppcheck povray event_network python3 xalan)]},
  full => {intervals => [500_000, 1_000_000, 2_000_000, 4_000_000, 5_000_000], rounds => 9, starts => 31,
    lengths => [16, 32, 64, 128, 256, 512, 1024], length_programs => [],
    threads => [1, 2, 4, 8, 16, 32, 64, 128, 256, 400], thread_work => 30000, contention => 20000, slices => 1000,
    reference_traces => 20000, more_traces => 30000, more_programs => [qw(perl cc1 cppcheck xalan)]},
);

sub setting {
  my ($name) = @_;
  my $mode = $settings{$ENV{PAPER_MODE} // 'quick'} // die "Paper.pm: no mode $ENV{PAPER_MODE}\n";
  return $mode->{$name};
}
our @kIntervals = @{setting('intervals')};

# The paper's method, ours with traces of the same length, and ours with the default length and as many branches: an
# eighth of the samples.
our @kMethods = qw(static lookahead long);
our %kMethod = (
  static => {options => '--resolve static --branches 16', factor => 1,
  title => 'static, 16 branches (the paper\'s method)'},
  lookahead => {options => '--resolve lookahead --branches 16', factor => 1, title => 'look-ahead, 16 branches'},
  long => {options => '--resolve lookahead --branches 128', factor => 8,
  title => 'look-ahead, 128 branches, an eighth of the samples'},
);
sub interval_name { return $_[0] / 1000 . 'k' }

sub bin_file { return "$ENV{PAPER_BIN}/$_[0]" }
sub work_file { return "$ENV{PAPER_WORK}/$_[0]" }

# Rows of programs.table that this mode has: {name, spec, why, command, missing}.
sub programs {
  my $wanted = setting('programs');
  my %only = map { $_ => 1 } split ' ', $ENV{PAPER_PROGRAMS} // '';
  my @programs;
  open my $in, '<', "$ENV{PAPER_HERE}/programs.table" or die "programs.table: $!\n";
  while (<$in>) {
    next if /^\s*(#|$)/;
    chomp;
    my ($name, $spec, $why, $command) = split /\s+\|\s+/, $_, 4;
    next if ($wanted && !$wanted->{$name}) || (%only && !$only{$name});
    $command = $wanted->{$name} if $wanted;
    $command =~ s/\$(\w+)/$ENV{$1} \/\/ ''/ge;
    my ($program) = split ' ', $command;
    my $missing = system("command -v $program >/dev/null 2>&1") != 0;
    push @programs, {name => $name, spec => $spec, why => $why, command => $command, missing => $missing};
  }
  return @programs;
}

# --- runs
# -----------------------------------------------------------------------------------------------------------------
my ($group, $is_v1);
sub slurp { my ($file) = @_; open my $in, '<', $file or return ''; local $/; return scalar <$in> }
sub make_group {
  for my $root ('/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup/unified', '/sys/fs/cgroup') {
    next unless -e "$root/cgroup.procs";
    $group = "$root/softlbr-paper-$$";
    next unless mkdir $group;
    $is_v1 = -e "$group/cpuacct.usage";
    return if $is_v1 || -e "$group/cpu.stat";
    rmdir $group;
  }
  undef $group;
  print STDERR "studies/paper: no control group can be made below /sys/fs/cgroup: run this as root\n";
  exit 77;
}
END { my $status = $?; rmdir $group if defined $group; $? = $status }
$SIG{INT} = $SIG{TERM} = sub { exit 130 };

sub used_ms {
  return slurp("$group/cpuacct.usage") / 1e6 if $is_v1;
  return slurp("$group/cpu.stat") =~ /^usage_usec (\d+)/m ? $1 / 1e3 : 0;
}

# CPU time in ms of a command, of all processes that it starts, and of the recorder's helper, which no process waits
# for. Dies if the command fails.
sub run_cpu_ms {
  my ($command) = @_;
  make_group() unless defined $group;
  my $before = used_ms();
  my $pid = fork // die "fork: $!\n";
  if ($pid == 0) {
    open my $procs, '>', "$group/cgroup.procs" or die "$group: $!\n";
    print $procs $$;
    close $procs;
    chdir $ENV{PAPER_WORK};
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', 'stderr';
    exec '/bin/sh', '-c', "exec $command";
  }
  waitpid $pid, 0;
  my $status = $?;
  for (1 .. 500) {  # the helper may take a moment longer
    last if slurp("$group/cgroup.procs") eq '';
    sleep 0.01;
  }
  die "studies/paper: exit status $status of: $command\n" . slurp("$ENV{PAPER_WORK}/stderr") if $status != 0;
  return used_ms() - $before;
}

sub record_options {
  my ($method, $period_ns, $file) = @_;
  return sprintf '%s record -q --no-children -c %d %s -o %s --', bin_file('softlbr'), $period_ns,
    $kMethod{$method}{options}, $file;
}

sub json_of {
  my ($command) = @_;
  my $text = `$command`;
  die "studies/paper: fails: $command\n" if $? != 0;
  return JSON::PP->new->decode($text);
}
sub stats_of { my ($file) = @_; return json_of(bin_file('softlbr') . " stats --json $file 2>/dev/null") }
# Overlap of two profiles: {branch, function}.
sub overlap_of {
  my ($one, $other) = @_;
  my $diff = json_of(bin_file('softlbr') . " diff --json --top 0 $one $other 2>/dev/null");
  return {branch => $diff->{overlap}, function => $diff->{overlap_of_functions}};
}

# --- results of other experiments
# -----------------------------------------------------------------------------------------
sub keep {
  my ($name, $value) = @_;
  open my $out, '>', work_file("$name.json") or die "$name.json: $!\n";
  print $out JSON::PP->new->canonical->pretty->encode($value);
  close $out or die "$name.json: $!\n";
}
sub kept {
  my ($name) = @_;
  my $text = slurp(work_file("$name.json"));
  die "studies/paper: $name.json is missing: run the experiment `$name` first\n" if $text eq '';
  return JSON::PP->new->decode($text);
}

# --- statistics
# -----------------------------------------------------------------------------------------------------------
sub at_share { my ($share, @values) = @_; my $at = $share * $#values; my $low = int $at;
  return $values[$low] + ($at - $low) * ($values[$low == $#values ? $low : $low + 1] - $values[$low]) }
sub median { return at_share(0.5, sort { $a <=> $b } @_) }
sub quartiles { my @sorted = sort { $a <=> $b } @_; return (at_share(0.25, @sorted), at_share(0.75, @sorted)) }
sub geomean { return exp(sum(map { log($_ > 1e-9 ? $_ : 1e-9) } @_) / @_) }
sub percent { my ($share, $digits) = @_; return sprintf '%.*f %%', $digits // 2, 100 * $share }
# Three significant digits.
sub number { my ($value) = @_; return $value == 0 ? '0' : abs($value) >= 1000 ? sprintf('%.0f', $value) :
sprintf('%.3g', $value) }

# --- output
# ---------------------------------------------------------------------------------------------------------------
sub table {
  my ($head, @rows) = @_;
  return join('', map { '| ' . join(' | ', @$_) . " |\n" } $head, [map { '---' } @$head], @rows) . "\n";
}
# The experiment's part of the page.
sub fragment {
  my ($name, $text) = @_;
  open my $out, '>', work_file("$name.md") or die "$name.md: $!\n";
  print $out $text;
  close $out or die "$name.md: $!\n";
}
# Draws a picture and returns the line of the page that shows it.
sub picture {
  my ($name, $title, $chart) = @_;
  my $folder = "$ENV{PAPER_OUT}/evaluation";
  mkdir $folder;
  Chart::draw("$folder/$name.svg", $chart);
  return "![$title](evaluation/$name.svg)\n\n";
}
sub note { print STDERR "$_[0]\n" }

1;
