#!/usr/bin/perl
# Prints the rows of sweep.sh as a table, and draws them.
#
# Use: sweep_table.pl PROGRAM ROWS [SVG]
# A row: VARIED FAN_OUT DISTANCE WINDOW NEXT COVERED IN_TIME INSTRUCTIONS FETCHING USEFUL SPEED, the last seven as of run.sh's table.
use strict;
use warnings;

die "usage: sweep_table.pl PROGRAM ROWS [SVG]\n" unless @ARGV >= 2;
my ($program, $path, $svg) = @ARGV;
my @keys = qw(varied fan_out distance window next covered in_time instructions fetching useful speed);
my @rows;
open(my $file, '<', $path) or die "$path: $!\n";
while (<$file>) {
  my @words = split;
  die "$path:$.: not a row\n" unless @words == @keys;
  my %row;
  @row{@keys} = @words;
  push @rows, \%row;
}
die "$path: empty\n" unless @rows;

print "| program | fan-out | distance | window | covered | in time | more instructions | hints that fetch | useful | speed |\n";
print "|---|---|---|---|---|---|---|---|---|---|\n";
printf "| %s | %.0f %% | %d | %d | %.1f %% | %.1f %% | %.2f %% | %.1f %% | %.1f %% | %.3f |\n", $program, 100 * $_->{fan_out},
  @$_{qw(distance window covered in_time instructions fetching useful speed)}
  for @rows;
exit unless defined $svg;

# The plane of the plot: the points and a margin, in steps of the grid.
my ($left, $top, $width, $height) = (66, 52, 560, 330);
sub range_of {
  my ($key, $step) = @_;
  my @sorted = sort { $a <=> $b } map { $_->{$key} } @rows;
  return ($step * (int($sorted[0] / $step) - 1), $step * (int($sorted[-1] / $step) + 2));
}
my ($first_x, $last_x) = range_of('instructions', 0.2);
my ($first_y, $last_y) = range_of('covered', 2);
sub x_of { return $left + $width * ($_[0] - $first_x) / ($last_x - $first_x) }
sub y_of { return $top + $height * ($last_y - $_[0]) / ($last_y - $first_y) }
my %colours = ('none' => '#222222', 'fan-out' => '#1f77b4', 'distance' => '#d95f02', 'window' => '#2a8f4f');
my @out;
sub text {
  my ($x, $y, $text, $more) = @_;
  push @out, sprintf '<text x="%.1f" y="%.1f" %s>%s</text>', $x, $y, $more // '', $text;
}
push @out, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 440" width="760" height="440" font-family="sans-serif" font-size="12">',
  '<rect x="0" y="0" width="760" height="440" fill="white"/>';
text(16, 28, "Misses covered in $program against executed hints, for several choices", 'font-size="15" font-weight="bold"');
for (my $share = $first_y; $share <= $last_y; $share += 2) {
  push @out, sprintf '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>', $left, y_of($share), $left + $width, y_of($share);
  text($left - 8, y_of($share) + 4, "$share %", 'text-anchor="end"');
}
for (my $step = 0; $first_x + 0.2 * $step <= $last_x + 0.01; ++$step) {
  my $share = sprintf '%.1f', $first_x + 0.2 * $step;
  push @out, sprintf '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>', x_of($share), $top, x_of($share), $top + $height;
  text(x_of($share), $top + $height + 19, "$share %", 'text-anchor="middle"');
}
text($left + $width / 2, $top + $height + 40, 'more instructions', 'text-anchor="middle"');
text($left + 8, $top + $height - 10, "The next-line prefetcher alone covers $rows[0]{next} %.", 'fill="#666666"');
for my $row (@rows) {
  push @out, sprintf '<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>', x_of($row->{instructions}), y_of($row->{covered}), $colours{$row->{varied}};
  my $value = $row->{varied} eq 'none' ? '' : $row->{varied} eq 'fan-out' ? 100 * $row->{fan_out} . ' %' : $row->{$row->{varied}};
  # Distances stand left of their points, so that they do not hide windows.
  my ($shift, $anchor) = $row->{varied} eq 'distance' ? (-7, 'end') : (7, 'start');
  text(x_of($row->{instructions}) + $shift, y_of($row->{covered}) + 4, $value,
    "font-size=\"10\" text-anchor=\"$anchor\" fill=\"$colours{$row->{varied}}\"");
}
my $y = $top + 16;
for my $legend (['none', 'run.sh'], ['fan-out', 'fan-out'], ['distance', 'distance'], ['window', 'window']) {
  push @out, sprintf '<circle cx="%.1f" cy="%.1f" r="4" fill="%s"/>', $left + $width + 24, $y - 4, $colours{$legend->[0]};
  text($left + $width + 34, $y, $legend->[1]);
  $y += 20;
}
push @out, '</svg>';
open(my $drawing, '>', $svg) or die "$svg: $!\n";
print $drawing map { "$_\n" } @out;
close($drawing) or die "$svg: $!\n";
