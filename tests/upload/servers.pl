#!/usr/bin/perl
# `softlbr upload` to a real server behind a proxy that fails on purpose. Run by servers.sh.
#
# Use: servers.pl BIN SERVER SESSIONS     BIN: the folder of softlbr and upload_spool; SERVER: collect, nginx or apache
# Everything is on loopback, on ports that the kernel chooses, below a temporary folder. Files that a 413 sent into
# quarantine are moved back and the run is repeated, as docs/uploads.md says, until nothing is left. Then each session
# must be on the server whole, each frame once. Prints one line of figures. Exit 1: what was wrong is printed.
use strict;
use warnings;
use File::Basename qw(basename dirname);
use File::Find qw(find);
use File::Temp qw(tempdir);
use IO::Socket::INET;
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);
use lib dirname(__FILE__);
use FaultProxy;

my ($bin, $kind, $sessions) = @ARGV;
die "use: servers.pl BIN SERVER SESSIONS\n" unless defined $sessions;
my %options = (collect => [], nginx => ['--head-first'], apache => ['--mkcol']);
my $options = $options{$kind} or die "servers: collect, nginx or apache, not $kind\n";
my $segment_bytes = 230;  # a session has one to three segments
my $max_runs = 200;
my $top = tempdir('softlbr-servers.XXXXXX', TMPDIR => 1, CLEANUP => 1);
$ENV{no_proxy} = '127.0.0.1';
$ENV{PATH} .= ':/usr/sbin';
$SIG{PIPE} = 'IGNORE';
srand 5;

my %running;  # servers to end, by process
my $parent = $$;
END { if ($$ == $parent) { local $?; kill KILL => keys %running; waitpid $_, 0 for keys %running } }
sub fail { print STDERR "servers: $kind: @_\n"; exit 1 }

sub bytes_of {
  open my $in, '<:raw', $_[0] or return '';
  return join '', <$in>;
}

sub put {
  my ($path, $text) = @_;
  open my $out, '>:raw', $path or fail("$path: $!");
  print $out $text;
  close $out or fail("$path: $!");
}

# A stream of what a command prints.
sub begin {
  my @command = @_;
  my $pid = open(my $out, '-|') // fail("fork: $!");
  return $out if $pid;
  open STDERR, '>&', \*STDOUT;
  exec @command or POSIX::_exit(127);
}

# --- one of the three, killed and started again at will. It keeps its port
# -----------------------------------------------------
sub configuration {
  my ($folder, $port) = @_;
  my $user = $> == 0 ? "user root;\n" : '';
  return <<"END" if $kind eq 'nginx';
${user}daemon off; master_process off; pid $folder/pid; error_log $folder/error.log;
events { }
http {
  access_log off; client_body_temp_path $folder/body; proxy_temp_path $folder/p; fastcgi_temp_path $folder/f; uwsgi_temp_path $folder/u;
  scgi_temp_path $folder/s;
  server {
    listen 127.0.0.1:$port; root $folder/store;
    location / { dav_methods PUT; create_full_put_path on; client_max_body_size 16m; }
  }
}
END
  my $modules = join '', map { "LoadModule ${_}_module /usr/lib/apache2/modules/mod_$_.so\n" }
    qw(mpm_event authz_core dav dav_fs);
  return <<"END";
ServerRoot $folder
ServerName localhost
Listen 127.0.0.1:$port
PidFile $folder/pid
ErrorLog $folder/error.log
DefaultRuntimeDir $folder
Mutex file:$folder
${modules}DavLockDB $folder/locks
DocumentRoot $folder/store
<Directory />
  Dav On
  Require all granted
</Directory>
END
}

sub new_server {
  my ($folder) = @_;
  # Chosen by the kernel; nobody else is likely to get it while the server is down for a moment.
  my $port = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)->sockport;
  my %server = (folder => $folder, port => $port, starts => 0);
  mkdir "$folder/store";
  put("$folder/conf", configuration($folder, $port)) if $kind ne 'collect';
  # -X: one process, so that one kill ends all of it.
  $server{command} = {nginx => ['nginx', '-c', "$folder/conf"], apache => ['apache2', '-X', '-f', "$folder/conf"],
    collect => ["$bin/softlbr", 'collect', '--listen', "127.0.0.1:$port", '-o', "$folder/store"]}->{$kind};
  start(\%server);
  return \%server;
}

