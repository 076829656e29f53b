# Pictures of the studies. toolchain/db/charts/draw_chart.sh draws them, like those of `softlbr db report`, and says
# what a chart, an axis and a series are.
#
#   bars(kind, title, x, names, series...)   kind: bars or groups; x: [NAME, UNIT, SCALE, MOST]; series: [NAME, [value
#                                            per name], COLOUR]... with_notes(chart, notes) the same chart with a note
#                                            behind each row
#   points(title, x, y, series...)           series: [NAME, [[x, y, text]...], STYLE, SIDE]...
#   draw(file, chart)                        writes the picture. If it cannot be drawn it says why, and the script exits
#                                            with 3 when all else is done
package Chart;
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);

my $drawer = dirname(abs_path(__FILE__)) . '/../toolchain/db/charts/draw_chart.sh';
my $is_missing;

sub line { return join("\t", map { ($_ // '') =~ s/[\t\n]/ /gr } @_) . "\n" }

sub bars {
  my ($kind, $title, $x, $names, @series) = @_;
  my $chart = line('kind', $kind) . line('title', $title) . line('x', @$x) . join('',
    map { line('series', $_->[0], $_->[2]) } @series) . "\n";
  for my $i (0 .. $#$names) { $chart .= line($names->[$i], '', map { $_->[1][$i] } @series) }
  return $chart;
}

sub with_notes {
  my ($chart, @notes) = @_;
  my ($settings, $rows) = split /\n\n/, $chart, 2;
  return "$settings\n\n" . ($rows =~ s/\t\t/"\t" . shift(@notes) . "\t"/ger);
}

sub points {
  my ($title, $x, $y, @series) = @_;
  my $chart = line('kind', 'points') . line('title', $title) . line('x', @$x) . line('y', @$y)
    . join('', map { line('series', $_->[0], '', @$_[2, 3]) } @series) . "\n";
  for my $i (0 .. $#series) { $chart .= line($i + 1, @$_) for grep { !$y->[2] || $_->[1] > 0 } @{$series[$i][1]} }
  return $chart;
}

sub draw {
  my ($file, $chart) = @_;
  open my $pipe, '|-', 'sh', '-c', 'exec sh "$0" > "$1"', $drawer, "$file.new" or die "sh: $!\n";
  print $pipe $chart;
  if (close $pipe) { rename "$file.new", $file or die "$file: $!\n" }
  else { unlink "$file.new"; $is_missing = 1 }
}
END { $? = 3 if $is_missing && $? == 0 }

1;
