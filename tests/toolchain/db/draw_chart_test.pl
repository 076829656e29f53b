#!/usr/bin/perl
# Pictures of draw_chart.sh hold their data, titles and labels, whatever version of gnuplot draws them; hostile texts
# are shown and never executed; without gnuplot one line says what to install.
#
# Use: draw_chart_test.pl DRAW_CHART_SH     Exit code: 0, 1 with a line for each failure, 77 without gnuplot
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);

my $script = abs_path($ARGV[0] // die "usage: draw_chart_test.pl DRAW_CHART_SH\n");
if (system('command -v gnuplot > /dev/null') != 0) { print "missing: gnuplot (gnuplot-nox)\n"; exit 77 }
my $folder = tempdir('softlbr-draw-XXXXXX', TMPDIR => 1, CLEANUP => 1);
chdir $folder or die "$folder: $!\n";
my @failures;
sub check { my ($is_true, $text) = @_; push @failures, $text unless $is_true }

# Status, standard output and error of the script for lines of fields.
sub draw {
  open my $in, '>', 'chart' or die "chart: $!\n";
  print $in map { ref $_ ? join("\t", @$_) . "\n" : "\n" } @_;
  close $in;
  my $status = system("sh '$script' < chart > picture 2> errors");
  my @said = map { my $file = $_; open my $read, '<', $file or die "$file: $!\n"; local $/; <$read> // '' } 'picture',
    'errors';
  return ($status >> 8, @said);
}
sub svg_of { my ($code, $svg, $errors) = draw(@_); check($code == 0 && $errors eq '', "exit $code: $errors");
return $svg }

sub fault {  # what is not well-formed XML
  my ($svg) = @_;
  my @open;
  $svg =~ s/\A<\?xml [^<>]*\?>\n// or return 'no XML';
  while ($svg =~ /\G(?:([^<>&]+)|&(?:amp|lt|gt|quot|#39);|(>)|<(\/?)([a-zA-Z]+)((?:\s+[a-zA-Z:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>)/gc) {
    if (defined $1) { return 'a control character' if $1 =~ /[\x00-\x08\x0b-\x1f\x7f]/ }
    elsif (defined $4 && $3) { return "</$4> closes nothing" unless @open && pop(@open) eq $4 }
    elsif (defined $4 && !$6) { push @open, $4 }
  }
  return 'a fault at ' . substr($svg, pos $svg // 0, 40) if (pos $svg // 0) < length $svg;
  return @open ? "<$open[-1]> stays open" : undef;
}
sub texts {
  my ($svg) = @_;
  my %entity = (amp => '&', lt => '<', gt => '>', quot => '"', '#39' => "'");
  return map { s/&(amp|lt|gt|quot|#39);/$entity{$1}/gr } $svg =~ m{<text>(.*?)</text>}g;
}
# Left, right, top and bottom of the bars of a colour, without the legend's.
sub bars {
  my ($svg, $red, $green, $blue) = @_;
  my @boxes;
  while ($svg =~ /<polygon fill = 'rgb\(\s*$red,\s*$green,\s*$blue\)' points = '([^']*)'/g) {
    my (@x, @y);
    for (split ' ', $1) { my ($x, $y) = split /,/; push @x, $x; push @y, $y }
    my ($left, $right) = (sort { $a <=> $b } @x)[0, -1];
    my ($top, $bottom) = (sort { $a <=> $b } @y)[0, -1];
    push @boxes, [$left, $right, $top, $bottom] if $left > 280;
  }
  return @boxes;
}
sub near { my ($a, $b) = @_; return defined $a && defined $b && abs($a - $b) < 0.6 }

# --- data
# -----------------------------------------------------------------------------------------------------------------
my @two = (['series', 'one', '#112233'], ['series', 'two', '#445566']);
my $svg = svg_of(['kind', 'bars'], ['title', 'The title'], ['x', 'of all', '%', '', 100], @two, undef,
  ['first', '7 k', 25, 50], ['second', '', 100, 0]);
check(!defined fault($svg), 'bars: ' . (fault($svg) // ''));
for my $text ('The title', 'of all', 'one', 'two', 'first', '7 k', 'second', '0 %',
  '100 %') { check((grep { $_ eq $text } texts($svg)) == 1, "bars: no $text") }
my @one = bars($svg, 0x11, 0x22, 0x33);
my @other = bars($svg, 0x44, 0x55, 0x66);
check(@one == 2 && near($one[0][1] - $one[0][0], 100) && near($one[1][1] - $one[1][0], 400),
  'bars of 25 and 100 % are not 100 and 400 pixels long');
check(near($other[0][0], $one[0][1]) && near($other[0][1] - $other[0][0], 200),
  'the second part does not follow the first');
check($one[0][3] < $one[1][2], 'the first row is not above the second');
check($svg =~ /prefers-color-scheme:dark/ && $svg !~ /black|"white"/, 'the colours are not those of the reader');

$svg = svg_of(['kind', 'groups'], ['title', 't'], ['x', 'cost', '', '', 50], @two, undef, ['a', '', 10, 80]);
@one = bars($svg, 0x11, 0x22, 0x33);
@other = bars($svg, 0x44, 0x55, 0x66);
check(near($one[0][1] - $one[0][0], 80) && near($other[0][1], 690),
  'groups: bars of 10 and 80 to 50 are not 80 pixels long and cut at the end');
check(near($one[0][0], $other[0][0]) && $other[0][2] > $one[0][3] - 0.6, 'groups: the bars are not below each other');

$svg = svg_of(['kind', 'points'], ['title', 't'], ['x', 'size', 'bytes', 2], ['y', 'share', '%', 10, 100],
  ['series', '', '', 'points', 'right'], undef,
  [1, 64, 100, 'top'], [1, 512, 10, 'middle'], [1, 4096, 0.1]);
check(!defined fault($svg), 'points: ' . (fault($svg) // ''));
for my $text ('64 B', '1 KiB', '4 KiB', '100 %', '10 %', '0.1 %', 'size', 'share', 'top',
  'middle') { check((grep { $_ eq $text } texts($svg)) == 1, "points: no $text") }
my @dots = map { [split ','] } $svg =~ /<use xlink:href='#gpPt6' transform='translate\(([\d.]+,[\d.]+)\)/g;
check(@dots == 3 && near($dots[1][0] - $dots[0][0], $dots[2][0] - $dots[1][0]),
  'points: a factor of eight is not as wide as another');
check(@dots == 3 && near(2 * ($dots[1][1] - $dots[0][1]), $dots[2][1] - $dots[1][1]),
  'points: two powers of ten are not twice as high as one');

for my $kind (qw(bars groups points)) {
  $svg = svg_of(['kind', $kind], ['title', 'Empty'], ['x', 'a'], ['y', 'b'], @two);
  check(!defined fault($svg) && join('|', texts($svg)) eq 'Empty|There is no executed code to show.',
    "$kind: nothing to show: " . join('|', texts($svg)));
}

# --- hostile texts
# --------------------------------------------------------------------------------------------------------
my $canary = "$folder/executed";
for my $text ("`touch $canary`", "\$(touch $canary)", "' . system('touch $canary') . '", "'; system('touch $canary') #",
  "\"; system \"touch $canary\"; \"",
  "\@title \@ARG1", '"quoted" \'twice\' "', '\\', '\\n\\101\\x41 end\\', '{/Symbol a}^2_3 {/:Bold x}', '%s %d %%',
  '# comment', '</text><script>alert(1)</script>',
  'operator<<(a & b) && c &amp; ]]>', '<!-- --> <?xml ?> <![CDATA[', 'NaN', '1e5', '-', 'EOD',
  'gpPt3 rgb(0,0,0) \'black\' class="gridline"', "\x01\x1b[31mred\x7f",
  "\xee\x80\x80\xee\x80\x83 private", "no characters: \xef\xbf\xbe\xef\xbf\xbf", "gr\xc3\xb6\xc3\x9fe", '<' x 4096,
  'x' x 4096) {
  my $shown = $text =~ s/[\x01-\x1f\x7f]|\xee\x80[\x80-\x83]|\xef\xbf[\xbe\xbf]/?/gr;
  my $name = length $text > 60 ? substr($text, 0, 8) . '...' : $shown;
  for my $chart ([['kind', 'bars'], ['title', $text], ['x', $text], ['series', $text], ['series', 'b'], undef,
    [$text, $text, 1, 2], ['plain', '', 1, 2]],
    [['kind', 'points'], ['title', $text], ['x', $text], ['y', $text], ['series', $text], ['series', 'b'], undef,
    [1, 1, 1, $text], [2, 2, 2, 'plain']]) {
    my $drawn = svg_of(@$chart);
    check(!defined fault($drawn), "$name: " . (fault($drawn) // ''));
    my @same = grep { $_ eq $shown } texts($drawn);
    # A text of 4 KiB is cut by gnuplot or left out beside a point; the writers cut names before.
    check(@same == 5 || (@same == 4 && length $text > 60) || length $text == 4096,
    "$name: shown " . @same . " times: " . join('|', texts($drawn)));
    check((grep { $_ eq 'plain' } texts($drawn)) == 1, "$name: hides another row");
    check(!-e $canary, "$name: was executed");
    unlink $canary;
  }
}

# --- what is missing
# ------------------------------------------------------------------------------------------------------
mkdir 'bin';
for my $tool (qw(sh sed awk mktemp rm cat tail)) { my $path = `sh -c 'command -v $tool'`; chomp $path; symlink $path,
  "bin/$tool" }
{
  local $ENV{PATH} = "$folder/bin";
  my ($code, $picture, $errors) = draw(['kind', 'bars'], ['title', 't'], ['x', 'a']);
  check($code == 1 && $picture eq '' && $errors =~ /\A[^\n]*gnuplot-nox\)\n\z/, "without gnuplot: exit $code, $errors");
}
my ($code, $picture, $errors) = draw(['kind', 'bars'], ['colour', 'red']);
check($code == 1 && $picture eq '' && $errors =~ /\A[^\n]*colour\n\z/, "an unknown setting: exit $code, $errors");

print "$_\n" for @failures;
exit(@failures ? 1 : 0);
