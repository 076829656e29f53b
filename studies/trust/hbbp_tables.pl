#!/usr/bin/perl
# hbbp_tables.pl FIGURES MNEMONICS CASES FOLDER: writes the tables of the raw figures of hbbp.sh between the markers of
# FOLDER/evaluation_hbbp.md, and the pictures FOLDER/evaluation_hbbp.svg and FOLDER/evaluation_hbbp_mnemonics.svg.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/..";
use Chart;

my $mix_table = "$FindBin::Bin/mix.table";
my ($figures, $mnemonics, $cases, $folder) = @ARGV;
die "usage: hbbp_tables.pl FIGURES MNEMONICS CASES FOLDER\n" unless defined $folder;
my @columns = map { my $event = $_; map { [$event, $_] } qw(samples ranges hybrid) } qw(instructions clock);
my %label = (samples => 'samples', ranges => 'branches', hybrid => 'hybrid');

my (@programs, %value);
open my $in, '<', $figures or die "$figures: $!\n";
while (<$in>) {
  chomp;
  my ($name, $event, $source, $by_block, $by_mnemonic) = split /\t/;
  push @programs, $name unless grep { $_ eq $name } @programs;
  $value{block}{$name}{"$event $source"} = $by_block;
  $value{mnemonic}{$name}{"$event $source"} = $by_mnemonic;
}

sub head {
  return "| $_[0] | " . join(' | ', map { ($_->[0] eq 'clock' ? 'clock: ' : 'ideal: ') . $label{$_->[1]} } @columns) .
    " |\n" . '|---' x 7 . "|\n";
}
sub percent { return defined $_[0] ? sprintf('%.2f', 100 * $_[0]) : '-' }

sub errors {
  my $by = shift;
  my $text = head('program, error in %');
  my %logs;
  for my $name (@programs) {
    my @row = map { $value{$by}{$name}{"@$_"} } @columns;
    $logs{$_} += log($row[$_] || 1e-6) for 0 .. $#row;
    $text .= join(' | ', "| $name", map { percent($_) } @row) . " |\n";
  }
  $text .= join(' | ', '| arithmetic mean',
    map { my $c = "@$_"; my $s = 0; $s += $value{$by}{$_}{$c} for @programs; percent($s / @programs) } @columns) .
    " |\n";
  return $text . join(' | ', '| geometric mean', map { percent(exp($logs{$_} / @programs)) } 0 .. 5) . " |\n";
}

# Branch records by step: weights, longer windows, no bias.
my @steps = (['128', 'clock ranges'], ['128, by start', 'clock.start branches'],
['128, by length', 'clock.length branches'], ['1,024', 'clock1024 branches'],
  ['1,024, by start', 'clock1024.start branches'], ['1,024, by length', 'clock1024.length branches'],
  ['unbiased', 'unbiased branches']);
my $steps = join(' | ', '| program, error in %', map { $_->[0] } @steps) . " |\n" . '|---' x (1 + @steps) . "|\n";
my %step_logs;
for my $name (@programs) {
  my @row;
  for my $step (@steps) {
    my ($by_mnemonic, $by_block) = map { $value{$_}{$name}{$step->[1]} } qw(mnemonic block);
    push @row, percent($by_mnemonic) . ' (' . percent($by_block) . ')';
    $step_logs{$step->[1]}{mnemonic} += log($by_mnemonic || 1e-6);
    $step_logs{$step->[1]}{block} += log($by_block || 1e-6);
  }
  $steps .= join(' | ', "| $name", @row) . " |\n";
}
$steps .= join(' | ', '| geometric mean',
  map { my $logs = $step_logs{$_->[1]}; percent(exp($logs->{mnemonic} / @programs)) . ' (' .
  percent(exp($logs->{block} / @programs)) . ')' } @steps)
  . " |\n";

# Sampled by taken branches: error by block, and in brackets by mnemonic.
my @by_branches = map { my $event = $_; map { [$event, $_] } qw(samples ranges hybrid) } qw(branches0 branches30);
my $by_branches = join(' | ', '| program, error in %',
  map { ($_->[0] eq 'branches0' ? '' : 'skid 30: ') . $label{$_->[1]} } @by_branches) . " |\n"
  . '|---' x 7 . "|\n";
for my $name (@programs) {
  $by_branches .= join(' | ', "| $name",
    map { my $c = "@$_"; percent($value{block}{$name}{$c}) . ' (' . percent($value{mnemonic}{$name}{$c}) .
    ')' } @by_branches)
    . " |\n";
}

my (%exact, %measured);
open $in, '<', $mnemonics or die "$mnemonics: $!\n";
while (<$in>) {
  chomp;
  my ($profile, $mnemonic, $exact, $count) = split /\t/;
  my ($source, $event) = split /=/, $profile;
  $exact{$mnemonic} = $exact;
  $measured{$mnemonic}{"$event $source"} = $count;
}
my $top = head('mnemonic, executions, error in %');
my @most = grep { defined } (sort { $exact{$b} <=> $exact{$a} || $a cmp $b } keys %exact)[0 .. 19];
for my $mnemonic (@most) {
  $top .= join(' | ', "| `$mnemonic`, $exact{$mnemonic}",
    map { percent(abs($measured{$mnemonic}{"@$_"} - $exact{$mnemonic}) / $exact{$mnemonic}) } @columns)
    . " |\n";
}

