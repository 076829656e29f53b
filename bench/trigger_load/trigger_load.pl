#!/usr/bin/perl
# Triggers sessions in a server under load. trigger_load.sh builds the server and calls this; README.md says how to read
# the result.
#
# Use: trigger_load.pl SOFTLBR FOLDER SESSIONS SECONDS BUDGET      FOLDER has the program "server", and gets the
#                                                                  profiles
#      SECONDS: of each interval. 0: one short interval of each kind, and no bar but the accounts
#      BUDGET: parts per million that the compared sessions ask for; 0: the default
# The requester is written from docs/sessions_on_request.md, and from nothing else.
use strict;
use warnings;
use IPC::Open2;
use JSON::PP;
use List::Util qw(max min sum0);
use POSIX ();
use Socket;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC sleep);

my ($softlbr, $work, $sessions, $interval_s, $budget_ppm) = @ARGV;
my $is_short = $interval_s == 0;
my ($connections, $clients) = (100, 2);  # so many threads of the server, and so many requests at a time: two CPUs are busy
my $sessions_of_a_server = 10;           # then both start anew: where code and data lie differs from start to start
# The kernel's switches of threads stay slower for a second after the last event is closed (README.md, "Context
# switches").
my $kernel_forgets_s = $is_short ? 0 : 1.3;
my $load_after_s = $is_short ? 0.2 : 0.06;  # a session is stopped so long before the load
my $first_sample_hz = 20000;
my ($most_ratio, $most_start_ms, $most_stop_ms) = (1.02, 20, 50);
my %word = (ask => 1, start => 2, cancel => 3, count => 4, started => 17, progress => 18, end => 20, counts => 22);
my ($duration_over, $cancelled) = (0, 1);
my ($is_x86, $is_arm) = map { (POSIX::uname())[4] eq $_ } 'x86_64', 'aarch64';
my %number = (perf_event_open => $is_x86 ? 298 : 241, sendmsg => $is_x86 ? 46 : 211);
$is_x86 || $is_arm or die "trigger_load: numbers of system calls are not known for this CPU\n";
$| = 1;

sub fail { print STDERR "trigger_load: @_\n"; exit 1 }
sub now { return clock_gettime(CLOCK_MONOTONIC) }

sub bytes_of {
  open my $in, '<', $_[0] or fail("$_[0]: $!");
  return join '', <$in>;
}

# --- control groups: the server's, with its helper, which no process waits for. Of cgroup v1's cpuacct or of v2; only
# root can make one. Without one, CPU time is not measured ---
my %group;  # name -> folder

sub make_group {
  my ($name) = @_;
  for my $root ('/sys/fs/cgroup/cpuacct', '/sys/fs/cgroup/unified', '/sys/fs/cgroup') {
    my $folder = "$root/softlbr-trigger-$$-$name";
    next unless mkdir $folder;
    return $folder if -e "$folder/cpuacct.usage" || -e "$folder/cpu.stat";
    rmdir $folder;
  }
  return undef;
}

sub used_ns {
  my ($folder) = @_;
  return 0 unless defined $folder;
  return 0 + bytes_of("$folder/cpuacct.usage") if -e "$folder/cpuacct.usage";
  return 1000 * (split ' ', bytes_of("$folder/cpu.stat"))[1];
}

my %running;  # programs, by process
END {
  local $?;
  kill KILL => keys %running;
  for my $folder (grep { defined } values %group) {
    for (1 .. 200) {  # a helper may take a moment
      last if rmdir $folder;
      sleep 0.01;
    }
  }
}

# --- programs that are told and asked by lines ---
sub run_program {
  my ($group, @command) = @_;
  # A shell of the group becomes the program.
  unshift @command, 'sh', '-c', 'echo $$ > "$0/cgroup.procs"; exec "$@"', $group if defined $group;
  my %program;
  $program{pid} = open2($program{from}, $program{to}, @command);
  $running{$program{pid}} = 1;
  return \%program;
}

sub say_to {
  my ($program, $line) = @_;
  print {$program->{to}} "$line\n";
  $program->{to}->flush;
}

sub hear {
  my ($program) = @_;
  return split ' ', readline($program->{from}) // fail('a program has ended');
}

