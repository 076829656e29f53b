#!/usr/bin/perl
# Judges the recordings that record_programs.sh made in a guest, with the host's own softlbr, perf2bolt and
# llvm-profgen.
#
# Use: check_recordings.pl SOFTLBR FOLDER WORKLOAD RESULT.xml
# Each program must have the same output and exit code as without recording, every verified trace must be as predicted,
# and hits of 16-branch traces must be within the limits of docs/aarch64.md. perf2bolt and llvm-profgen must read the
# profile of WORKLOAD, a binary by lld.
# Writes a JUnit file (tests/checks/summarize_tests.pl reads it) and a table. Exit 1 if anything failed.
use strict;
use warnings;
use JSON::PP qw(decode_json);

my ($softlbr, $folder, $workload, $out) = @ARGV;
die "usage: check_recordings.pl SOFTLBR FOLDER WORKLOAD RESULT.xml\n" unless defined $out;

my $most_hits = 0.15;      # per trace of 16 taken branches, mean over the programs
my $least_without = 0.95;  # traces without any, mean over the programs
my @cases;                 # [name, failures, missing tool]

sub slurp { my ($file) = @_; open my $in, '<:raw', $file or return undef; local $/; return <$in> }
sub say_of { my (@command) = @_; my $text = qx(@command 2>&1); return ($? >> 8, $text) }
sub case { my ($name, @failures) = @_; push @cases, [$name, join("\n", @failures), undef] }
sub stats_of {
  my ($file) = @_;
  my ($code, $text) = say_of($softlbr, 'stats', '--json', $file);
  return $code == 0 ? decode_json($text) : undef;
}