sub start {
  my ($server) = @_;
  ++$server->{starts};
  my $pid = fork // fail("fork: $!");
  if (!$pid) {
    open STDIN, '<', '/dev/null';
    open STDOUT, '>>', "$server->{folder}/output";
    open STDERR, '>&', \*STDOUT;
    exec @{$server->{command}} or POSIX::_exit(127);
  }
  $server->{pid} = $pid;
  $running{$pid} = 1;
  for (my $limit = time + 60; time < $limit; sleep 0.01) {
    return if IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $server->{port}, Timeout => 1);
    last if waitpid $pid, WNOHANG;
  }
  fail('does not start: ' . substr bytes_of("$server->{folder}/output"), -500);
}

sub end {
  my ($server) = @_;
  kill KILL => $server->{pid};
  waitpid $server->{pid}, 0;
  delete $running{$server->{pid}};
}

# Somebody else's bytes, of the same length, are under the path of a session. Only a server that is asked first gets the
# session all the same, because it overwrites.
sub expect_other_bytes_kept {
  my $folder = "$top/other";
  mkdir $folder;
  my $server = new_server($folder);
  my $stored;
  for my $is_forged (0, 1) {
    system("$bin/upload_spool", 'make', "$folder/spool", 1) == 0 or fail('no spool');
    my ($file) = glob "$folder/spool/*.slbr";
    my $content = bytes_of($file);
    my $upload = begin("$bin/softlbr", 'upload', "$folder/spool", "http://127.0.0.1:$server->{port}",
      qw(--max-wait 0.005), @$options);
    my $text = join '', <$upload>;
    close $upload;
    my $is_sent = $? == 0 && !-e $file;
    if (!$is_forged) {
      $is_sent or fail("a session alone is not sent: $text");
      # collect makes a file of a complete session.
      find({no_chdir => 1, wanted => sub { $stored = $_ if -f && basename($_) !~ /^\./ }}, "$folder/store");
      put($stored, substr($content, 0, -1) . chr(ord(substr $content, -1) ^ 1));
    } elsif ($kind eq 'nginx') {
      $is_sent && bytes_of($stored) eq $content or fail("other bytes are not replaced: $text");
    } elsif ($? != 1 << 8 || bytes_of($file) ne $content) {
      fail("other bytes in its place, and the file is gone: $text");
    }
  }
  end($server);
}

my $spool = "$top/spool";
system("$bin/upload_spool", 'make', $spool, $sessions) == 0 or fail('no spool');
my $server = new_server($top);
my $kill_every = $sessions < 200 ? 20 : int($sessions / 10);
my $proxy = FaultProxy->new($server->{port}, 20, $kill_every, sub { end($server); start($server) });
my $begin = time;
my $runs = 0;
while (1) {
  ++$runs;
  my $upload = begin("$bin/softlbr", 'upload', $spool, "http://127.0.0.1:$proxy->{port}", '--segment-bytes',
    $segment_bytes,
    qw(--max-wait 0.005 --retries 100), @$options);
  my $text = $proxy->serve_until_end_of($upload);
  close $upload;
  my @quarantine = glob "$spool/quarantine/*";
  last if $? == 0 && !@quarantine;
  # A refused GET leaves a segment without proof: the run ends, and the next one asks again.
  if (($? != 0 && $? != 1 << 8) || $runs == $max_runs || !(@quarantine || $text =~ /nothing was deleted/)) {
    fail("run $runs ended with status $?: " . substr $text, -500);
  }
  rename $_, "$spool/" . basename($_) for @quarantine;
}
my $seconds = time - $begin;
end($server);
my @left = glob "$spool/*.slbr";
@left == 0 or fail(@left . ' sessions are still in the spool');
my $counts = $proxy->{counts};
my @missing = grep { !$counts->{$_} } @FaultProxy::faults, 'server killed';
@missing == 0 || $sessions < 50 or fail('faults that never came about: ' . join ', ', @missing);
# A server that keeps to If-None-Match, or is asked first, stores again only what it stored without our getting the
# answer.
my $unheard = 0;
$unheard += $counts->{$_} // 0 for 'closed after', 'cut answer', 'server killed';
my $again = 0;
$again += $_ - 1 for values %{$proxy->{stored}};
if ($again > $unheard || ($kind ne 'nginx' && $again > $server->{starts})) {
  fail("$again segments were stored again, $unheard answers were lost");
}
my $check = begin("$bin/upload_spool", 'check', "$top/store", $sessions);
chomp(my $checked = join '', <$check>);
close $check or fail($checked);
expect_other_bytes_kept();
printf "%s: %s, %d requests, %d runs, %.0f s; %s; %d stored again\n", $kind, $checked, $proxy->{requests}, $runs,
  $seconds,
  join(', ', map { "$counts->{$_} $_" } grep { $_ ne 'passed' } sort keys %$counts), $again;
