#!/usr/bin/perl
# peers.pl ROUNDS [PROGRAM...]: called by peers.sh, which says what it does.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../paper";
use JSON::PP;
use List::Util qw(min sum0);
use Paper;

my $rounds = shift // 5;
my $work = $ENV{PAPER_WORK};
my $softlbr = bin_file('softlbr');
my $preload = '/usr/lib/x86_64-linux-gnu/libprofiler.so.0';
my $clang = '/usr/lib/llvm-19/bin';
my $bolt = "$clang/llvm-bolt";  # finds its runtime library beside itself, so not by a link in /usr/bin
# Language, argument, and a smaller argument for the emulators.
my %programs = (quantum_gates => ['c', 1000, 150], grid_paths => ['cc', 50, 8],
event_network => ['cc', 4_000_000, 600_000]);

if (@ARGV) { my %wanted = map { $_ => 1 } @ARGV; delete @programs{grep { !$wanted{$_} } keys %programs} }
die "peers.pl: none of these programs\n" unless %programs;

# tool: needs a file; build: compiler and flags, of the tool's build and of the one it is compared with; run: %p program
# with arguments, %P its absolute path with arguments, %o output; rewrite: makes program %p.rewritten, which is run, of
# %p;
# flags: taken branches, exact, another build; profile: whether softlbr diff reads %o; fdata: whether %o is one of BOLT;
# functions: command that prints what the tool says of each function, and a pattern with count and name of its lines;
# %b: the program.
my $gcc = ['gcc', 'g++', '-O2 -g'];
my $llvm = ["$clang/clang", "$clang/clang++", '-O2 -g'];
my @peers = (
  {name => 'perf record, cpu-clock, 1000 Hz', needs => '/usr/bin/perf',
  run => 'perf record -q -e cpu-clock -F 1000 -o %o ./%p', flags => 'no no no',
    functions => ['perf script -i %o -F ip,sym', qr/^\s*(?!ffff)[0-9a-f]+()\s+(\S.*)/]},
  {name => 'gperftools, 1000 Hz', needs => $preload,
  run => "env LD_PRELOAD=$preload CPUPROFILE=%o CPUPROFILE_FREQUENCY=1000 ./%p", flags => 'no no no'},
  {name => 'gprofng', needs => '/usr/bin/gprofng', run => 'gprofng collect app -O %o.er %P', output => '%o.er',
  flags => 'no no no',
    functions => ['gprofng display text -metrics e.totalcpu:name -functions %o.er',
    qr/^\s*([\d.]+)\s+(?!<)([^\d\s].*)/]},
  {name => 'gprof', needs => '/usr/bin/gprof', extra => '-pg', run => './%p', output => 'gmon.out',
  flags => 'calls calls yes',
    functions => ['gprof -b -p ./%b gmon.out',
    qr/^\s*[\d.]+\s+[\d.]+\s+([\d.]+)\s+(?:\d+\s+[\d.]+\s+[\d.]+\s+)?([^\d\s].*)/]},
  {name => 'clang, instrumented', needs => "$clang/clang", compiler => $llvm, extra => '-fprofile-instr-generate',
  run => 'env LLVM_PROFILE_FILE=%o ./%p',
    flags => 'edges yes yes'},
  {name => 'BOLT, instrumented', needs => $bolt, extra => '-Wl,-q', run => './%p', output => 'bolt.fdata',
  flags => 'yes yes rewritten', fdata => 1,
    rewrite => "$bolt -instrument -instrumentation-file=$work/bolt.fdata %p -o %p.rewritten"},
  {name => 'callgrind with jumps', needs => '/usr/bin/valgrind', extra => '-g0',  # valgrind 3.19 does not read DWARF 5
    run => 'valgrind -q --tool=callgrind --collect-jumps=yes --dump-instr=yes --callgrind-out-file=%o ./%p',
      flags => 'yes yes no', once => 1,
    functions => ['callgrind_annotate --threshold=100 %o', qr/^\s*([\d,]+) \([^)]*\)\s+[^:]*:(?!:)(\S.*?)(?: \[.*)?$/]},
  {name => 'QEMU plugin (exact_counts)', needs => '/usr/bin/qemu-x86_64',
  run => bin_file('exact_counts') . ' -q -o %o -- ./%p', flags => 'yes yes no',
    profile => 1, once => 1},
  {name => 'softlbr, static, 16, each ms', needs => $softlbr,
  run => "$softlbr record -q -c 1000003 --resolve static --branches 16 -o %o -- ./%p",
    flags => 'yes no no', profile => 1},
  {name => 'softlbr, look-ahead, default length and rate', needs => $softlbr, run => "$softlbr record -q -o %o -- ./%p",
  flags => 'yes no no', profile => 1},
  {name => 'softlbr, look-ahead, 1024, each ms', needs => $softlbr,
  run => "$softlbr record -q -c 1000003 --branches 1024 -o %o -- ./%p", flags => 'yes no no',
    profile => 1},
);

