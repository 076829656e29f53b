#!/usr/bin/perl
# Compares the shares of `softlbr report` with those of perf and callgrind, function by function.
#
# Use: perl bench/report_shares.pl [BUILD [PROGRAM...]]      BUILD: a built tree, default build/release
#
# Time: `softlbr report` and `perf report`, both of user code sampled by a clock of the CPU time. Instructions: `softlbr
# report` and callgrind, which counts every one, on a smaller input of the same kind. Functions of a module that have no
# name in a symbol table are one row, because each of the three has another idea of where they begin and end. Prints a
# Markdown table: for each program the largest difference of time and of instructions, in points, and the function that
# has it. Exit code 1: a difference is above the limit, and two standard errors of the samples in addition; 77: perf or
# valgrind is missing. The rate is low, because a recorded program finds its caches as the samples leave them. The time
# of Debian's programs is that of their own machine code: nothing is built for this, except the programs of
# studies/trust, if they are built.
use strict;
use warnings;
no warnings 'portable';  # addresses above 32 bits
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Temp qw(tempdir);
use JSON::PP;
use List::Util qw(sum0);

my $limit = 2.0;  # points
my $build = abs_path(shift // dirname(__FILE__) . '/../build/release') // die "report_shares: no such folder\n";
my %is_wanted = map { $_ => 1 } @ARGV;
my $softlbr = "$build/bin/softlbr";

# Name; command; its long argument; the short one, for callgrind. The argument of a script is the copies of the text
# that it reads.
my $loop = 'for ((i = 0; i < $0; ++i)); do a="x$i"; s=$((s + ${#a} % 7)); case $a in *77*) s=$((s * 3 % 1000003)) ;; esac; done';
my @programs = (
  ['perl', 'perl words.pl', 40, 1],
  ['python3', '/usr/bin/python3 words.py', 40, 1],
  ['lua', 'lua5.4 words.lua', 40, 1],
  ['bash', "bash -c '$loop' {n}", 2000000, 20000],
  ['event_network', "$build/bin/trust/event_network {n}", 160000000, 1000000],
  ['particle_steps', "$build/bin/trust/particle_steps {n}", 5000000, 10000],
);

sub run {
  my ($command) = @_;
  open my $out, '-|', 'bash', '-c', "exec 2>/dev/null </dev/null; $command" or die "bash: $!\n";
  my $text = join '', <$out>;
  close $out or die "report_shares: status $?: $command\n";
  return $text;
}

# A C++ function without its namespace's brackets, template arguments, parameters and result: the tools differ in them.
sub plain {
  my ($name) = @_;
  $name =~ s/\(anonymous namespace\):://g;
  1 while $name =~ s/<[^<>]*>//g;
  $name =~ s/\(.*//s;
  return (split / /, $name, -1)[-1] // '';
}

# A row: module and function. Unnamed code of a module is one row. Versions of a name are left out.
sub row {
  my ($module, $name) = @_;
  $module = basename($module);
  return "(no symbols) ($module)" if !defined $name || $name =~ /^(?:0x|\[|\(no symbols|\?\?\?)|^[0-9a-f]{8,}$/;
  $name = plain($name) =~ s/^(?:__GI_|__libc_|_)+//r;
  # valgrind's CPU has no AVX-512, so libc chooses other variants there.
  $name =~ s/^((?:mem|str)[a-z]+)_(?:sse|avx|evex).*/$1/;
  $name =~ s/@.*|'\d+$|\.(?:isra|part|constprop|cold|lto_priv)\.?\d*|\(.*//g;
  $name = 'free' if $name eq 'cfree';  # names of one address, as those with prefixes
  return "$name ($module)";
}

# Row -> per cent of all.
sub shares {
  my ($counts) = @_;
  my $total = sum0(values %$counts) || 1;
  return {map { $_ => 100 * $counts->{$_} / $total } keys %$counts};
}

sub of_softlbr {
  my ($command) = @_;
  run("$softlbr record -q --no-children -F 249 --branches 256 --max-overhead 100% -o p.slbr -- $command");
  my $report = decode_json(run("$softlbr report --json p.slbr"));
  my (%time, %instructions);
  for my $function (@{$report->{functions}}) {
    my $row = row($function->{module} || '(unknown)', $function->{kind} eq 'named' ? $function->{name} : undef);
    $time{$row} += $function->{samples};
    $instructions{$row} += $function->{executed_instructions};
  }
  return (shares(\%time), shares(\%instructions), $report->{samples});
}

sub of_perf {
  my ($command) = @_;
  run("perf record -q -e cpu-clock:u -F 2000 -o perf.data -- $command");
  my %time;
  for (split /\n/, run('perf script -i perf.data -F ip,sym,dso')) {
    ++$time{row($2, $1 eq '[unknown]' ? undef : $1)} if /^\s*[0-9a-f]+ (.*) \((.*)\)$/;
  }
  return (shares(\%time), sum0(values %time));
}

# The functions of a file by readelf, as [start, size, name] in order. callgrind's own names follow calls: code without
# a name that a function jumps to has the name of that function there.
sub symbols {
  my ($file) = @_;
  my $debug = run("readelf -nW '$file' || true") =~ /Build ID: (..)(\w+)/ ? "/usr/lib/debug/.build-id/$1/$2.debug" :
    $file;
  $debug = $file unless -e $debug;
  my %largest;  # start -> the longest function there
  for (split /\n/, run("readelf -sW --dyn-syms '$debug' | c++filt || true")) {
    my (undef, $start, $size, $type, undef, undef, $section, $name) = split ' ', $_, 8;
    next unless defined $name && $type =~ /^I?FUNC$/ && $section ne 'UND';
    ($start, $size) = (hex $start, $size =~ /^0x/ ? hex $size : $size);
    $largest{$start} = [$start, $size, $name] if !$largest{$start} || $size > $largest{$start}[1];
  }
  return [map { $largest{$_} } sort { $a <=> $b } keys %largest];
}

sub name_at {
  my ($symbols, $address) = @_;
  my ($low, $high) = (0, scalar @$symbols);
  while ($low < $high) {
    my $middle = int(($low + $high) / 2);
    if ($symbols->[$middle][0] <= $address) { $low = $middle + 1 } else { $high = $middle }
  }
  return undef if $low == 0;
  my ($start, $size, $name) = @{$symbols->[$low - 1]};
  return $address < $start + $size ? $name : undef;
}

sub of_callgrind {
  my ($command) = @_;
  run("valgrind --tool=callgrind --dump-instr=yes --callgrind-out-file=callgrind.out $command");
  # Lines of costs are of code of the last object, by address; those behind calls= are of the callee, and not counted
  # here.
  my (%file, %by_address, %symbols, %instructions);
  my ($object, $is_call, $address) = ('', 0, 0);
  open my $in, '<', 'callgrind.out' or die "callgrind.out: $!\n";
  while (<$in>) {
    if (/^(c?)ob=\((\d+)\)(?: (.*))?$/) {
      $file{$2} = $3 if defined $3;
      $object = $file{$2} if $1 eq '';
    } elsif (/^calls=/) {
      $is_call = 1;
    } elsif (/^(?:0x|[+\-*\d])/) {
      my ($at, undef, $count) = split;
      if ($at =~ /^0x/) { $address = hex $at } elsif ($at ne '*') { $address += $at =~ /^([+-]?)(0x\w+)/ ?
        "${1}1" * hex $2 : $at }
      $by_address{$object}{$address} += $count unless $is_call;
      $is_call = 0;
    }
  }
  for my $file (keys %by_address) {
    my $symbols = symbols($file);
    $instructions{row($file, name_at($symbols, $_))} += $by_address{$file}{$_} for keys %{$by_address{$file}};
  }
  return shares(\%instructions);
}

# The command with this argument, or the text of so many copies.
sub prepare {
  my ($command, $argument) = @_;
  return $command if $command =~ s/\{n\}/$argument/g;
  run("for i in \$(seq $argument); do cat inputs/text; done > text");
  return $command;
}

sub largest {
  my ($ours, $theirs) = @_;
  my ($most, @found) = (-1);
  for my $row (sort keys %{{%$ours, %$theirs}}) {
    my ($one, $other) = ($ours->{$row} // 0, $theirs->{$row} // 0);
    ($most, @found) = (abs($one - $other), $row, $one, $other) if abs($one - $other) > $most;
  }
  return ($most, @found);
}

sub has { return system("command -v $_[0] > /dev/null") == 0 }
if (!has('perf') || !has('valgrind')) {
  print STDERR "report_shares: perf and valgrind are needed (linux-perf, valgrind)\n";
  exit 77;
}
@ENV{qw(PYTHONHASHSEED PERL_HASH_SEED LC_ALL)} = (0, 0, 'C');
$| = 1;
my $is_close = 1;
chdir tempdir('softlbr-shares.XXXXXX', TMPDIR => 1, CLEANUP => 1);
END { chdir '/' }
run("mkdir inputs && $build/bin/real_programs --inputs inputs; cp inputs/* .");
print "| program | samples: softlbr, perf | functions of 1 % and more | time: largest difference | instructions: largest difference |\n";
print "|---|---|---|---|---|\n";
for (@programs) {
  my ($name, $command, $many, $few) = @$_;
  next if %is_wanted && !$is_wanted{$name};
  if (!has((split ' ', $command)[0])) {
    print STDERR "report_shares: $name is left out: not installed, or not built\n";
    next;
  }
  my ($time, $instructions, $ours) = of_softlbr(prepare($command, $many));
  my ($perf_time, $theirs) = of_perf(prepare($command, $many));
  my $counted = of_callgrind(prepare($command, $few));
  my @cells;
  for ([$time, $perf_time, $ours, $theirs], [$instructions, $counted]) {
    my ($mine, $other, @samples) = @$_;
    my ($points, $row, $one, $two) = largest($mine, $other);
    my $chance = 2 * sqrt sum0(map { $two * (100 - $two) / $_ } @samples);
    $is_close = 0 if $points - $chance > $limit;
    push @cells, sprintf '%.1f: %s %.1f and %.1f', $points, $row, $one, $two;
  }
  my $shown = grep { $_ >= 1 } values %$perf_time;
  print "| $name | $ours, $theirs | $shown | $cells[0] | $cells[1] |\n";
}
exit($is_close ? 0 : 1);
