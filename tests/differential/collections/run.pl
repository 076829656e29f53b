#!/usr/bin/perl
# Runs programs alone and under `softlbr record`, and prints one line for each that behaves differently.
#
# Use: run.pl --softlbr FILE --list FILE --state DIR [--rounds N] [--jobs N] [--exclude FILE] [--only REGEX]
#
# A line of the list: "NAME<tab>WORDS": the program's name, unique, and its command, split at blanks outside
# quotes. As root.
#
# A run. Each job is process 1 of its own pid, mount, ipc and uts namespaces, so that what a program kills, mounts or
# leaves behind stays there, and lacks the capabilities to set the clock, reboot or load modules. Before each run, /tmp,
# /dev/shm, the working folder /tmp/work and the ipc namespace are empty; after it, every process that is left is
# killed. The limits are the same for plain and recorded runs.
# Standard input is /dev/null; standard output and standard error are files.
#
# A program's verdict. It runs alone twice. What these two runs agree on is compared with each recorded run: the exit
# status, always; of standard output and standard error each, the first of: the bytes; the bytes with every number
# replaced by N (process ids, addresses, times); nothing. A program whose exit status varies, or that does not end
# within
# $longest_plain seconds, is unsteady. If a recorded run differs, the program runs alone ten more times (three if it
# takes more than two seconds), and what all plain runs agree on is compared: a difference that is left counts as
# softlbr's fault.
#
# A recorded run that takes longer than ten seconds and ten times the plain one is a hang, and is killed.
#
# Last line: "N programs, R rounds: N differing, N hangs, N unsteady". Exit code 1 if any program differs or hangs.
use strict;
use warnings;
use Fcntl qw(:flock O_CREAT O_TRUNC O_WRONLY);
use File::Path qw(make_path remove_tree);
use Getopt::Long;
use POSIX qw(:sys_wait_h);
use Text::ParseWords qw(shellwords);
use Time::HiRes qw(time sleep);

my $longest_plain = 4;
my ($rounds, $jobs, $only) = (3, 3, '');
my ($softlbr, $list, $state, $exclude, $worker);
GetOptions('softlbr=s' => \$softlbr, 'list=s' => \$list, 'state=s' => \$state, 'rounds=i' => \$rounds,
  'jobs=i' => \$jobs,
           'exclude=s' => \$exclude, 'only=s' => \$only, 'worker=i' => \$worker)
  && defined $softlbr && defined $list && defined $state
  or die "usage: run.pl --softlbr FILE --list FILE --state DIR [--rounds N] [--jobs N] [--exclude FILE] [--only REGEX]\n";

# The address space (a program that allocates until it fails must fail), the size of files, no core files.
my @limits = ('prlimit', '--as=8589934592', '--fsize=67108864', '--core=0', '--stack=8388608');
my @dropped = qw(sys_time sys_boot sys_module sys_rawio syslog wake_alarm);
my $kept_bytes = 1 << 20;  # of each stream