sub end_program {
  my ($program) = @_;
  close $program->{to};
  waitpid $program->{pid}, 0;
  delete $running{$program->{pid}};
  $? == 0 or fail("a program ended with status $?");
}

# An event of the kernel's for this process, which never counts. Where it is the only one of all tasks, opening it takes
# as long as the kernel needs to switch its code for events on; while it is open, the next one has not to wait for that.
# Returns how long it took.
sub with_kernel_event {
  my ($body) = @_;
  my ($software, $task_clock, $disabled_user_only) = (1, 1, 1 | 1 << 5 | 1 << 6);
  my $attributes = pack 'L L Q5 x16', $software, 64, $task_clock, 0, 0, 0, $disabled_user_only;
  my $began = now();
  my $fd = syscall $number{perf_event_open}, $attributes, 0, -1, -1, 0;
  my $opened_ms = $fd >= 0 ? (now() - $began) * 1e3 : 'inf';  # forbidden: sessions sample by timers then
  $body->();
  POSIX::close($fd) if $fd >= 0;
  return $opened_ms;
}

# --- one of the two servers, and the clients that load it ---
sub new_server {
  my ($name) = @_;
  my %server = (group => $group{$name}, answers => 0);
  $server{program} = run_program($group{$name}, "$work/server", 'serve', $name eq 'plain' ? '-' : "$work/sockets");
  $server{clients} = run_program(undef, "$work/server", 'load', hear($server{program}), $connections, $clients);
  hear($server{clients});
  return \%server;
}

sub begin_load {
  my ($server, $seconds) = @_;
  $server->{began_ns} = used_ns($server->{group});
  say_to($server->{clients}, sprintf 'run %.0f', $seconds * 1000);
}

# [CPU ns of a request, requests of a second].
sub end_load {
  my ($server) = @_;
  my ($answers, $wrong, $took_ns) = hear($server->{clients});
  $wrong == 0 or fail("$wrong wrong answers");
  $server->{answers} += $answers;
  return ['inf', 0] if $answers == 0;  # the machine gave the server no time
  return [(used_ns($server->{group}) - $server->{began_ns}) / $answers, $answers / $took_ns * 1e9];
}

sub end_server {
  my ($server) = @_;
  say_to($server->{program}, 'count');
  my ($counted) = hear($server->{program});
  $counted == $server->{answers} or fail("$server->{answers} answers came, but the server has sent $counted");
  end_program($server->{clients});
  end_program($server->{program});
}

# --- a connection that asks for sessions, and what came of them ---
my $connection;
my ($asked, $late, $samples, $taken_branches) = (0, 0, 0, 0);
my %ended = ($duration_over => 0, $cancelled => 0);
my $profile = "$work/session.slbr";

sub connect_trigger {
  my ($name) = glob "$work/sockets/*";
  socket $connection, AF_UNIX, SOCK_SEQPACKET, 0 or fail("socket: $!");
  setsockopt $connection, SOL_SOCKET, SO_RCVTIMEO, pack('l! l!', 60, 0);
  connect $connection, pack_sockaddr_un($name) or fail("connect: $!");
  $asked = 0;
}

# A message, with the descriptor of `file` if there is one: sendmsg takes a struct msghdr with one iovec and one
# SCM_RIGHTS.
sub send_message {
  my ($kind, $body, $file) = @_;
  my $message = pack('L S S L L', 0x434C5353, 1, $word{$kind}, length $body, 0) . $body;
  my $part = pack 'P Q', $message, length $message;
  my $rights = defined $file ? pack('Q l l l x4', 20, SOL_SOCKET, 1, fileno $file) : '';
  my $header = pack 'Q L x4 P Q P Q l x4', 0, 0, $part, 1, $rights, length $rights, 0;
  syscall($number{sendmsg}, fileno $connection, $header, 0) == length $message or fail("sendmsg: $!");
}

sub receive {
  my ($wanted) = @_;
  while (1) {
    my $packet;
    defined recv($connection, $packet, 65536, 0) && length $packet >= 16 or fail('the server closed the connection');
    my $kind = unpack 'x6 S', $packet;
    return substr $packet, 16 if $kind == $word{$wanted};
    $kind == $word{progress} or fail("message $kind came instead of $wanted: " . unpack 'x16 H*', $packet);
  }
}

