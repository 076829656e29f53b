#!/usr/bin/perl
# page.pl WORK PAGE DATE: writes the page of run.sh from the results in WORK. Dies if a database's counts are not those
# of `softlbr report`.
use strict;
use warnings;
use JSON::PP;
use Math::BigInt;

my ($work, $page, $date) = @ARGV;
die "usage: page.pl WORK PAGE DATE\n" unless defined $page;
sub slurp { my ($file) = @_; open my $in, '<', $file or die "$file: $!\n"; local $/; return scalar <$in> }
sub result { return decode_json(slurp("$work/$_[0].json")) }
sub said { my ($command) = @_; my $text = `$command 2>/dev/null`; chomp $text; return $text }
sub grouped { my $text = sprintf '%.0f', $_[0]; 1 while $text =~ s/^(\d+)(\d{3})/$1,$2/; return $text }
sub percent { my ($value, $digits) = @_; return defined $value ? sprintf('%.*f %%', $digits // 1, $value) : 'none' }
sub entry { my $text = $_[0] // ''; $text =~ s/([|\\`*_<>])/\\$1/g; return length $text > 60 ?
  substr($text, 0, 28) . '...' . substr($text, -28) : $text }
sub row { return '| ' . join(' | ', @_) . " |\n" }
sub head { return row(@_) . row(map { '---' } @_) }
sub picture { my ($name, $of) = @_; return "![$of](evaluation_asmdb/$name.svg)\n\n" }

my @programs = map { my ($name, $what) = split /\|/; {name => $name, what => $what} } split /\n/,
  slurp("$work/recorded");
my @missing = split /\n/, slurp("$work/missing");
my $all = result('all.report');

# The database against the command that never saw it.
for my $program (@programs) {
  my (%expected, %found);
  for my $module (@{result("$program->{name}.counts")->{modules}}) {
    my $executed = $module->{executed_instructions};
    next unless defined $executed && $executed ne '0';
    $expected{$module->{build_id}} = ($expected{$module->{build_id}} // Math::BigInt->new(0)) +
      Math::BigInt->new("$executed");
  }
  $found{$_->{build_id}} = Math::BigInt->new($_->{executed}) for @{result("$program->{name}.modules")};
  die "page.pl: $program->{name}: the database has other files than softlbr report\n" if keys %expected != keys %found;
  for my $id (keys %expected) {
    die "page.pl: $program->{name}: the database has other counts than softlbr report, of $id\n"
      unless defined $found{$id} && $found{$id} == $expected{$id};
  }
  $program->{about} = result("$program->{name}.about")->[0];
  my $report = result("$program->{name}.report");
  $program->{mix} = {map { $_->{branch} => $_->{percent} } @{$report->{instructions}}};
  $program->{kib} = {map { sprintf('%g', $_->{percent}) => $_->{kib} } @{$report->{working_set}}};
}

my $vendor = slurp('/proc/cpuinfo') =~ /^vendor_id\s*:\s*(\S+)/m ? $1 : said('uname -m');
my $machine = slurp('/proc/cpuinfo') =~ /^flags\s*:.*\bhypervisor\b/m ? 'a virtual machine' : 'a machine';
my $count = @programs;
my $text = <<"END";
# Evaluation: AsmDB's analyses over $count programs

*AsmDB: Understanding and Mitigating Front-End Stalls in Warehouse-Scale Computers* (ISCA '19) asks a database of a fleet's executed instructions
where front-end stalls come from. Here are its Figures 2 to 13, as far as they need no counters of the fleet's machines, over programs of one
machine, which are recorded by softlbr and kept by `softlbr db`. One command records, ingests and writes this page with its pictures:

    sh studies/asmdb/run.sh build/release

Each analysis is a part of `softlbr db report`, a file of SQL in toolchain/db/queries. Programs were recorded once, at 5,000 samples a second of
CPU time, on $machine with ${\said('nproc')} CPUs of $vendor${\($date ? "; tree of $date" : '')}. What one run of a short program executes is not what a fleet
does: the paper's figures stand beside these to show what such a question answers, not to be met. Figures 3 and 5 of the paper also show misses, for
which the fleet's counters or an exact simulation are needed ([code prefetch](code_prefetch.md)).

END
$text .= 'Not installed, and so left out: ' . join(', ', @missing) . ".\n\n" if @missing;

$text .= "## The programs, and what is recovered of their control flow\n\nRows are distinct executed instructions. The executed instructions of every "
  . "file are those of `softlbr report`, to the last\none, for each program; the command fails otherwise.\n\n"
  . head('program', 'what it does', 'profile, KiB', 'taken branches', 'files', 'rows', 'executed', 'functions',
    'blocks', 'loops (irreducible)');
for (@programs) {
  my $about = $_->{about};
  $text .= row(entry($_->{name}), entry($_->{what}), sprintf('%.0f', $about->{profile_bytes} / 1024),
    map({ grouped($about->{$_}) }
    qw(taken files instruction_rows executed functions blocks)), grouped($about->{loops}) . " ($about->{irreducible})");
}
$text .= "\nA branch is explained if the decoder finds at its start a branch that can go to where it was seen to go: to its target if it is direct, "
  . "else to an\nexecuted instruction or another file. Outside: it leaves for code of no file, as of a JIT or the kernel's page. Hot: bytes of the blocks "
  . "that 99 % of the\nexecution needs, of all executed bytes. With symbols: executed instructions in functions with a name; Debian's programs are stripped, so only\nwhat they export has one.\n\n"
  . head('program', 'edges', 'explained', 'branches explained', 'outside', 'undecodable ranges', 'in loops',
    'in the program itself', 'with symbols', 'executed, KiB',
  'hot');
my @not_found = map { defined $_->{about}{not_found} ? "$_->{about}{not_found} ($_->{name})" : () } @programs;
my ($edges, $explained) = (0, 0);
for (@programs) {
  my $about = $_->{about};
  $edges += $about->{edges};
  $explained += $about->{edges} * $about->{edges_explained} / 100;
  $text .= row(entry($_->{name}), grouped($about->{edges}),
    map({ percent($about->{$_}, 2) } qw(edges_explained branches_explained)),
    percent($about->{branches_outside} // 0, 2), $about->{undecodable},
    map({ percent($about->{$_} // 0) } qw(in_loops in_main with_symbols)),
    sprintf('%.1f', $about->{executed_bytes} / 1024), percent($about->{hot_bytes} * 100 / $about->{executed_bytes}));
}
my @by_explained = sort { $a->{about}{branches_explained} <=> $b->{about}{branches_explained} } @programs;
my ($least, $most, $half) = @by_explained[0, -1, int(@by_explained / 2)];
$text .= sprintf "\nOf all %s edges %s are explained; of the branches of a program, %s (%s) to %s (%s), median %s.\n\n",
  grouped($edges),
  percent($explained * 100 / $edges, 2), percent($least->{about}{branches_explained}, 2), $least->{name},
  percent($most->{about}{branches_explained}, 2), $most->{name}, percent($half->{about}{branches_explained}, 2);
$text .= "Code of these files is missing, because they were not found or cannot be decoded: " . entry(join '; ',
  @not_found) . ".\n\n" if @not_found;
$text .= picture('libraries', 'Programs and libraries') . picture('loops', 'Loops');

$text .= "## Extensions of the instruction set (Figure 2)\n\n" . picture('extensions', 'Extensions');

$text .= "## Working set (Figure 3)\n\nKiB of cache lines of 64 bytes that hold a share of a program's executed instructions, and of all programs "
  . "together. The paper's web search\nhas a steady working set of 4 MiB.\n\n" . head('program',
    map { "$_ %" } qw(50 90 99 100));
my %kib = map { sprintf('%g', $_->{percent}) => $_->{kib} } @{$all->{working_set}};
$text .= row(@$_) for map({ my $program = $_; [entry($program->{name}),
  map { sprintf '%.1f', $program->{kib}{$_} } qw(50 90 99 100)] } @programs),
  ['all', map { sprintf '%.1f', $kib{$_} } qw(50 90 99 100)];
$text .= "\n" . picture('working_set', 'Working set') . picture('functions', 'Functions by rank');

my @kinds = (['sequential', 'none'], ['direct branch', 'conditional', 'jump'], ['indirect branch', 'indirect_jump'],
  ['direct call', 'call'],
  ['indirect call', 'indirect_call'], ['return', 'return']);
my %all_mix = map { $_->{branch} => $_->{percent} } @{$all->{instructions}};
$text .= "## Control flow (Figure 4)\n\nPercent of the executed instructions. In the paper's fleet more than 80 % are sequential and more than 10 % direct "
  . "branches; calls and returns are\n1 to 2 % each, indirect ones rarer.\n\n" . head('program',
    map { $_->[0] } @kinds);
for my $program (@programs, {name => 'all', mix => \%all_mix}) {
  $text .= row(entry($program->{name}), map { my ($name, @of) = @$_; my $sum = 0; $sum += $program->{mix}{$_} // 0
    for @of; sprintf '%.2f', $sum } @kinds);
}
$text .= "\n" . picture('instructions', 'Kinds of branches');

$text .= "## Distances of branches (Figure 6)\n\nIn the paper's fleet 99 % of the direct branches go less than 500 cache lines far, and 70 % of the direct calls "
  . "more than 100,000 lines. Programs\nof this size have no such distances; what is far here is another file.\n\n"
  . head('kind', 'taken branches', map({ "within $_ lines" } qw(1 8 64 512 16384)), 'another file');
$text .= row($_->{kind}, grouped($_->{branches}),
  map { percent($_, 2) } @$_{qw(within_1 within_8 within_64 within_512 within_16384 other_module)})
  for @{$all->{distances}};
$text .= "\n" . picture('distances', 'Distances');

$text .= "## Targets of indirect branches (Figure 7)\n\nIn the paper's fleet 80 % of the indirect calls and 58 % of the indirect branches always go to one address.\n\n"
  . head('kind', 'targets', 'branch instructions', 'executions', 'of the kind');
$text .= row($_->{kind}, $_->{targets}, grouped($_->{instructions}), grouped($_->{executions}), percent($_->{percent}))
  for @{$all->{targets}};
$text .= "\n" . picture('targets', 'Targets');

my $small = 0;
my $of_functions = 0;
for (@{$all->{sizes}}) { $of_functions += $_->{functions}; $small += $_->{functions} if $_->{log2_bytes} <= 10 }
my ($to_kib) = map { $_->{percent_so_far} } grep { $_->{log2_bytes} <= 10 } reverse @{$all->{sizes}};
$text .= "## Calls and size (Figures 8 and 9)\n\nThe most called functions. The paper finds memcpy and memcmp among the hottest, and small functions called most.\n\n"
  . head('function', 'file', 'calls', 'bytes');
$text .= row(entry($_->{function}), entry($_->{module}), grouped($_->{calls}), grouped($_->{bytes}))
  for grep { defined } @{$all->{calls}}[0 .. 14];
$text .= "\n" . picture('calls', 'Calls and size');
$text .= sprintf "%s of the functions with a name are no larger than 1 KiB, and %s of the execution in such functions is in them. The paper: 67 %% of the functions,\n31 %% of the execution.\n\n",
  percent($small * 100 / ($of_functions || 1)), percent($to_kib // 0);
$text .= picture('sizes', 'Sizes');

$text .= "## Inlining (Figure 10)\n\nHow many calls deep the compiler inlined into executed code, over the hottest functions with inlined code of the programs with debug "
  . "information,\nat most 100. In the paper most functions of 5 KiB and more have inlined code more than 10 calls deep.\n\n" . head('size of the function', 'functions', 'mean depth', 'greatest depth');
for (@{result('all.inlining')}) {
  $text .= row({1024 => 'up to 1 KiB', 5120 => 'up to 5 KiB', 0 => 'larger'}->{$_->{up_to}}, $_->{functions},
    sprintf('%.1f', $_->{mean_depth}), $_->{most_depth});
}

my @hot = @{$all->{fragmentation}};
my $cold = sub { my ($column) = @_; scalar grep { $_->{$column} > 50 } @hot };
$text .= sprintf "\n## Fragmentation (Figures 11 and 12)\n\nOf the %d hottest functions, %d have more than 50 %% cold code if what serves the last 1 %% of the execution is cold, and %d "
  . "if it is the last 0.1 %%.\nThe paper: 66 and 46 of 100.\n\n", scalar @hot, $cold->('cold_1'), $cold->('cold_01');
$text .= picture('fragmentation', 'Fragmentation of hot functions');
my @lines = @{$all->{line_fragmentation}};
$text .= sprintf "A cache line is fragmented if half of its bytes or less serves its execution. Of the same functions %s have more than 20 %% of such lines if it is 90 %% of the\n"
  . "execution, and %s if it is 99 %%. The paper: at least 10 %% of the functions. Here only executed lines\ncount, and a recording of some seconds executes few of a function.\n\n", map { my $column = $_; percent(100 * grep({ $_->{$column} > 20 } @lines) / (@lines || 1), 0) }
  qw(fragmented_90 fragmented_99);
$text .= picture('line_fragmentation', 'Fragmentation within cache lines');

$text .= "## Memory functions (Figure 13)\n\nCache lines that 90, 99 and 100 % of the executed instructions of a function need. The paper's memcmp of 6 KiB needs 2 lines for 90 % and 41 for "
  . "99 %.\n\n" . head('function', 'file', 'executed', 'bytes', 'lines for 90 %', '99 %', '100 %');
$text .= row(entry($_->{function}), entry($_->{module}), grouped($_->{instructions}), grouped($_->{bytes}),
  @$_{qw(lines_90 lines_99 lines_100)})
  for grep { defined } @{$all->{memory_functions}}[0 .. 19];
$text .= "\n" . picture('memory_functions', 'Memory functions');

$text =~ s/\n+\z/\n/;
open my $written, '>', $page or die "$page: $!\n";
print $written $text;
close $written or die "$page: $!\n";
print "$page\n";