# --- run times and case studies
# -------------------------------------------------------------------------------------------
my (%time, %error, %mix, %calls);
open $in, '<', $cases or die "$cases: $!\n";
while (<$in>) {
  chomp;
  my ($what, $name, $way, @rest) = split /\t/;
  if ($what eq 'time') { $time{$name}{$way} = $rest[0] }
  elsif ($what eq 'error') { $error{$name}{$way} = $rest[0] }
  elsif ($rest[0] eq 'call') { $calls{$name}{$way} += $rest[2] }
  else { $mix{$name}{$way}{$rest[0]}{$rest[1]} += $rest[2] }
}
sub row { return '| ' . join(' | ', @_) . " |\n" }
sub titles { return row(@_) . '|---' x @_ . "|\n" }

# CPU times of several programs added up: alone, and each way with its ratio in brackets.
sub run_times {
  my ($title, $paper, @names) = @_;
  return row($title, ('not measured') x 4, $paper) unless @names && !grep { !$time{$_}{alone} } @names;
  my %sum;
  for my $way (qw(alone default dense exact)) {
    $sum{$way} = 0;
    for my $name (@names) { $sum{$way} = undef unless defined $time{$name}{$way}; $sum{$way} += $time{$name}{$way}
      if defined $sum{$way} }
  }
  return row($title, sprintf('%.2f', $sum{alone} / 1e3),
    (map { defined $sum{$_} ? sprintf('%.2f (%.2fx)', $sum{$_} / 1e3, $sum{$_} / $sum{alone}) :
    '-' } qw(exact default dense)), $paper);
}
my @variants = grep { /^track_fit/ && $time{$_}{exact} } sort keys %time;
my $table1 = titles('benchmark', '(1) clean', '(2) emulator with exact counts', 'softlbr record', '... each 20 µs',
  'paper: clean, SDE')
  . run_times('the six programs of the tables above, for SPEC all', '15897, 65419 (4.11x)', @programs)
  . run_times('povray', '224, 2710 (12.1x)', 'povray')
  . run_times('event_network, for omnetpp', '281, 2122 (7.56x)', 'event_network')
  . run_times('track_fit in ' . @variants . ' builds, for all other benchmarks', '717, 48725 (68x)', @variants)
  . row('Hydro-post', ('n/a: not a public program') x 4, '287, 21959 (76.6x)');

my $long = $time{particle_steps_long};
sub long_row { my ($title, $of, @paper) = @_; return row($title, (map { $of->($_) } qw(alone default dense exact)),
  @paper) }
my $table5 = titles('', 'clean', 'softlbr record', 'softlbr record, each 20 µs', 'emulator', 'paper: clean',
  'paper: HBBP', 'paper: SDE')
  . long_row('CPU time [s]', sub { defined $long->{$_[0]} ? sprintf '%.2f', $long->{$_[0]} / 1e3 : '-' }, '27.1',
    '27.7', '277.0')
  . long_row('time penalty', sub { $_[0] eq 'alone' ? 'N/A' : defined $long->{$_[0]} ? sprintf '%.1f %%',
    100 * ($long->{$_[0]} / $long->{alone} - 1) : '-' }, 'N/A', '2.3 %', '923 %')
  . long_row('avg W error', sub { $_[0] eq 'alone' ? 'N/A' : $_[0] eq 'exact' ? '0 %' :
    percent($error{particle_steps_long}{$_[0]}) . ' %' }, 'N/A', '0.94 %', '0 %');

# Counts of a way for a track. Recorded counts are scaled to the exact number of executed instructions; without one they
# are shares.
my %tracks = map { /^fitter\s*\|\s*(\S+).*?(\d+)\s*$/ ? ($1 => $2) : () } do { open my $table, '<', $mix_table or
die "$mix_table: $!\n"; <$table> };
sub total { my ($name, $way) = @_; my $sum = 0; $sum += $_
  for map { values %$_ } values %{$mix{$name}{$way}}; return $sum }
sub scale {
  my ($name, $way) = @_;
  return 0 unless total($name, $way) && total($name, 'exact');
  return total($name, 'exact') / total($name, $way) / $tracks{$name};
}
# Sum over extensions that match, and packings that match.
sub of_track {
  my ($name, $way, $extension, $packing) = @_;
  my $scale = scale($name, $way) or return '-';
  my $sum = 0;
  for my $e (grep { /$extension/ } keys %{$mix{$name}{$way}}) {
    $sum += $mix{$name}{$way}{$e}{$_} for grep { /$packing/ } keys %{$mix{$name}{$way}{$e}};
  }
  return sprintf '%.1f', $sum * $scale;
}
my @fits = (['x87', 'track_fit_x87', 'track_fit_x87'], ['SSE', 'track_fit_sse', 'track_fit_sse'],
  ['AVX', 'track_fit_avx_calls', 'track_fit_avx'],
  ['AVX fix', 'track_fit_avx', 'track_fit_avx']);
