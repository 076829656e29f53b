# Writes charts as SVG: the same bytes for the same figures on every machine, which gnuplot does not promise.
#
#   bars(title, unit, categories, series)    stacked bars for each category; series: [name, [value per category]]...
#   grouped(...)                             the same, with the bars side by side
#   lines(title, x name, y name, series)     both axes logarithmic; series: [name, [[x, y]...]]...
package Svg;
use strict;
use warnings;
use List::Util qw(max min sum);

my @colours = ('#4477aa', '#ee6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#999999');

sub escaped { my ($text) = @_; $text =~ s/&/&amp;/g; $text =~ s/</&lt;/g; $text =~ s/>/&gt;/g; return $text }
sub text_at {
  my ($x, $y, $text, $more) = @_;
  return sprintf qq{<text x="%.1f" y="%.1f" %s>%s</text>\n}, $x, $y, $more // '', escaped($text);
}
sub start {
  my ($width, $height, $title) = @_;
  return qq{<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height" font-family="sans-serif" font-size="11">\n}
    . qq{<rect width="$width" height="$height" fill="white"/>\n} . text_at(10, 18, $title, 'font-size="13" font-weight="bold"');
}
sub legend {
  my ($x, @names) = @_;
  my $svg = '';
  for my $i (0 .. $#names) {
    my $y = 40 + 16 * $i;
    $svg .= sprintf qq{<rect x="%d" y="%d" width="10" height="10" fill="%s"/>\n}, $x, $y, $colours[$i % @colours];
    $svg .= text_at($x + 15, $y + 9, $names[$i]);
  }
  return $svg;
}
# A round step that gives at most six marks up to `top`.
sub step_for {
  my ($top) = @_;
  my $step = 10 ** int(log($top > 0 ? $top / 6 : 1) / log(10) - 1);
  for (1 .. 40) {
    for my $factor (1, 2, 5) { return $factor * $step if $top / ($factor * $step) <= 6 }
    $step *= 10;
  }
  return $top;
}

# The y axis of bars: marks each `step`, `scale` pixels a unit.
sub axis {
  my ($left, $top, $plot, $width, $step, $scale, $unit) = @_;
  my $svg = '';
  for (my $mark = 0; $mark * $scale <= $plot + 0.01; $mark += $step) {
    my $y = $top + $plot - $mark * $scale;
    $svg .= sprintf qq{<line x1="%d" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#dddddd"/>\n}, $left, $y, $left + $width, $y;
    $svg .= text_at($left - 5, $y + 4, sprintf('%.4g', $mark), 'text-anchor="end"');
  }
  return $svg . text_at(10, $top - 2, $unit);
}
sub category {
  my ($x, $y, $name) = @_;
  return text_at($x, $y, $name, sprintf('text-anchor="end" transform="rotate(-50 %.1f %.1f)"', $x, $y));
}

sub bars {
  my ($title, $unit, $categories, @series) = @_;
  my ($left, $top, $bottom, $per) = (60, 34, 110, max(16, 700 / @$categories));
  my $width = $left + $per * @$categories + 230;
  my $height = 400;
  my $plot = $height - $top - $bottom;
  my @sums = map { my $i = $_; sum(map { max(0, $_->[1][$i]) } @series) } 0 .. $#$categories;
  my $most = max(@sums) || 1;
  my $step = step_for($most);
  my $scale = $plot / ($step * (int($most / $step - 1e-9) + 1));
  my $svg = start(int $width, $height, $title) . axis($left, $top, $plot, $per * @$categories, $step, $scale, $unit);
  for my $i (0 .. $#$categories) {
    my $y = $top + $plot;
    for my $s (0 .. $#series) {
      my $size = max(0, $series[$s][1][$i]) * $scale;
      $y -= $size;
      $svg .= sprintf qq{<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>\n}, $left + $per * ($i + 0.15), $y, $per * 0.7, $size,
        $colours[$s % @colours];
    }
    $svg .= category($left + $per * ($i + 0.5), $top + $plot + 12, $categories->[$i]);
  }
  return $svg . legend($left + $per * @$categories + 15, map { $_->[0] } @series) . "</svg>\n";
}

# Bars side by side.
sub grouped {
  my ($title, $unit, $categories, @series) = @_;
  my ($left, $top, $bottom, $per) = (60, 34, 110, max(8 + 8 * @series, 700 / @$categories));
  my ($width, $height) = ($left + $per * @$categories + 230, 400);
  my $plot = $height - $top - $bottom;
  my $most = max(map { @{$_->[1]} } @series) || 1;
  my $step = step_for($most);
  my $scale = $plot / ($step * (int($most / $step - 1e-9) + 1));
  my $svg = start(int $width, $height, $title) . axis($left, $top, $plot, $per * @$categories, $step, $scale, $unit);
  for my $i (0 .. $#$categories) {
    my $bar = $per * 0.8 / @series;
    for my $s (0 .. $#series) {
      my $size = max(0, $series[$s][1][$i]) * $scale;
      $svg .= sprintf qq{<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>\n}, $left + $per * ($i + 0.1) + $bar * $s, $top + $plot - $size,
        $bar, $size, $colours[$s % @colours];
    }
    $svg .= category($left + $per * ($i + 0.5), $top + $plot + 12, $categories->[$i]);
  }
  return $svg . legend($left + $per * @$categories + 15, map { $_->[0] } @series) . "</svg>\n";
}

sub lines {
  my ($title, $x_name, $y_name, @series) = @_;
  my ($left, $top, $bottom, $plot_width, $height) = (60, 40, 50, 480, 340);
  my $plot = $height - $top - $bottom;
  my @x = map { $_->[0] } map { @{$_->[1]} } @series;
  my @y = grep { $_ > 0 } map { $_->[1] } map { @{$_->[1]} } @series;
  my ($x0, $x1) = (log(min(@x)), log(max(@x)));
  my ($y0, $y1) = (int(log(min(@y)) / log(10) + 100) - 100, int(log(max(@y)) / log(10) + 100) - 99);
  my $x_at = sub { $left + ($x1 > $x0 ? (log($_[0]) - $x0) / ($x1 - $x0) : 0.5) * $plot_width };
  my $y_at = sub { $top + $plot * (1 - (log($_[0]) / log(10) - $y0) / ($y1 - $y0)) };
  my $svg = start($left + $plot_width + 270, $height, $title);
  for my $power ($y0 .. $y1) {
    my $y = $y_at->(10 ** $power);
    $svg .= sprintf qq{<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#dddddd"/>\n}, $left, $y, $left + $plot_width, $y;
    $svg .= text_at($left - 5, $y + 4, sprintf('%g', 10 ** $power), 'text-anchor="end"');
  }
  my %seen;
  for my $x (sort { $a <=> $b } grep { !$seen{$_}++ } @x) {
    $svg .= text_at($x_at->($x), $top + $plot + 16, $x, 'text-anchor="middle"');
  }
  $svg .= text_at($left + $plot_width / 2, $height - 12, $x_name, 'text-anchor="middle"') . text_at(10, $top - 6, $y_name);
  for my $s (0 .. $#series) {
    my @points = map { sprintf '%.1f,%.1f', $x_at->($_->[0]), $y_at->($_->[1]) } grep { $_->[1] > 0 } @{$series[$s][1]};
    my $colour = $colours[$s % @colours];
    $svg .= sprintf qq{<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>\n}, join(' ', @points), $colour;
    for my $point (@points) {
      my ($x, $y) = split /,/, $point;
      $svg .= qq{<circle cx="$x" cy="$y" r="3" fill="$colour"/>\n};
    }
  }
  return $svg . legend($left + $plot_width + 15, map { $_->[0] } @series) . "</svg>\n";
}

1;
