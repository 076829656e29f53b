#!/usr/bin/perl
# Checks docs/privacy.md: each field that a profile or a spool's name has in the sources has a row there, and each row
# is of one.
#
# Use: privacy_table.pl ROOT
# A row is "| `field` | name | ... |": field and name as found in the sources, then columns of text, none of them empty.
# Exit 1 with one line per breach.
use strict;
use warnings;

my ($root) = @ARGV;
die "usage: privacy_table.pl ROOT\n" unless defined $root && -f "$root/docs/privacy.md";

sub text_of {
  my ($file) = @_;
  open my $in, '<', "$root/$file" or die "$root/$file: $!\n";
  local $/;
  my $text = <$in>;
  $text =~ s{^\s*//.*$}{}mg;
  return $text;
}

my (%wanted, %found_in);
sub want {
  my ($file, $field, $name) = @_;
  $wanted{"$field $name"} = $file;
  ++$found_in{"$file, $field"};
}
# The text between the braces of what `head` begins, up to a closing brace at the start of a line.
sub body_of {
  my ($file, $head) = @_;
  text_of($file) =~ /$head[^{;]*\{(.*?)^\}/ms or
    die "privacy: $file has no '$head' any more: teach privacy_table.pl where it went\n";
  return $1;
}

my $format = 'runtime/format/slbr_format.h';
my $builder = 'runtime/format/frame_builder.cc';
{
  my $body = body_of('runtime/format/frame_header.cc', 'void EncodeFrameHeader');
  want('frame_header.cc', 'header', $1) while $body =~ /(?<!\w)header\.(\w+)/g;
}
for (['section', 'SectionId'], ['total', 'TotalKey']) {
  my ($field, $enum) = @$_;
  my $body = body_of($format, "enum class $enum");
  want('slbr_format.h', "$field $2", lc $1) while $body =~ /\bk(\w+)\s*=\s*(\d+)/g;
}
{
  my $body = body_of($builder, 'void PutRecord');
  want('PutRecord', $1 eq 'record' ? 'module' : 'segment', $2) while $body =~ /\b(record|segment)\.(\w+)/g;
  delete $wanted{'module segments'};
  want('PutRecord', 'module', $1) while $body =~ /PutNumber\(out, (\w+)\)/g;
}
{
  my $body = body_of($builder, 'bool FrameBuilder::AddTrace');
  want('AddTrace', 'trace', $1) while $body =~ /PutNumber\(&out_, (?:ZigZag\()?(\w+)/g;
}
{
  my $body = body_of($format, 'struct CountRow');
  want('slbr_format.h', 'row', $1) while $body =~ /^\s*\w+ (\w+);/mg;
}
{
  my $text = text_of('runtime/counters/session_info.def');
  want('session_info.def', "info $2", $1) while $text =~ /^SOFTLBR_INFO\(\s*[^,]+,\s+(\w+), (\w+),/mg;
  $text = text_of('runtime/counters/counters.def');
  want('counters.def', "counter $2", $1) while $text =~
    /^SOFTLBR_(?:SESSION_COUNTER|HANDLER_COUNTER|HANDLER_ARRAY|COUNTER|COUNTER_ARRAY)\(\s*\w+,\s+"([^"]+)",\s+(\w+),/mg;
  $text = text_of('platform/base/reasons.def');
  want('reasons.def', lc($1) . " $3", $2) while $text =~ /^SOFTLBR_(ABORT|LOSS)\(\s*\w+,\s+"([^"]+)",\s+(\d+),/mg;
}
# Of names in a spool the endings are compared.
my %endings;
for my $file ('runtime/spool/spool_names.h', 'runtime/spool/spool_names.cc') {
  my $text = text_of($file);
  $text =~ s/^#.*$//mg;
  $endings{$1} = 0 while $text =~ /"(\.[.a-z]+)"/g;
}

my $breaches = 0;
sub breach {
  print "privacy: $_[0]\n";
  ++$breaches;
}
for my $needed (['frame_header.cc', 'header', 7], ['PutRecord', 'module', 10], ['PutRecord', 'segment', 5],
  ['AddTrace', 'trace', 5],
                ['slbr_format.h', 'row', 3]) {
  my ($file, $field, $least) = @$needed;
  my $count = grep { /^\Q$field\E / } keys %wanted;
  breach("only $count fields '$field' found in $file, where there were $least: teach privacy_table.pl where they went")
    if $count < $least;
}

my %rows;
my $cells_wanted = 0;
my $line = 0;
for (split /\n/, do { open my $in, '<', "$root/docs/privacy.md" or die "$!\n"; local $/; <$in> }) {
  ++$line;
  next unless /^\|(.*)\|\s*$/;
  my @cells = map { s/^\s+|\s+$//gr } split /\|/, $1, -1;
  if ($cells[0] eq 'field') { $cells_wanted = @cells; next }
  next if $cells[0] =~ /^-+$/;
  $cells[0] =~ /^`(.+)`$/ or breach("line $line begins with no field in backticks") and next;
  my $field = $1;
  breach("line $line: an empty column, or other columns than the table's head has") if @cells != $cells_wanted ||
    grep { !length } @cells;
  if ($field eq 'spool') {
    my ($ending) = $cells[1] =~ /((?:\.[a-z]+)+)`$/ or breach("line $line: no name of a spool") and next;
    breach("line $line: the spool has no name that ends in $ending") unless exists $endings{$ending};
    $endings{$ending} = 1;
    next;
  }
  my $key = "$field $cells[1]";
  breach("line $line: '$key' stands there twice") if $rows{$key}++;
  breach("line $line: '$key' is in no source any more") unless exists $wanted{$key};
}
for (sort keys %wanted) {
  breach("'$_' ($wanted{$_}) has no row in docs/privacy.md: say what it can reveal") unless $rows{$_};
}
for (sort keys %endings) {
  breach("names that end in $_ have no row in docs/privacy.md") unless $endings{$_};
}
printf "privacy: %d fields, %d names, %d breaches\n", scalar(keys %wanted), scalar(keys %endings), $breaches;
exit($breaches ? 1 : 0);