sub begin_session {
  my ($duration_ms, $frequency_hz) = @_;
  open my $file, '>', $profile or fail("$profile: $!");
  send_message('start', pack('L L Q Q L L Q', 0, 0, 0, $frequency_hz, $duration_ms, $frequency_hz ? 0 : $budget_ppm, 0),
    $file);
  ++$asked;
}

# The session is over, or about to be: its profile is complete when the message comes. Returns the time of that.
sub end_session {
  my ($why_wanted) = @_;
  my ($why, $status, undef, $told, undef, undef, undef, $threads, $lost) = unpack 'L2 Q7', receive('end');
  my $at = now();
  my $size = -s $profile;
  $why == $why_wanted && $status == 0 or fail("a session ended with why=$why status=$status");
  my $stats = decode_json(scalar `"$softlbr" stats --json "$profile"`);
  if ($stats->{is_truncated} || $stats->{samples} < $told || -s $profile != $size) {
    fail('a profile was not complete when its session had ended');
  }
  # A sample that comes while the thread's events are being closed is counted, and no loss of a trace. Branches of our
  # own code are taken out.
  my %lost = %{$stats->{lost}};
  my $borne = $lost{late_sample} + $lost{own_code};
  if ($lost > $borne || sum0(values %lost) != $borne) {
    fail("a session has lost $lost: " . join ', ', map { "$_ $lost{$_}" } grep { $lost{$_} } sort keys %lost);
  }
  $late += $lost{late_sample};
  $threads >= $connections or fail("$threads threads were recorded of $connections");
  ++$ended{$why};
  $samples += $stats->{samples};
  $taken_branches += $stats->{taken_branches};
  return $at;
}

sub close_trigger {
  send_message('count', '');
  my (undef, $counted, undef, $skipped, @refused) = unpack 'Q4 Q32', receive('counts');
  my $refused = sum0(@refused);
  if ($counted != $asked || $skipped || $refused) {
    fail("$asked sessions were asked for; the server counts $counted, $skipped skipped, $refused refused");
  }
  close $connection;
}

# --- intervals ---
sub without_session {
  my ($server, $seconds) = @_;
  begin_load($server, $seconds);
  return end_load($server);
}

my (@stops_ms, @starts_ms, @prepared_starts_ms, @events_ms);

# From just before the request to just after the end: the start and the end of the session count as well.
sub during_session {
  my ($server, $seconds) = @_;
  begin_load($server, $seconds);
  my $began = now();
  begin_session(60000, 0);
  receive('started');
  sleep max(0, $began + $seconds - $load_after_s - now());
  my $stop = now();
  send_message('cancel', '');
  push @stops_ms, (end_session($cancelled) - $stop) * 1e3;
  return end_load($server);
}

# A short session that ends by itself, [from the request, from the start] to its first sample. Its rate is so high that
# the first request of each thread has a sample. The requester waits for a CPU like everybody else before the request is
# out.
sub first_sample_ms {
  my ($server) = @_;
  begin_load($server, 0.8);
  say_to($server->{program}, 'watch');
  hear($server->{program});
  sleep 0.02;
  my $asked_ns = now() * 1e9;
  begin_session(500, $first_sample_hz);
  receive('started');
  my ($start_ns, $seen_ns) = hear($server->{program});
  end_session($duration_over);
  end_load($server);
  return $seen_ns ? [($seen_ns - $asked_ns) / 1e6, ($seen_ns - $start_ns) / 1e6] : ['inf', 'inf'];
}

# How long the kernel takes for the first event of all tasks, under the same load.
sub first_event_ms {
  my ($server) = @_;
  begin_load($server, 0.5);
  sleep 0.1;
  my $opened_ms = with_kernel_event(sub { });
  end_load($server);
  return $opened_ms;
}

