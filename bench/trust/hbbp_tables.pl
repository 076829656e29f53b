#!/usr/bin/perl
# hbbp_tables.pl FIGURES MNEMONICS DOCS: writes the tables of the raw figures of hbbp.sh between the markers of DOCS/evaluation_hbbp.md, and
# the picture DOCS/evaluation_hbbp.svg.
use strict;
use warnings;

my ($figures, $mnemonics, $docs) = @ARGV;
die "usage: hbbp_tables.pl FIGURES MNEMONICS DOCS\n" unless defined $docs;
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
  return "| $_[0] | " . join(' | ', map { ($_->[0] eq 'clock' ? 'clock: ' : 'ideal: ') . $label{$_->[1]} } @columns) . " |\n" . '|---' x 7 . "|\n";
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
  $text .= join(' | ', '| arithmetic mean', map { my $c = "@$_"; my $s = 0; $s += $value{$by}{$_}{$c} for @programs; percent($s / @programs) } @columns) . " |\n";
  return $text . join(' | ', '| geometric mean', map { percent(exp($logs{$_} / @programs)) } 0 .. 5) . " |\n";
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
  $top .= join(' | ', "| `$mnemonic`, $exact{$mnemonic}", map { percent(abs($measured{$mnemonic}{"@$_"} - $exact{$mnemonic}) / $exact{$mnemonic}) } @columns)
    . " |\n";
}

my $path = "$docs/evaluation_hbbp.md";
open $in, '<', $path or die "$path: $!\n";
my $page = do { local $/; <$in> };
for (['figure 2', errors('mnemonic')], ['blocks', errors('block')], ['figures 3 and 4', $top]) {
  my ($marker, $text) = @$_;
  $page =~ s/(<!-- $marker -->\n).*?(<!-- end -->)/$1\n$text\n$2/s or die "no marker $marker in $path\n";
}
open my $out, '>', $path or die "$path: $!\n";
print $out $page;
close $out or die "$path: $!\n";

# The picture: average weighted errors, a group of bars for each program.
my %colour = (samples => '#b04040', ranges => '#4a90d0', hybrid => '#70a060');
my ($height, $left, $up, $full) = (220, 40, 40, 0.4);
my $width = $left + 100 * @programs;
my $svg = qq(<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="300" font-family="sans-serif" font-size="11">\n)
  . qq(<rect width="100%" height="100%" fill="white"/>\n<text x="40" y="20">average weighted error; left three bars ideal, right three clock: )
  . qq(samples (red), branches (blue), hybrid (green)</text>\n);
for my $tick (0, 0.1, 0.2, 0.3, 0.4) {
  my $y = $up + $height * (1 - $tick / $full);
  $svg .= sprintf qq(<line x1="36" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/><text x="4" y="%.1f">%d %%</text>\n), $y, $width, $y, $y + 4, 100 * $tick;
}
my $x = $left;
for my $name (@programs) {
  my $at = $x;
  for my $column (@columns) {
    my $error = $value{mnemonic}{$name}{"@$column"} // 0;
    my $tall = $height * ($error > $full ? 1 : $error / $full);
    $svg .= sprintf qq(<rect x="%d" y="%.1f" width="12" height="%.1f" fill="%s"/>\n), $at, $up + $height - $tall, $tall, $colour{$column->[1]};
    $at += $column->[0] eq 'instructions' && $column->[1] eq 'hybrid' ? 19 : 13;
  }
  $svg .= sprintf qq(<text x="%d" y="%d">%s</text>\n), $x, $up + $height + 16, $name;
  $x += 100;
}
open $out, '>', "$docs/evaluation_hbbp.svg" or die "$docs/evaluation_hbbp.svg: $!\n";
print $out $svg, "</svg>\n";
close $out or die "$docs/evaluation_hbbp.svg: $!\n";