my (%hits, %without);
my $programs = 0;
printf "%-10s %8s %8s %10s %14s %9s %9s\n", qw(program traces complete hits/trace without-hit verified otherwise);
for my $plain (sort glob "$folder/*.plain.output") {
  my ($program) = $plain =~ m{([^/]+)\.plain\.output$};
  ++$programs;
  my @failures;
  my $code = slurp("$folder/$program.plain.code") // 'absent';
  push @failures, "$program itself ended with $code" . (slurp("$folder/$program.plain.err") // '') if $code !~ /^0$/;
  push @failures, "$program printed nothing" if -s $plain == 0;
  for my $policy (qw(lookahead static)) {
    my $name = "$folder/$program.$policy";
    my $recorded = slurp("$name.code") // 'absent';
    push @failures, "$policy: exit code $recorded" . (slurp("$name.err") // '') if $recorded ne $code;
    push @failures, "$policy: another output" if (slurp("$name.output") // '') ne slurp($plain);
    my $stats = stats_of("$name.slbr");
    if (!$stats) { push @failures, "$policy: the host cannot read the profile"; next }
    push @failures, "$policy: arch is $stats->{arch}" if $stats->{arch} ne 'aarch64';
    my $traces = $stats->{samples};
    push @failures, "$policy: only $traces samples" if $traces < 40;
    push @failures, "$policy: $stats->{verify_mismatches} traces were not as predicted"
      if $stats->{verify_mismatches} != 0;
    push @failures, "$policy: traces ended by state_mismatch or pc_mismatch"
      if $stats->{traces_aborted}{state_mismatch} + $stats->{traces_aborted}{pc_mismatch} > $traces / 100;
    $hits{$policy} += $traces ? $stats->{breakpoint_hits} / $traces : 0;
    $without{$policy} += $traces ? $stats->{traces_without_hit} / $traces : 0;
    printf "%-10s %8d %7.1f%% %10.3f %13.1f%% %9d %9d   %s\n", $program, $traces,
      100 * $stats->{traces_complete} / ($traces || 1),
      $stats->{breakpoint_hits} / ($traces || 1), 100 * $stats->{traces_without_hit} / ($traces || 1),
      $stats->{verify_traces}, $stats->{verify_mismatches}, $policy;
  }
  my ($read, $report) = say_of($softlbr, 'report', "$folder/$program.lookahead.slbr");
  push @failures, "report: $report" if $read != 0;
  case("Recorded.$program", @failures);
}
die "$folder holds no recordings\n" unless $programs;
my ($mean, $share) = ($hits{lookahead} / $programs, $without{lookahead} / $programs);
printf "mean       hits/trace %.3f (at most %.2f), without hit %.1f%% (at least %.0f%%); static %.1f hits/trace\n",
  $mean, $most_hits,
  100 * $share, 100 * $least_without, $hits{static} / $programs;
case('Limits.HitsPerTrace', $mean <= $most_hits ? () : "$mean hits per trace");
case('Limits.TracesWithoutHit', $share >= $least_without ? () : "$share of the traces");

# A static program against musl, without a C++ library, that records itself (tests/musl).
{
  my $stats = stats_of("$folder/linked_musl.slbr");
  my $codes = slurp("$folder/linked_musl.code") // 'absent';
  my @failures;
  push @failures, "it ended with $codes" if $codes !~ /^5 5$/;
  push @failures, "another output: " . slurp("$folder/linked_musl.output") if -e "$folder/linked_musl.output";
  push @failures, 'no profile' unless $stats;
  push @failures, "$stats->{samples} samples, $stats->{taken_branches} branches, $stats->{threads_traced} threads"
    if $stats && ($stats->{samples} < 40 || $stats->{taken_branches} < 2000 || $stats->{threads_traced} != 4);
  case('Linked.StaticProgramOfMuslRecordsItself', @failures);
}

# Consumers, on the binary linked by lld.
my $profile = "$folder/workload.lookahead.slbr";
for my $each (['bolt', 'perf2bolt-19', sub { "--aggregate-only -pa -p $_[0] -o $folder/out.fdata $workload" },
  "$folder/out.fdata"],
              ['llvm', 'llvm-profgen-19',
              sub { "--unsymbolized-profile=$_[0] --use-offset=0 --binary=$workload --output=$folder/out.prof --format=text" },
               "$folder/out.prof"]) {
  my ($format, $tool, $arguments, $result) = @$each;
  if (system("command -v $tool >/dev/null 2>&1") != 0) { push @cases, ["Acceptance.$tool", '', $tool]; next }
  my ($code, $text) = say_of($softlbr, 'convert', '--to', $format, '-b', $workload, '-o', "$folder/out.$format",
    $profile);
  if ($code != 0) { case("Acceptance.$tool", "convert: $text"); next }
  ($code, $text) = say_of($tool, $arguments->("$folder/out.$format"));
  my @failures;
  push @failures, "exit $code: $text" if $code != 0;
  push @failures, "no function of the program in $result" unless (slurp($result) // '') =~ /counted_leaf/;
  if ($format eq 'bolt') {
    my ($share) = $text =~ /mismatching disassembled function contents: \d+ \(([0-9.]+)%\)/;
    push @failures, "perf2bolt does not say how much mismatches: $text" unless defined $share;
    push @failures, "perf2bolt finds $share % mismatching" if defined $share && $share >= 1;
    print "perf2bolt: ", $share // '?', " % mismatching\n";
  }
  case("Acceptance.$tool", @failures);
}

sub escape { my ($text) = @_; $text =~ s/&/&amp;/g; $text =~ s/</&lt;/g; $text =~ s/>/&gt;/g; $text =~ s/"/&quot;/g;
return $text }
open my $xml, '>', $out or die "$out: $!\n";
print $xml "<testsuite name=\"guest recordings\">\n";
my $failed = 0;
for my $each (@cases) {
  my ($name, $failure, $missing) = @$each;
  my $status = defined $missing ? 'notrun' : $failure ne '' ? 'fail' : 'run';
  ++$failed if $status eq 'fail';
  print "FAILED $name: $failure\n" if $status eq 'fail';
  print $xml "<testcase name=\"$name\" status=\"$status\">";
  print $xml '<failure message="">' . escape($failure) . '</failure>' if $status eq 'fail';
  print $xml "<skipped message=\"SKIP_REASON\"/><system-out>skipped: missing: $missing</system-out>"
    if defined $missing;
  print $xml "</testcase>\n";
}
print $xml "</testsuite>\n";
close $xml;
exit($failed == 0 ? 0 : 1);