sub lines_of {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  chomp(my @lines = grep { !/^\s*(#|$)/ } <$in>);
  return @lines;
}

# "PATTERN : reason"; a pattern is a regular expression that matches a whole name.
sub excluded_programs {
  my @rules;
  for (defined $exclude ? lines_of($exclude) : ()) {
    /^(\S+)\s+:\s+(\S.*)$/ or die "$exclude: expected 'PATTERN : reason', not '$_'\n";
    push @rules, [qr/^(?:$1)$/, $2];
  }
  return @rules;
}

sub programs {
  my @rules = excluded_programs();
  my @programs;
  my $excluded = 0;
  for (lines_of($list)) {
    my ($name, $command) = split /\t/, $_, 2;
    next if $only ne '' && $name !~ /$only/;
    if (grep { $name =~ $_->[0] } @rules) { ++$excluded; next }
    push @programs, {name => $name, command => [shellwords($command)]};
  }
  return ($excluded, @programs);
}

# ---- one run, in a job

sub start_of {
  my ($file) = @_;
  open my $in, '<:raw', $file or return '';
  read $in, (my $bytes), $kept_bytes;
  return $bytes // '';
}

sub empty_folder {
  my ($folder) = @_;
  opendir my $dir, $folder or return;
  for (grep { $_ ne '.' && $_ ne '..' } readdir $dir) {
    -d "$folder/$_" && !-l "$folder/$_" ? remove_tree("$folder/$_", {error => \my $ignored}) : unlink "$folder/$_";
  }
}

# Those of the job's own ipc namespace.
sub remove_system_v_objects {
  for ('shm', 'msg', 'sem') {
    my @lines = lines_of("/proc/sysvipc/$_");
    if (@lines > 1) { system('ipcrm', '--all') == 0 or die "ipcrm failed\n"; return }
  }
}

# This job is process 1: this reaches every other process of its namespace.
sub kill_all_others {
  for (1 .. 1000) {
    kill 'KILL', -1;
    1 while waitpid(-1, WNOHANG) > 0;
    last unless grep { /^\d+$/ && $_ != $$ } do { opendir my $proc, '/proc'; readdir $proc };
    sleep 0.002;
  }
}

sub run_once {
  my ($command, $folder, $limit) = @_;
  empty_folder($_) for '/tmp', '/dev/shm', "$folder/mqueue";
  remove_system_v_objects();
  mkdir '/tmp/work', 0777;
  my $begin = time;
  my $pid = fork // die "fork: $!\n";
  if ($pid == 0) {
    setpgrp 0, 0;
    POSIX::setsid();
    chdir '/tmp/work';
    %ENV = (PATH => '/usr/sbin:/usr/bin:/sbin:/bin', HOME => '/tmp/work', LC_ALL => 'C.UTF-8', TZ => 'UTC',
      TMPDIR => '/tmp');
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', "$folder/out";
    open STDERR, '>>', "$folder/err";
    $SIG{$_} = 'DEFAULT' for qw(PIPE CHLD INT TERM HUP);
    exec {$command->[0]} @$command or POSIX::_exit(126);
  }
  my ($status, $pause) = (undef, 0.001);
  while (time - $begin < $limit) {
    my $ended = waitpid $pid, WNOHANG;
    if ($ended == $pid) { $status = $?; last }
    sleep $pause;
    $pause *= 1.2 if $pause < 0.02;
  }
  my %run = (status => $status // 'timeout', seconds => time - $begin);
  kill_all_others();
  $run{$_} = start_of("$folder/$_") for 'out', 'err';
  unlink "$folder/$_" for 'out', 'err';
  return \%run;
}

sub run_plain { my ($program, $folder) = @_; return run_once([@limits, @{$program->{command}}], $folder,
  $longest_plain) }

sub run_recorded {
  my ($program, $folder, $limit) = @_;
  unlink "$folder/profile";
  my $run = run_once([@limits, $softlbr, 'record', '-q', '-e', 'task-clock', '-c', '100003', '-o', "$folder/profile",
    '--',
                      @{$program->{command}}], $folder, $limit);
  # One line tells why a profile is incomplete: the program ended by a signal, by a raw exit, by another program's exec,
  # or entered a sandbox.
  $run->{err} =~ s/^softlbr: the program (?:ended|was killed by \S+|replaced itself|entered a sandbox) .*\n//mg;
  return $run;
}

# ---- comparison

sub without_numbers {
  my ($text) = @_;
  $text =~ s/\b0x[0-9a-f]+|\(nil\)/N/gi;
  $text =~ s/\d+/N/g;
  return $text;
}

my @forms = (['bytes', sub { $_[0] }], ['without numbers', \&without_numbers], ['not compared', sub { '' }]);

# The strictest form in which a stream of all these runs agrees.
sub form_of_agreement {
  my ($stream, @runs) = @_;
  for my $form (@forms) {
    my %texts = map { $form->[1]->($_->{$stream}) => 1 } @runs;
    return $form if keys %texts == 1;
  }
}

sub show_status {
  my ($status) = @_;
  return 'no end' if $status eq 'timeout';
  return $status & 127 ? 'signal ' . ($status & 127) : 'exit code ' . ($status >> 8);
}

sub first_difference {
  my ($plain, $other) = @_;
  my @plain = split /\n/, $plain;
  my @other = split /\n/, $other;
  for my $i (0 .. ($#plain > $#other ? $#plain : $#other)) {
    my ($a, $b) = map { defined $_ ? "'" . substr($_, 0, 120) . "'" : 'nothing' } $plain[$i], $other[$i];
    return 'line ' . ($i + 1) . ": $a, recorded $b" if $a ne $b;
  }
  return 'at a line end';
}

# Empty if `run` agrees with the plain run.
sub difference {
  my ($plain, $run, $forms) = @_;
  if ($run->{status} ne $plain->{status}) {
    my ($said) = $run->{err} =~ /^(.*\S.*)$/m;
    return show_status($plain->{status}) . ', recorded ' . show_status($run->{status}) . (defined $said ? " ($said)" :
      '');
  }
  for my $stream ('out', 'err') {
    my ($a, $b) = map { $forms->{$stream}[1]->($_->{$stream}) } $plain, $run;
    return "standard $stream: " . first_difference($a, $b) if $a ne $b;
  }
  return '';
}

# Whether the exit status of the plain runs agrees; if not, why.
sub unsteadiness {
  my @plain = @_;
  for (@plain) { return "does not end within $longest_plain s" if $_->{status} eq 'timeout' }
  my %statuses = map { show_status($_->{status}) => 1 } @plain;
  return keys %statuses > 1 ? join(' or ', sort keys %statuses) : '';
}

# The number of recorded runs that differ from all plain ones, and the difference of the first.
sub differing_runs {
  my ($forms, $plain, @recorded) = @_;
  my @differences = grep { $_ ne '' } map { difference($plain, $_, $forms) } @recorded;
  return (scalar @differences, $differences[0]);
}

# "same", "differs TEXT", "hangs TEXT" or "unsteady TEXT".
sub verdict_of {
  my ($program, $folder) = @_;
  my @plain = map { run_plain($program, $folder) } 1, 2;
  my $unsteady = unsteadiness(@plain);
  return "unsteady $unsteady" if $unsteady ne '';
  my ($slower) = sort { $b <=> $a } map { $_->{seconds} } @plain;
  my $limit = 10 * $slower > 10 ? 10 * $slower : 10;
  my @recorded;
  for (1 .. $rounds) {
    push @recorded, run_recorded($program, $folder, $limit);
    last if $recorded[-1]{status} eq 'timeout';
  }
  my $hangs = $recorded[-1]{status} eq 'timeout';
  my %forms = map { $_ => form_of_agreement($_, @plain) } 'out', 'err';
  my ($differing, $difference) = differing_runs(\%forms, $plain[0], @recorded);
  if ($differing > 0) {
    my $more = $slower > 2 ? 3 : 10;
    push @plain, map { run_plain($program, $folder) } 1 .. $more;
    $unsteady = unsteadiness(@plain);
    return "unsteady $unsteady" if $unsteady ne '';
    %forms = map { $_ => form_of_agreement($_, @plain) } 'out', 'err';
    ($differing, $difference) = differing_runs(\%forms, $plain[0], @recorded);
  }
  return sprintf('hangs: killed after %.0f s, alone %.2f s', $limit, $slower) if $hangs;
  return "differs in $differing of $rounds rounds: $difference" if $differing > 0;
  return 'same' . join('', map { $forms{$_}[0] eq 'bytes' ? '' : " (standard $_ $forms{$_}[0])" } 'out', 'err');
}

# ---- a job: takes the next program from a shared counter until there is none

sub next_index {
  open my $counter, '+<', "$state/next" or die "$state/next: $!\n";
  flock $counter, LOCK_EX;
  my $index = <$counter> + 0;
  seek $counter, 0, 0;
  print $counter $index + 1, "\n";
  close $counter;
  return $index;
}

sub work {
  my (undef, @programs) = programs();
  my $folder = "$state/worker$worker";
  while ((my $index = next_index()) < @programs) {
    my $program = $programs[$index];
    my $begin = time;
    my $verdict = verdict_of($program, $folder);
    $verdict =~ s/[^\x20-\x7e]/?/g;
    open my $out, '>>', "$state/verdicts" or die "$state/verdicts: $!\n";
    syswrite $out, sprintf("%s\t%s\t%.1f\n", $program->{name}, $verdict, time - $begin);
    close $out;
  }
}

if (defined $worker) {
  # The namespaces are there; make their insides.
  for ('/tmp', '/dev/shm') {
    system('mount', '-t', 'tmpfs', '-o', 'mode=1777,size=512m', 'tmpfs', $_) == 0 or die "cannot mount on $_\n";
  }
  make_path("$state/worker$worker/mqueue");
  system('mount', '-t', 'mqueue', 'mqueue', "$state/worker$worker/mqueue") == 0 or
    die "cannot mount the message queues\n";
  work();
  exit 0;
}

# ---- the command

die "run.pl: run it as root\n" if $> != 0;
make_path($state);
die "run.pl: $_ lies below /tmp, which each program finds empty\n" for grep { m{^/tmp/} } $0, $softlbr, $state,
  $exclude // ();
my ($excluded, @programs) = programs();
unlink "$state/verdicts";
{ open my $counter, '>', "$state/next" or die "$state/next: $!\n"; print $counter "0\n" }
{ open my $verdicts, '>', "$state/verdicts" or die "$state/verdicts: $!\n" }

my %running;
for my $job (1 .. $jobs) {
  my $pid = fork // die "fork: $!\n";
  if ($pid == 0) {
    exec 'unshare', '--pid', '--fork', '--kill-child', '--mount', '--ipc', '--uts', '--mount-proc',
         'setpriv', '--bounding-set', join(',', map { "-$_" } @dropped), '--inh-caps', '-all',
         $^X, $0, '--worker', $job, '--softlbr', $softlbr, '--list', $list, '--state', $state, '--rounds', $rounds,
         (defined $exclude ? ('--exclude', $exclude) : ()), '--only', $only;
    die "unshare: $!\n";
  }
  $running{$pid} = 1;
}
my $failed = 0;
while ((my $pid = wait) > 0) { $failed = 1 if $? != 0 }

my %count;
my $total = 0;
my %seen;
open my $in, '<', "$state/verdicts" or die "$state/verdicts: $!\n";
for (sort <$in>) {
  chomp;
  my ($name, $verdict) = split /\t/;
  my ($kind) = $verdict =~ /^(\w+)/;
  ++$count{$kind};
  ++$total;
  $seen{$name} = 1;
  print "$name: $verdict\n" if $kind ne 'same';
  ++$count{reduced} if $verdict =~ /^same \(/;
}
for (grep { !$seen{$_->{name}} } @programs) { print "$_->{name}: no verdict\n"; $failed = 1 }
printf "%d excluded by the list; of %d more, a stream varies, and was compared without its numbers or not at all\n",
  $excluded,
  $count{reduced} // 0;
my ($differing, $hangs, $unsteady) = map { $count{$_} // 0 } qw(differs hangs unsteady);
print "$total programs, $rounds rounds: $differing differing, $hangs hangs, $unsteady unsteady\n";
exit($failed || $differing + $hangs > 0 ? 1 : 0);
