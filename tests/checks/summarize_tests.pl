#!/usr/bin/perl
# Adds up the JUnit files of ctest and of GoogleTest in guests: what was skipped and why, what failed, and a last line
# of counts.
#
# Use: summarize_tests.pl FOLDER      reads FOLDER/<build>.xml and FOLDER/broken (one broken step per line, may be
#                                     absent) FOLDER/<build>.again.xml has the results of timing tests that failed and
#                                     were run again: one that failed, and passed there, is unsteady. It counts as
#                                     passed, unless there are more than two.
# Last line: "N passed, N failed" or "N passed, N failed, N skipped". Exit 0 only if nothing failed and something
# passed.
use strict;
use warnings;

my $folder = shift // die "usage: summarize_tests.pl FOLDER\n";
my ($passed, @failed, @skipped, @unsteady) = (0);
my $most_unsteady = 2;

sub unescape {
  my ($text) = @_;
  $text =~ s/&lt;/</g; $text =~ s/&gt;/>/g; $text =~ s/&quot;/"/g; $text =~ s/&apos;/'/g; $text =~ s/&#(\d+);/chr $1/ge;
  $text =~ s/&amp;/&/g;
  return $text;
}

# GoogleTest prints "file:line: Skipped" and then the reason; a script prints "skipped: reason".
sub reason_of {
  my ($output) = @_;
  return $1 if $output =~ /:\d+: Skipped\s*\n+\s*([^\n]+)/;
  return $1 if $output =~ /^\s*skipped:\s*([^\n]+)/mi;
  return 'no reason given';
}

sub text_of {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  local $/;
  return <$in> // '';
}

# The tests of a file: name, status, what became of it if it ran (ctest's files do not say), and the rest.
sub cases_of {
  my ($file) = @_;
  my $xml = text_of($file);
  my @cases;
  while ($xml =~ m{<testcase\b([^>]*?)(?:/>|>(.*?)</testcase>)}gs) {
    my ($attributes, $body) = ($1, $2 // '');
    my ($name) = $attributes =~ /\bname="([^"]*)"/;
    my ($status) = $attributes =~ /\bstatus="([^"]*)"/;
    my ($result) = $attributes =~ /\bresult="([^"]*)"/;  # GoogleTest's own files
    my ($suite) = $attributes =~ /\bclassname="([^"]*)"/;
    $name = "$suite.$name" if defined $result;
    push @cases, {name => $name, status => $status, result => $result, body => $body,
                  failed => ($status eq 'fail' || $body =~ /<failure\b/) ? 1 : 0};
  }
  return @cases;
}

# Names of the tests that passed when they were run again.
sub passed_again {
  my ($build) = @_;
  my $file = "$folder/$build.again.xml";
  return () unless -s $file;
  return map { $_->{name} => 1 } grep { $_->{status} eq 'run' && !$_->{failed} &&
    ($_->{result} // 'completed') eq 'completed' } cases_of($file);
}

for my $file (sort glob "$folder/*.xml") {
  my ($build) = $file =~ m{([^/]+)\.xml$};
  next if $build =~ /\.again$/;
  my %again = passed_again($build);
  for my $case (cases_of($file)) {
    my ($status, $result, $body) = @{$case}{qw(status result body)};
    my $name = "$build: " . unescape($case->{name});
    if ($case->{failed} && $again{$case->{name}}) { push @unsteady, $name; $passed++ }
    elsif ($case->{failed}) { push @failed, $name }
    elsif (defined $result && $result eq 'skipped') {
      my ($message) = $body =~ /<skipped message="[^"]*?(?:&#x0A;|&#10;|\n)([^"]*)"/;
      push @skipped, "$name: " . unescape($message // 'no reason given');
    }
    elsif ($status eq 'run') { $passed++ }
    elsif ($body =~ /<skipped message="SKIP_/) {
      my ($output) = $body =~ m{<system-out>(.*?)</system-out>}s;
      push @skipped, "$name: " . reason_of(unescape($output // ''));
    }
    # Disabled, or its program is missing: it did not run and nobody said why.
    else { push @failed, "$name (did not run)" }
  }
}
if (open my $in, '<', "$folder/broken") { while (<$in>) { chomp; push @failed, $_ } }

if (@unsteady > $most_unsteady) {
  $passed -= @unsteady;
  push @failed, map { "$_ (unsteady, as are " . (@unsteady - 1) . ' others)' } @unsteady;
}

if (@skipped) { print "\n== skipped\n"; print "  $_\n" for @skipped }
if (@unsteady) { print "\n== unsteady: failed, and passed alone\n"; print "  $_\n" for @unsteady }
if (@failed) { print "\n== failed\n"; print "  $_\n" for @failed }
print "\n";
my $line = "$passed passed, " . scalar(@failed) . ' failed';
$line .= ', ' . scalar(@skipped) . ' skipped' if @skipped;
print "$line\n";
exit(@failed == 0 && $passed > 0 ? 0 : 1);
