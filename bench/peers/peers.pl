#!/usr/bin/perl
# peers.pl ROUNDS: called by peers.sh, which says what it does.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../paper";
use Paper;

my $rounds = shift // 5;
my $work = $ENV{PAPER_WORK};
my $softlbr = bin_file('softlbr');
my $preload = '/usr/lib/x86_64-linux-gnu/libprofiler.so.0';
my $clang = '/usr/lib/llvm-19/bin';
# Language, argument, and a smaller argument for the emulators.
my %programs = (quantum_gates => ['c', 1000, 150], grid_paths => ['cc', 50, 8], event_network => ['cc', 4_000_000, 600_000]);

# tool: needs a file; build: compiler and flags, of the tool's build and of the one it is compared with; run: %p program with arguments,
# %P its absolute path with arguments, %o output; flags: taken branches, exact, another build; profile: whether softlbr diff reads %o.
my $gcc = ['gcc', 'g++', '-O2 -g'];
my $llvm = ["$clang/clang", "$clang/clang++", '-O2 -g'];
my @peers = (
  {name => 'perf record, cpu-clock, 1000 Hz', needs => '/usr/bin/perf', run => 'perf record -q -e cpu-clock -F 1000 -o %o ./%p', flags => 'no no no'},
  {name => 'gperftools, 1000 Hz', needs => $preload, run => "env LD_PRELOAD=$preload CPUPROFILE=%o CPUPROFILE_FREQUENCY=1000 ./%p", flags => 'no no no'},
  {name => 'gprofng', needs => '/usr/bin/gprofng', run => 'gprofng collect app -O %o.er %P', output => '%o.er', flags => 'no no no'},
  {name => 'gprof', needs => '/usr/bin/gprof', extra => '-pg', run => './%p', output => 'gmon.out', flags => 'calls calls yes'},
  {name => 'clang, instrumented', needs => "$clang/clang", compiler => $llvm, extra => '-fprofile-instr-generate', run => 'env LLVM_PROFILE_FILE=%o ./%p',
    flags => 'edges yes yes'},
  {name => 'callgrind with jumps', needs => '/usr/bin/valgrind', strip => 1,
    run => 'valgrind -q --tool=callgrind --collect-jumps=yes --dump-instr=yes --callgrind-out-file=%o ./%p', flags => 'yes yes no', once => 1},
  {name => 'QEMU plugin (exact_counts)', needs => '/usr/bin/qemu-x86_64', run => bin_file('exact_counts') . ' -q -o %o -- ./%p', flags => 'yes yes no',
    profile => 1, once => 1},
  {name => 'softlbr, static, 16, each ms', needs => $softlbr, run => "$softlbr record -q -c 1000003 --resolve static --branches 16 -o %o -- ./%p",
    flags => 'yes no no', profile => 1},
  {name => 'softlbr, look-ahead, 128, default rate', needs => $softlbr, run => "$softlbr record -q -o %o -- ./%p", flags => 'yes no no', profile => 1},
  {name => 'softlbr, look-ahead, 1024, each ms', needs => $softlbr, run => "$softlbr record -q -c 1000003 --branches 1024 -o %o -- ./%p", flags => 'yes no no',
    profile => 1},
);

sub compile {
  my ($compiler, $extra, $name, $out) = @_;
  my $kind = $programs{$name}[0];
  return system('/bin/sh', '-c', ($kind eq 'c' ? $compiler->[0] : "$compiler->[1] -std=c++17") . " $compiler->[2] -fno-strict-aliasing $extra -o $work/$out "
    . "$ENV{PAPER_HERE}/programs/$name.$kind -lm 2>/dev/null") == 0;
}
sub bytes_of {
  my ($path) = @_;
  my $bytes = `du -sb $path 2>/dev/null`;
  return $bytes =~ /^(\d+)/ ? $1 : 0;
}

my (%sums, @missing);
chdir $work or die "$work: $!\n";
PEER: for my $peer (@peers) {
  unless (-e $peer->{needs}) { push @missing, $peer->{name}; next }
  for my $name (sort keys %programs) {
    my $compiler = $peer->{compiler} // $gcc;
    my ($base, $own) = ("$name.base", $name);
    unless (compile($compiler, '', $name, $base) && compile($compiler, $peer->{extra} // '', $name, $own)) { push @missing, "$peer->{name} (its build fails)"; next PEER }
    system "strip $work/$own" if $peer->{strip};  # valgrind 3.19 does not read DWARF 5
    my $truth = "truth.$name." . ($peer->{once} ? 'small' : 'large');
    if ($peer->{profile} && !-e $truth) {
      system('/bin/sh', '-c', bin_file('exact_counts') . " -q -o $truth -- ./$own $programs{$name}[$peer->{once} ? 2 : 1] >/dev/null") == 0 or die "peers.pl: no exact counts of $name\n";
    }
    my $argument = $programs{$name}[$peer->{once} ? 2 : 1];
    my $output = $peer->{output} // '%o';
    my (@ratios, $bytes);
    for my $round (1 .. ($peer->{once} ? 1 : $rounds)) {
      my $file = "out.$round";
      system "rm -rf $work/$file $work/$file.er $work/gmon.out";
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
    push @{$sum->{bytes}}, $bytes;
    push @{$sum->{overlap}}, overlap_of("$work/$truth", "$work/out." . ($peer->{once} ? 1 : $rounds))->{branch} if $peer->{profile};
  }
  note($peer->{name});
}
print 'Geometric means over ' . join(', ', sort keys %programs) . "; $rounds pairs, of the emulators one.\n\n";
print table(['tool', 'CPU time', 'bytes', 'taken branches', 'exact', 'another build', 'overlap with exact counts'], map {
  my $sum = $sums{$_->{name}};
  [$_->{name}, sprintf('%.3f', geomean(@{$sum->{ratio}})), sprintf('%.0f', geomean(map { $_ || 1 } @{$sum->{bytes}})), split(' ', $_->{flags}),
    $sum->{overlap} ? sprintf('%.3f', geomean(@{$sum->{overlap}})) : '-'] } grep { $sums{$_->{name}} && @{$sums{$_->{name}}{ratio}} == keys %programs } @peers);
print 'Not measured: ' . join(', ', @missing) . ".\n" if @missing;