sub compile {
  my ($compiler, $extra, $name, $out) = @_;
  my $kind = $programs{$name}[0];
  return system('/bin/sh', '-c', ($kind eq 'c' ? $compiler->[0] : "$compiler->[1] -std=c++17") .
    " $compiler->[2] -fno-strict-aliasing $extra -o $work/$out "
    . "$ENV{PAPER_HERE}/programs/$name.$kind -lm 2>/dev/null") == 0;
}
sub bytes_of {
  my ($path) = @_;
  my $bytes = `du -sb $path 2>/dev/null`;
  return $bytes =~ /^(\d+)/ ? $1 : 0;
}

# Overlap of two tables {name => count} of which each is taken relative to its sum.
sub overlap_of_counts {
  my ($one, $other) = @_;
  my ($sum, $other_sum) = (sum0(values %$one), sum0(values %$other));
  return 0 unless $sum && $other_sum;
  return sum0(map { min($one->{$_} / $sum, ($other->{$_} // 0) / $other_sum) } keys %$one);
}
# The branches of a program as {"FUNCTION OFFSET"}: BOLT counts what flows from one block into the next as well.
sub branches_of_program {
  my ($program) = @_;
  my (%is_branch, $function, $start);
  for (`objdump -d --no-show-raw-insn $program`) {
    if (/^([0-9a-f]+) <(.*)>:/) { ($start, $function) = (hex $1, $2) }
    elsif (defined $start && /^\s+([0-9a-f]+):\s+(?:bnd |notrack )*(?:j|call)/) { $is_branch{sprintf '%s %x', $function,
      hex($1) - $start} = 1 }
  }
  return \%is_branch;
}
# Counts of a file of BOLT: lines "1 FUNCTION OFFSET 1 FUNCTION OFFSET MISPREDICTIONS COUNT", 0 for what is not in the
# program. Taken are branches within a function, which conditional ones that fall through are too, and calls. Returns,
# and what leads to other modules, BOLT does not count.
sub counts_of_fdata {
  my ($path, $is_branch) = @_;
  my %counts;
  open my $in, '<', $path or return \%counts;
  while (<$in>) {
    my ($known, $from, $offset, $to_known, $to, $to_offset, undef, $count) = split;
    next unless $known eq '1' && $to_known eq '1' && $to !~ /\@PLT/ && ($from eq $to || $to_offset eq '0');
    s{/\d+$}{} for $from, $to;
    $counts{"$from $offset $to $to_offset"} += $count if $is_branch->{"$from $offset"};
  }
  return \%counts;
}
# The same of a profile of softlbr.
sub counts_of_profile {
  my ($profile, $is_branch) = @_;
  system('/bin/sh', '-c', "$softlbr convert --to bolt --format fdata -o $work/converted.fdata $profile 2>/dev/null") ==
    0 or die "peers.pl: no fdata of $profile\n";
  return counts_of_fdata("$work/converted.fdata", $is_branch);
}
# A function's name as tools agree on it: without parameters, and without the part that was split off.
sub function_name {
  my ($name) = @_;
  $name =~ s{\(anonymous namespace\)}{anonymous}g;
  $name =~ s{^(?:void|bool|int|long|double) }{};
  $name =~ s{\(.*|@.*|'\d+$}{}g;
  $name =~ s{\.(?:cold|part|isra|constprop)\b.*}{};
  return $name;
}
# Executed instructions of each function of the exact counts.
sub instructions_by_function {
  my ($truth) = @_;
  my %counts;
  my $mix = JSON::PP->new->decode(scalar `$softlbr mix --by function --top 1000000 --json $truth 2>/dev/null`);
  $counts{function_name($_->{function})} += $_->{instructions} for @{$mix->{tables}[0]{rows}};
  return \%counts;
}

my (%sums, @missing);
chdir $work or die "$work: $!\n";
PEER: for my $peer (@peers) {
  unless (-e $peer->{needs}) { push @missing, $peer->{name}; next }
  for my $name (sort keys %programs) {
    my $compiler = $peer->{compiler} // $gcc;
    my ($base, $own) = ("$name.base", $name);
    unless (compile($compiler, '', $name, $base) && compile($compiler, $peer->{extra} // '', $name, $own)) {
      push @missing, "$peer->{name} (its build fails)"; next PEER }
    # Another build has other addresses, so exact counts of its own.
    my $truth = "truth.$name." . ($peer->{once} ? 'small' : 'large') . ($peer->{extra} ? '.own' : '');
    unlink $truth if $peer->{extra};
    if (($peer->{profile} || $peer->{fdata} || $peer->{functions}) && !-e $truth) {
      system('/bin/sh', '-c', bin_file('exact_counts') .
        " -q -o $truth -- ./$own $programs{$name}[$peer->{once} ? 2 : 1] >/dev/null") == 0 or
        die "peers.pl: no exact counts of $name\n";
    }
    if ($peer->{rewrite}) {
      (my $command = $peer->{rewrite}) =~ s/%p/$own/g;
      unless (system('/bin/sh', '-c', "$command >rewriting 2>&1") == 0) { push @missing,
        "$peer->{name} (rewriting fails)"; next PEER }
      $own = "$own.rewritten";
    }
    my $argument = $programs{$name}[$peer->{once} ? 2 : 1];
    my $output = $peer->{output} // '%o';
    my (@ratios, $bytes);
    for my $round (1 .. ($peer->{once} ? 1 : $rounds)) {
      my $file = "out.$round";
      system "rm -rf $work/$file $work/$file.er $work/gmon.out $work/bolt.fdata";
      my %values = (p => "$own $argument", P => "$work/$own $argument", o => $file);
      (my $command = $peer->{run}) =~ s/%([pPo])/$values{$1}/g;
      my %cpu;
      for my $way ($round % 2 ? qw(alone with) : qw(with alone)) {
        my $cpu = eval { run_cpu_ms($way eq 'alone' ? "./$base $argument" : $command) };
        unless (defined $cpu) { note($@); push @missing, "$peer->{name} (fails)"; next PEER }
        $cpu{$way} = $cpu;
      }
      push @ratios, $cpu{with} / $cpu{alone};
      ($bytes = $output) =~ s/%o/$file/;
      $bytes = bytes_of("$work/$bytes");
    }
    my $sum = $sums{$peer->{name}} //= {};
    push @{$sum->{ratio}}, median(@ratios);
    push @{$sum->{ratios}}, @ratios;
    push @{$sum->{bytes}}, $bytes;
    my $file = "$work/out." . ($peer->{once} ? 1 : $rounds);
    push @{$sum->{overlap}}, overlap_of("$work/$truth", $file)->{branch} if $peer->{profile};
    if ($peer->{profile} || $peer->{fdata}) {
      my $is_branch = branches_of_program("$work/$name");
      my $counts = $peer->{fdata} ? counts_of_fdata("$work/$output", $is_branch) : counts_of_profile($file, $is_branch);
      push @{$sum->{program}}, overlap_of_counts($counts, counts_of_profile("$work/$truth", $is_branch));
    }
    if ($peer->{functions}) {
      my ($command, $pattern) = @{$peer->{functions}};
      $command =~ s/%([ob])/$1 eq 'o' ? $file : $own/ge;
      my %counts;
      for (`$command 2>/dev/null`) {
        my ($count, $function) = /$pattern/ or next;
        $count =~ tr/,//d;
        $counts{function_name($function)} += $count eq '' ? 1 : $count;
      }
      push @{$sum->{functions}}, overlap_of_counts(\%counts, instructions_by_function("$work/$truth"));
    } elsif ($peer->{profile}) {
      push @{$sum->{functions}}, overlap_of_counts(instructions_by_function($file),
        instructions_by_function("$work/$truth"));
    }
  }
  note($peer->{name});
}
my $text = 'Geometric means over ' . join(', ', sort keys %programs) .
  "; $rounds pairs, of the emulators one; in brackets the extremes of all pairs.\n\n";
$text .= table(['tool', 'CPU time', 'bytes', 'taken branches', 'exact', 'another build', 'overlap: all branches',
  'branches in the program', 'instructions by function'], map {
  my $sum = $sums{$_->{name}};
  my @ratios = sort { $a <=> $b } @{$sum->{ratios}};
  [$_->{name}, sprintf('%.3f (%.3f to %.3f)', geomean(@{$sum->{ratio}}), $ratios[0], $ratios[-1]),
    sprintf('%.0f', geomean(map { $_ || 1 } @{$sum->{bytes}})),
    split(' ', $_->{flags}), map { $sum->{$_} ? sprintf('%.3f', geomean(@{$sum->{$_}})) :
    '-' } qw(overlap program functions)]
} grep { $sums{$_->{name}} && @{$sums{$_->{name}}{ratio}} == keys %programs } @peers);
$text .= 'Not measured: ' . join(', ', @missing) . ".\n" if @missing;
print $text;
if (defined $ENV{PEERS_PAGE}) {
  open my $in, '<', $ENV{PEERS_PAGE} or die "$ENV{PEERS_PAGE}: $!\n";
  my $page = do { local $/; <$in> };
  $page =~ s/(<!-- peers -->\n).*?(<!-- end -->)/$1\n$text\n$2/s or die "no marker peers in $ENV{PEERS_PAGE}\n";
  open my $out, '>', $ENV{PEERS_PAGE} or die "$ENV{PEERS_PAGE}: $!\n";
  print $out $page;
  close $out or die "$ENV{PEERS_PAGE}: $!\n";
}