sub median {
  my @sorted = sort { $a <=> $b } @_;
  return ($sorted[int($#sorted / 2)] + $sorted[int(@sorted / 2)]) / 2;
}

# Standard error of the median, estimated by the median deviation.
sub deviation_of {
  my $median = median(@_);
  return 1.25 * 1.48 * median(map { abs($_ - $median) } @_) / sqrt @_;
}

mkdir "$work/sockets", 0700;
$group{$_} = make_group($_) for qw(plain carrying);
my $seconds = $interval_s || 0.5;
my %results = map { $_ => [] } qw(plain between during);
my $done = 0;
while ($done < $sessions) {
  my %server = map { $_ => new_server($_) } keys %group;
  my $carrying = $server{carrying};
  connect_trigger();
  for my $server (values %server) {
    without_session($server, 0.1) while $server->{answers} < 10 * $connections;
  }
  for my $number (0 .. min($sessions_of_a_server, $sessions - $done) - 1) {
    for my $kind ($number % 2 == 0 ? qw(plain between during) : qw(during between plain)) {
      if ($kind eq 'during') {
        push @{$results{$kind}}, during_session($carrying, $seconds);
        sleep $kernel_forgets_s;
      } else {
        push @{$results{$kind}}, without_session($kind eq 'plain' ? $server{plain} : $carrying, $seconds);
      }
    }
    push @starts_ms, first_sample_ms($carrying);
    sleep $kernel_forgets_s;
    push @events_ms, first_event_ms($carrying);
    with_kernel_event(sub { push @prepared_starts_ms, first_sample_ms($carrying) });
    sleep $kernel_forgets_s;
    ++$done;
  }
  close_trigger();
  end_server($_) for values %server;
  fail('a socket is left') if () = glob "$work/sockets/*";
}
if ($ended{$duration_over} != 2 * $sessions || $ended{$cancelled} != $sessions) {
  fail("$ended{$duration_over} sessions ended after their time, $ended{$cancelled} by the requester");
}
print 3 * $sessions, " sessions triggered, $sessions stopped by the requester and ", 2 * $sessions,
  ' over after their time: all complete, ',
  "all counted, no trace lost, none refused; $late late samples, $samples samples, $taken_branches taken branches\n";
exit 0 if $is_short;

my $has_failed = 0;
sub judge {
  my ($what, $value, $bar, $deviation) = @_;
  my $is_above = $value - 2 * $deviation > $bar;
  $has_failed = 1 if $is_above;
  print $what, $is_above ? '   ABOVE THE BAR' : '', "\n";
}

printf "%32s%17s%19s\n", '', 'CPU us a request', 'requests a second';
my %names = (plain => 'library not started', between => 'between sessions', during => 'during sessions');
for my $kind (qw(plain between during)) {
  my @values = @{$results{$kind}};
  printf "%-32s%17.2f%19.0f\n", $names{$kind}, median(map { $_->[0] } @values) / 1e3, median(map { $_->[1] } @values);
}
for (['between', 'plain'], ['during', 'between'], ['during', 'plain']) {
  my ($one, $other) = @$_;
  for my $column (0, 1) {
    if ($column == 0 && !defined $group{plain}) {
      print "CPU time is not measured: that takes root\n";
      next;
    }
    my @ratios = map { $results{$one}[$_][$column] / $results{$other}[$_][$column] } 0 .. $#{$results{$one}};
    my ($ratio, $deviation) = (median(@ratios), deviation_of(@ratios));
    my $what = ('CPU time of a request', 'requests of a second')[$column];
    judge(sprintf('%s / %s, %s: %+.2f %% +- %.2f', $names{$one}, $names{$other}, $what, ($ratio - 1) * 100,
      $deviation * 100),
      $column == 0 ? $ratio : 1 / $ratio, $most_ratio, $deviation);
  }
}

sub spread {
  my ($what, @values) = @_;
  return sprintf '%-42smedian %.1f, %.1f to %.1f', $what, median(@values), min(@values), max(@values);
}
sub judge_ms {
  my ($what, $bar, @values) = @_;
  judge(spread($what, @values) . " (bar $bar)", median(@values), $bar, 0);
}
print spread('request to first sample, ms', map { $_->[0] } @starts_ms), "\n";
judge_ms('start to first sample, ms', $most_start_ms, map { $_->[1] } @starts_ms);
print spread('  the kernel\'s first event of all, ms', @events_ms), "\n";
judge_ms('  start to first sample after that, ms', $most_start_ms, map { $_->[1] } @prepared_starts_ms);
judge_ms('stop to complete profile, ms', $most_stop_ms, @stops_ms);
exit $has_failed;
