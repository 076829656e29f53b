#!/usr/bin/perl
# A day in the life of docs/examples/mobile_app.cc: many sessions, forks, crashes on purpose and restarts.
#
# Use: day.pl BIN APP SESSIONS EVERY     BIN: the folder of softlbr; APP: the example; SESSIONS: how many the app begins
#                                        itself; EVERY: after each so-manieth of them that ends, `softlbr trigger`
#                                        records another one over the control socket
# The app lives through the same day twice: not recording, and with a session at each "begin". One session in five is
# cut off by a crash. Then:
#   - what the app printed is the same, byte for byte;
#   - each session is one file of the spool, and each triggered one was fetched;
#   - the spool travels through `softlbr upload` to `softlbr collect`, whose merge is that of the files that never
#     travelled;
#   - so is what `softlbr convert --to bolt` makes of it.
# Prints one line of figures. Exit 1: what was wrong is printed.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IPC::Open2;
use JSON::PP;
use POSIX qw(WNOHANG);

my ($bin, $app, $sessions, $every_trigger) = @ARGV;
die "use: day.pl BIN APP SESSIONS EVERY\n" unless defined $every_trigger;
my $every_crash = 5;
my $top = tempdir('softlbr-day.XXXXXX', TMPDIR => 1, CLEANUP => 1);
$ENV{no_proxy} = '127.0.0.1';
$SIG{PIPE} = 'IGNORE';  # a crashed app is noticed by its answer

my @to_end;  # processes of this script that only it ends
END { local $?; kill TERM => @to_end if @to_end }
sub fail { print STDERR "day: @_\n"; exit 1 }

sub softlbr {
  my @arguments = @_;
  my $pid = open my $out, '-|';
  if (!$pid) {
    open STDERR, '>', "$top/errors";
    @to_end = ();
    exec "$bin/softlbr", @arguments or POSIX::_exit(127);
  }
  my $text = join '', <$out>;
  close $out or fail("softlbr $arguments[0] ended with $?: " . bytes_of("$top/errors"));
  return $text;
}

sub bytes_of {
  open my $in, '<:raw', $_[0] or fail("$_[0]: $!");
  return join '', <$in>;
}

# --- the app, from one start to its end. All that it prints is kept, but for work that only keeps it busy ---
my ($pid, $from, $to, $printed);
sub start { $pid = open2($from, $to, $app, @_) }

sub ask {
  my ($command) = @_;
  print $to "$command\n";
  $to->flush;
  my $answer = '';
  while (my $line = <$from>) {
    $answer .= $line;
    last if $line eq "ok\n";
  }
  return $answer;
}

sub end {
  my ($command, $status) = @_;
  $printed .= ask($command);
  close $to;
  waitpid $pid, 0;
  ($? & 0xff7f) == $status or fail("the app ended with status $? after $command, not with $status");
}

# A day. Returns what the app printed and how many sessions were triggered.
sub live {
  my @folder = @_;
  srand 11;
  $printed = '';
  my $triggered = 0;
  start(@folder);
  for my $number (1 .. $sessions) {
    $printed .= ask('begin');
    $printed .= ask('job ' . (1 + int rand 1e6))
      for 1 .. 8 + int rand 3;  # enough for a sample, also where samples are dear
    $printed .= ask('fork ' . (1 + int rand 1e6)) if int(rand 3) == 0;
    if ($number % $every_crash == 0) {
      end('crash', POSIX::SIGSEGV);
      start(@folder);
      next;
    }
    $printed .= ask('end');
    next if !@folder || $number % $every_trigger != 1 % $every_trigger;
    ++$triggered;
    my $trigger = fork // fail("fork: $!");
    if (!$trigger) {
      @to_end = ();
      exec "$bin/softlbr", 'trigger', $pid, '--folder', @folder, qw(-d 0.2 -F 1999 -q -o),
        "$folder[0]/triggered.$triggered"
        or POSIX::_exit(127);
    }
    ask('job 7') until waitpid $trigger, WNOHANG;  # how often depends on the machine
    $? == 0 or fail('softlbr trigger failed');
  }
  end('quit', 0);
  # The end of a crashed app's profile may be written a moment after its death. Then the next start finishes the file.
  my $limit = time + 60;
  while (@folder && time < $limit && (() = glob "$folder[0]/spool/.*.tmp")) {
    start(@folder);
    end('quit', 0);
  }
  return ($printed, $triggered);
}

my ($plain) = live();
my ($recorded, $triggered) = live($top);
$plain eq $recorded or fail('the app printed something else while it was recorded');
my @files = sort glob "$top/spool/*.slbr";
my $truncated = grep { /\.truncated\.[^\/]*$/ } @files;
my $crashes = int($sessions / $every_crash);
@files == $sessions or fail("$sessions sessions, but " . @files . ' files');
$truncated <= $crashes or fail("$truncated truncated files, but $crashes crashes");
my @left = grep { !/\.slbr$|\/\.{1,2}$|\/\.lock$/ } glob "$top/spool/* $top/spool/.*";
@left == 0 or fail("left in the spool: @left");
for my $number (1 .. $triggered) {
  decode_json(softlbr('stats', '--json', "$top/triggered.$number"))->{samples} or
    fail("triggered session $number is empty");
}

mkdir "$top/kept";
copy($_, "$top/kept/") or fail("$_: $!") for @files;
softlbr('merge', '-o', "$top/sum", sort glob "$top/kept/*.slbr");
my $stats = decode_json(softlbr('stats', '--json', "$top/sum"));
my @program = grep { $_->{name} eq basename($app) } @{$stats->{modules}};
@program == 1 && $stats->{taken_branches} or fail('the merge does not name the program, or holds no branch');

my $collect = open my $said, '-|', "$bin/softlbr", qw(collect --listen 127.0.0.1:0 -o), "$top/store" or
  fail("collect: $!");
@to_end = ($collect);
my ($port) = (readline($said) // '') =~ /:(\d+)\D*$/ or fail('softlbr collect names no port');
softlbr('upload', "$top/spool", "http://127.0.0.1:$port", '--segment-bytes', 4096);
fail('something was not sent') if () = glob "$top/spool/*.slbr";
my $answer = HTTP::Tiny->new(timeout => 60,
  http_proxy => undef)->get("http://127.0.0.1:$port/merged/$program[0]{build_id}");
@to_end = ();
kill TERM => $collect;
close $said;
$answer->{success} or fail("no merge: $answer->{status} $answer->{content}");
open my $file, '>:raw', "$top/travelled" or fail("$top/travelled: $!");
print $file $answer->{content};
close $file or fail("$top/travelled: $!");
$answer->{content} eq bytes_of("$top/sum") or fail('the merge of what travelled is not that of the files');
softlbr(qw(convert --to bolt -b), $app, '-o', "$top/$_.bolt", "$top/$_") for qw(sum travelled);
my $bolt = bytes_of("$top/sum.bolt");
$bolt ne '' && $bolt eq bytes_of("$top/travelled.bolt") or fail('the input of BOLT is empty or differs');
printf "%d sessions and %d triggered, %d crashes, %d truncated files; %d samples, %d taken branches, %d lines for BOLT\n",
  $sessions, $triggered, $crashes, $truncated, $stats->{samples}, $stats->{taken_branches}, $bolt =~ tr/\n//;
