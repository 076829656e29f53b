#!/bin/sh
# Draws a chart with gnuplot: sh draw_chart.sh < CHART > SVG. Exit 1 with one line if gnuplot is missing or fails.
#
# CHART is lines of fields with tabs between them: settings, an empty line, then rows. Settings, each at most once but
# `series`:
#   kind    bars: a line for each row, its values one after the other; groups: its values as bars below each other;
#           points title TEXT
#   x, y    NAME [UNIT [SCALE [MOST]]]: an axis. UNIT: %, bytes or empty; SCALE: 2 or 10 for a logarithmic axis, or
#           empty; MOST: where it ends. Bars lie, so that x is the axis of their values, and have no y.
#   series  NAME [COLOUR [STYLE [SIDE]]]: what a value of each row is, or what the points of one number are. COLOUR:
#           #rrggbb or empty. STYLE, of points: lines, points or linespoints; SIDE: left or right, where a point has its
#           text.
# A row of bars and groups: NAME NOTE VALUE...; a row of points: SERIES X Y [TEXT], SERIES counts from 1.
#
# Texts may be hostile. They reach gnuplot as fields of a data file or between single quotes, and what has a meaning
# there or that gnuplot would replace is on the way through a character of private use instead, so that none can end its
# string; none is enhanced text. The picture has the reader's choice of light or dark, and its own background, so that
# it can be read on any page.
set -eu
command -v gnuplot > /dev/null ||
  { echo 'pictures are drawn by gnuplot, which is not installed (Debian: apt-get install gnuplot-nox)' >&2; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/softlbr-chart.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
cat > "$folder/read.awk" <<'AWK'
function text(s) {
  gsub(/[\001-\037\177]|\356\200[\200-\203]|\357\277[\276\277]/, "?", s)  # what XML has not, and what stands for others here
  gsub(/"/, "\356\200\200", s); gsub(/'/, "\356\200\201", s); gsub(/\\/, "\356\200\202", s); gsub(/`/, "\356\200\203", s)
  return s
}
function quoted(s) { return "'" text(s) "'" }
function width_of(s) { return 6.7 * length(s) }  # in pixels, of 12, rather more than the mean
function count_value(axis, value) {
  if (!(axis in least) || value < least[axis]) least[axis] = value
  if (!(axis in most) || value > most[axis]) most[axis] = value
}
function floor(value) { return int(value) - (value < int(value)) }
function ceiling(value) { return -floor(-value) }
# Logarithmic axes go from power to power, with at most thirteen marks; others from 0 to their end, or a little around their values.
function range(axis,  base, step, at) {
  base = scale[axis]
  if (base) {
    low[axis] = floor(log(least[axis]) / log(base) + 1e-9)
    high[axis] = ceiling(log(end[axis] != "" ? end[axis] : most[axis]) / log(base) - 1e-9)
    if (high[axis] <= low[axis]) { if (end[axis] != "") low[axis] = high[axis] - 1; else high[axis] = low[axis] + 1 }
    printf "set logscale %s %d; set %srange [%.9g:%.9g]; set %stics ('' 0)\n", axis, base, axis, 0.9999 * base ^ low[axis],
      1.0001 * base ^ high[axis], axis
    step = ceiling((high[axis] - low[axis]) / 12)
    for (at = low[axis]; at <= high[axis]; at += step) printf "set %stics add ('%s' %.9g)\n", axis, mark(base ^ at, unit[axis]), base ^ at
    return
  }
  low[axis] = end[axis] != "" ? 0 : least[axis] - 0.08 * (most[axis] - least[axis])
  high[axis] = end[axis] != "" ? end[axis] : most[axis] + 0.08 * (most[axis] - least[axis])
  if (high[axis] <= low[axis]) high[axis] = low[axis] + 1
  printf "set %srange [%.9g:%.9g]\n", axis, low[axis], high[axis]
}
function share(axis, value) { return ((scale[axis] ? log(value) / log(scale[axis]) : value) - low[axis]) / (high[axis] - low[axis]) }
# 4096: "4 KiB" or "4,096"
function mark(value, unit,  i, prefixes) {
  if (unit == "bytes") {
    split("B KiB MiB GiB TiB PiB EiB", prefixes, " ")
    for (i = 1; value >= 1024 && i < 7; ++i) value /= 1024
    return sprintf("%g %s", value, prefixes[i])
  }
  value = value < 1000 ? sprintf("%g", value) : sprintf("%.0f", value)
  while (value ~ /^[0-9][0-9][0-9][0-9]/) sub(/[0-9][0-9][0-9]($|,)/, ",&", value)
  return value (unit == "%" ? " %%" : "")  # it is a format
}
# The text of a point beside it, where it hides no other and better no point; else it is left out.
function is_free(left, right, up, hides_points,  i) {
  if (left < 2 || right > 738) return 0
  for (i = 1; i <= placed; ++i) if (left < right_of[i] && right > left_of[i] && up < up_of[i] + 13 && up > up_of[i] - 13) return 0
  for (i = 1; i <= dots && !hides_points; ++i) if (left < dot_x[i] + 4 && right > dot_x[i] - 4 && up < dot_y[i] + 9 && up > dot_y[i] - 9) return 0
  return 1
}
function place(side, x, y, s,  try, left, up) {
  for (try = 0; try < 12; ++try) {
    left = x + ((side == "left") == (try % 2 == 0) ? -8 - width_of(s) : 8)
    up = y + (side == "left") * (left < x ? 6 : -6) + (try % 6 < 2 ? 0 : try % 6 < 4 ? 13 : -13)
    if (!is_free(left, left + width_of(s), up, try >= 6)) continue
    left_of[++placed] = left; right_of[placed] = left + width_of(s); up_of[placed] = up
    printf "set label %s at graph %.4f, graph %.4f %s\n", quoted(s), (left < x ? x - 8 : left) / 710, up / 330, left < x ? "right" : "left"
    return
  }
}
BEGIN { FS = "\t"; rows = 0; series = 0; split("#3b7dbd #e07b39 #3f9b5f #b9a11e #4fb3cf #a8528f #8a8a8a", palette, " ") }
!is_rows && $0 == "" { is_rows = 1; next }
!is_rows && ($1 == "kind" || $1 == "title") { setting[$1] = $2; next }
!is_rows && ($1 == "x" || $1 == "y") { name[$1] = $2; unit[$1] = $3; scale[$1] = $4 + 0; end[$1] = $5; next }
!is_rows && $1 == "series" { names[++series] = $2; colours[series] = $3; styles[series] = $4; sides[series] = $5; next }
!is_rows { print "no setting of a chart: " $1 > "/dev/stderr"; exit 1 }
setting["kind"] == "points" {
  ++rows; count_value("x", $2 + 0); count_value("y", $3 + 0)
  printf "%d\t%.9g\t%.9g\n", $1, $2, $3 > data
  if (styles[$1] != "lines") { dot_x[++dots] = $2; dot_y[dots] = $3; side[dots] = sides[$1]; label[dots] = $4 }
  next
}
{
  line = rows++ "\t " text($1) "\t " text($2)
  sum = 0
  for (i = 1; i <= series; ++i) {
    value = $(i + 2) + 0; sum += value
    line = line sprintf("\t%.9g", value)
    if (setting["kind"] == "groups") count_value("x", value)
  }
  if (setting["kind"] == "bars") count_value("x", sum)
  print line > data
}
END {
  split("x y", axes, " ")
  for (i = 1; i <= 2; ++i) {
    axis = axes[i]
    printf "%s_name = %s; set format %s '%%g%s'\n", axis, quoted(name[axis]), axis, unit[axis] == "%" ? " %%" : ""
    if (setting["kind"] == "points" && rows > 0) range(axis)
  }
  if (end["x"] == "") end["x"] = most["x"] > 0 ? most["x"] : 1
  printf "rows = %d; series = %d; is_points = %d; is_grouped = %d; title = %s; x_end = %.9g\n", rows, series, setting["kind"] == "points",
    setting["kind"] == "groups", quoted(setting["title"]), end["x"]
  for (i = 1; i <= dots; ++i) { dot_x[i] = 710 * share("x", dot_x[i]); dot_y[i] = 330 * share("y", dot_y[i]) }
  for (i = 1; i <= dots; ++i) if (label[i] != "") place(side[i], dot_x[i], dot_y[i], label[i])
  # The legend, in as many lines as it needs.
  split("colour style name name_x name_y", arrays, " ")
  for (i = 1; i <= 5; ++i) printf "array %s[%d]\n", arrays[i], series + 1
  x = 16; y = 46
  for (i = 1; i <= series; ++i) {
    if (x > 16 && x + 18 + width_of(names[i]) > 804) { x = 16; y += 18 }
    printf "colour[%d] = %s; style[%d] = %s; name[%d] = %s; name_x[%d] = %d; name_y[%d] = %d\n", i,
      quoted(colours[i] != "" ? colours[i] : palette[(i - 1) % 7 + 1]), i, quoted(styles[i]), i, quoted(names[i]), i, x, i, y
    x += 18 + width_of(names[i]) + 14
    if (names[i] != "") top = y + 22
  }
  printf "top = %d\n", top ? top : 44
}
AWK
: > "$folder/data"
LC_ALL=C awk -v data="$folder/data" -f "$folder/read.awk" > "$folder/settings"
cat > "$folder/chart.gp" <<'GNUPLOT'
load ARG1."/settings"
data = ARG1."/data"
width = 820
bar = is_grouped ? 8.0 * series + 7 : 22  # of a row
bottom = 52
height = rows == 0 ? 80 : top + bottom + (is_points ? 330 : rows * bar)
across(pixels) = 1.0 * pixels / width
down(pixels) = 1 - 1.0 * pixels / height
set terminal svg size width, height font "sans-serif,12" noenhanced background "#ffffff"
set encoding utf8
set datafile separator "\t"
set datafile missing NaN
set datafile commentschars ""
set label title at screen across(16), screen down(20) left font "sans-serif:Bold,15"
unset key
set border 0
if (rows == 0) {
  unset tics
  set label "There is no executed code to show." at screen across(16), screen down(56) left
  set xrange [0:1]; set yrange [0:1]
  plot NaN
  exit
}
do for [i = 1:series] {
  if (strlen(name[i])) {
    set object rectangle from screen across(name_x[i]), screen down(name_y[i] - 6) to screen across(name_x[i] + 12), screen down(name_y[i] + 6) \
      fillstyle solid noborder fillcolor rgb colour[i]
    set label name[i] at screen across(name_x[i] + 18), screen down(name_y[i]) left
  }
}
set tics scale 0
set grid linecolor rgb "#d0000000" linetype 1 linewidth 0.8
set xlabel x_name offset 0, 0.2
set tmargin at screen down(top)
set bmargin at screen down(height - bottom)
if (is_points) {
  set label y_name at screen across(14), graph 0.5 center rotate
  set border 3 linecolor rgb "#80000000"
  set lmargin at screen across(80)
  set rmargin at screen across(790)
  of(i, value) = $1 == i ? value : NaN
  has(i, what) = strstrt(style[i] eq "" ? "points" : style[i], what) > 0
  plot for [i = 1:series] data using (of(i, $2)):(has(i, "lines") ? $3 : NaN) with lines linewidth 2 linecolor rgb colour[i], \
    for [i = 1:series] data using (of(i, $2)):(has(i, "points") ? $3 : NaN) with points pointtype 7 pointsize 0.7 linecolor rgb colour[i]
  exit
}
set lmargin at screen across(290)
set rmargin at screen across(690)
set xrange [0:x_end]
set yrange [rows - 0.5:-0.5]
unset ytics
sum_to(n) = n == 0 ? 0 : sum [i = 4:3 + n] column(i)
low(i) = is_grouped ? $1 - 0.4 + 0.8 * (i - 1) / series : $1 - 0.34
high(i) = is_grouped ? $1 - 0.4 + 0.8 * i / series : $1 + 0.34
set style fill solid noborder
plot for [i = 1:series] data using (0):1:(is_grouped ? 0 : sum_to(i - 1)):(is_grouped ? column(i + 3) : sum_to(i)):(low(i)):(high(i)) \
    with boxxyerror linecolor rgb colour[i], \
  data using (0):1:2 with labels right offset -0.7, 0, data using (x_end):1:3 with labels left offset 0.7, 0
GNUPLOT
if ! gnuplot -c "$folder/chart.gp" "$folder" > "$folder/svg" 2> "$folder/log"; then
  printf 'gnuplot fails: %s\n' "$(cat "$folder/log")" >&2
  exit 1
fi
# Without what gnuplot repeats or writes for other charts, and in the reader's colours. Attributes have quotes, which no
# text has before the last line, and begin no line of a text.
style='svg{color:#222;font:12px sans-serif}text{stroke:none;fill:currentColor}.page{fill:#fff}'
style="<style>$style@media(prefers-color-scheme:dark){svg{color:#ddd}.page{fill:#161b22}}</style>"
LC_ALL=C sed -e "s,^<title>Gnuplot</title>\$,$style," \
  -e "/^<desc>/d; /^\$/d; /id='gpDot'/d; /id='gpPt[0-47-9]'/d; /id='gpPt1[0-4]'/d" \
  -e "/^	<filter id=/,/^	<\/filter>/d" -e '/^<g fill="none"/{' -e N -e '/\n<\/g>$/d' -e '}' \
  -e 's,<title>gnuplot_plot_[0-9]*</title>,,' \
  -e "s/ class=\"gridline\"//; s/ shape-rendering='crispEdges'//; s/fill=\"#ffffff\"/class=\"page\"/; s/ color=\"black\"//" \
  -e "s/'rgb( *0, *0, *0)'/'currentColor'/g; s/\"rgb( *0, *0, *0)\"/\"currentColor\"/g; s/\"black\"/\"currentColor\"/g; s/'black'/'currentColor'/g" \
  -e 's/sans-serif:Bold"/sans-serif" font-weight="bold"/; s/ font-family="sans-serif"//; s/ font-size="12.00"//; s/ text-anchor="start"//' \
  -e 's/ stroke="none" fill="currentColor"//; s/ stroke-linecap="butt" stroke-linejoin="miter"//' \
  -e "s/	<path stroke='currentColor'[^>]* d='M[0-9.,]* M[0-9.,]*  '\/>//" \
  -e "s/\xee\x80\x80/\&quot;/g; s/\xee\x80\x81/'/g; s/\xee\x80\x82/\\\\/g; s/\xee\x80\x83/\`/g" "$folder/svg"