my $table6 = titles('', 'a track', map { $_->[0] } @fits);
for my $part (['expected', 'exact', 2], ['measured', 'default', 1]) {
  my ($title, $way, $at) = @$part;
  my @names = map { $_->[$at] } @fits;
  $table6 .= row($title, 'x87 inst', map { of_track($_, $way, '^fpu', '') } @names)
    . row('', 'SSE inst', map { of_track($_, $way, '^s?sse', '') } @names)
    . row('', 'AVX inst', map { of_track($_, $way, '^avx|^fma', '') } @names)
    . row('', 'CALLs', map { my $scale = scale($_, $way); $scale ? sprintf('%.2f', ($calls{$_}{$way} // 0) * $scale) :
      '-' } @names)
    . row('', 'CPU time', map { my $ms = $time{$_}{$way eq 'exact' ? 'alone' : 'default'}; $ms ?
      sprintf('%.3f us', 1e3 * $ms / $tracks{$_}) : '-' } @names);
}
$table6 .= row('', 'avg W err', map { percent($error{$_->[1]}{default}) . ' %' } @fits);

# The vectorization view: shares of executed instructions, exact and recorded.
my @views = map { "track_fit_$_" } qw(avx_scalar sse avx avx512);
my @packings = ('none', 'scalar', 'packed 128', 'packed 256', 'packed 512');
sub share {
  my ($name, $way, @of) = @_;
  my $total = total($name, $way) or return '-';
  my $sum = 0;
  $sum += $_ for map { my ($extension, $packing) = @$_; $mix{$name}{$way}{$extension}{$packing} // 0 } @of;
  return sprintf '%.2f', 100 * $sum / $total;
}
my $table8 = titles('extension', 'packing', map { ("$_: exact", 'recorded') } 'before: scalar AVX', 'SSE', 'after: AVX',
  'AVX-512');
my %extensions;
for my $name (@views) { for my $way (qw(exact default)) { $extensions{$_} = 1 for keys %{$mix{$name}{$way}} } }
for my $extension (sort keys %extensions) {
  my @rows = grep { my $packing = $_; grep { my $name = $_;
  grep { share($name, $_, [$extension, $packing]) > 0.005 } grep {
    total($name, $_) } qw(exact default) } @views } @packings;
  $table8 .= row("`$extension`", '', map { my $name = $_;
  map { my $way = $_; share($name, $way, map { [$extension, $_] } @packings) } qw(exact default) } @views) if @rows;
  for my $packing (@rows) {
    $table8 .= row('', $packing, map { my $name = $_;
    map { share($name, $_, [$extension, $packing]) } qw(exact default) } @views);
  }
}
$table8 .= row('total', '', map { my $name = $_;
map { my $way = $_; share($name, $way, map { my $e = $_;
map { [$e, $_] } @packings } sort keys %extensions) } qw(exact default) } @views);

my $path = "$folder/evaluation_hbbp.md";
open $in, '<', $path or die "$path: $!\n";
my $page = do { local $/; <$in> };
for (['figure 2', errors('mnemonic')], ['blocks', errors('block')], ['figures 3 and 4', $top],
  ['steps', $steps], ['branch events', $by_branches], ['table 1', $table1], ['table 5', $table5], ['table 6', $table6],
  ['table 8', $table8]) {
  my ($marker, $text) = @$_;
  $page =~ s/(<!-- $marker -->\n).*?(<!-- end -->)/$1\n$text\n$2/s or die "no marker $marker in $path\n";
}
open my $out, '>', $path or die "$path: $!\n";
print $out $page;
close $out or die "$path: $!\n";

# The pictures: average weighted errors, a group of bars for each program; errors of each mnemonic by the clock, beside
# its executions.
my %colour = (instructions => {samples => '#dd9a98', ranges => '#9ac0e0', hybrid => '#a9cf9b'},
clock => {samples => '#c0504d', ranges => '#4a90d0', hybrid => '#5f9a4c'});
Chart::draw("$folder/evaluation_hbbp.svg",
  Chart::bars('groups', 'Errors by source and event', ['average weighted error', '%', '', 45], \@programs,
  map { my $column = $_; [($_->[0] eq 'clock' ? 'clock: ' : 'ideal: ') . $label{$_->[1]},
  [map { 100 * ($value{mnemonic}{$_}{"@$column"} // 0) } @programs],
    $colour{$_->[0]}{$_->[1]}] } @columns));
Chart::draw("$folder/evaluation_hbbp_mnemonics.svg", Chart::with_notes(
  Chart::bars('groups', 'particle_steps: errors by mnemonic, clock; at the right its executions',
  ['error; longer bars are cut', '%', '', 60], \@most,
    map { my $source = $_; [$label{$_}, [map {
    100 * abs($measured{$_}{"clock $source"} - $exact{$_}) / $exact{$_} } @most], $colour{clock}{$_}] }
      qw(samples ranges hybrid)), @exact{@most}));
