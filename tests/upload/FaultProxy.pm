# An HTTP/1.1 proxy on loopback that stands between `softlbr upload` and one server, and fails on purpose (servers.pl).
#
# Faults, in turn, at requests drawn with a fixed seed: 500; 429 with Retry-After; 413; an answer that is no HTTP; an
# answer cut in its first line; a connection that is closed before or after the request reached the server; an answer
# that arrives byte by byte. At each so-manieth request the server is killed and started again while the request is half
# sent to it, so kills come about on a machine of any speed.
package FaultProxy;
use strict;
use warnings;
use Exporter qw(import);
use IO::Select;
use IO::Socket::INET;
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY);
use Time::HiRes qw(sleep);

our @EXPORT = qw(read_message);
our @faults = ('500', '429', '413', 'garbage', 'cut answer', 'closed before', 'closed after', 'slow');

# One request or answer as bytes; undef if the connection ends inside it.
sub read_message {
  my ($stream, $has_body) = @_;
  my $head = '';
  until ($head =~ /\r\n\r\n\z/) {
    my $line = readline $stream;
    return undef unless defined $line;
    $head .= $line;
  }
  my ($length) = $has_body && $head =~ /\r\ncontent-length:\s*(\d+)/i;
  return $head unless $length;
  my $got = read $stream, $head, $length, length $head;
  return ($got // 0) == $length ? $head : undef;
}

# {port}: the proxy's own; {counts}: requests by what became of them; {stored}: for each path that was PUT, how often
# the server answered that it stored it.
sub new {
  my ($class, $server_port, $faults_percent, $kill_every, $restart_server) = @_;
  my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 16) or die "listen: $!\n";
  return bless {server_port => $server_port, faults_percent => $faults_percent, kill_every => $kill_every,
    restart_server => $restart_server,
    requests => 0, faults => 0, counts => {}, stored => {}, listener => $listener, port => $listener->sockport}, $class;
}

# Serves until the stream `output` ends, and returns what came from it. One request is served after the other.
sub serve_until_end_of {
  my ($self, $output) = @_;
  my $select = IO::Select->new($self->{listener}, $output);
  my $text = '';
  while (1) {
    for my $ready ($select->can_read) {
      if ($ready == $output) {
        next if sysread $output, $text, 65536, length $text;
        $select->remove($self->{listener}, $output);
        close $_ for $select->handles;
        return $text;
      }
      if ($ready == $self->{listener}) {
        my $client = $ready->accept or next;
        setsockopt $client, IPPROTO_TCP, TCP_NODELAY, 1;
        $select->add($client);
      } elsif (!$self->serve($ready)) {
        $select->remove($ready);
        close $ready;
      }
    }
  }
}

# The server's answer, or undef if there was none. Each request has a connection of its own.
sub ask_server {
  my ($self, $request, $is_killed) = @_;
  my ($method, $path) = split / /, $request;
  my $server = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $self->{server_port}, Timeout => 60) or
    return undef;
  setsockopt $server, SOL_SOCKET, SO_RCVTIMEO, pack('l! l!', 60, 0);
  my $half = int(length($request) / 2);
  print $server substr $request, 0, $half;
  $server->flush;
  $self->{restart_server}->() if $is_killed;
  print $server substr $request, $half;
  my $answer = read_message($server, $method ne 'HEAD');
  ++$self->{stored}{$path} if defined $answer && $method eq 'PUT' && $answer =~ m{^HTTP/1.1 20};
  return $answer;
}

# One request. False: the connection is to be closed.
sub serve {
  my ($self, $client) = @_;
  my $request = read_message($client, 1) // return 0;
  my $kind = 'passed';
  if (++$self->{requests} % $self->{kill_every} == 0) {
    $kind = 'server killed';
  } elsif (int(rand 100) < $self->{faults_percent}) {
    $kind = $faults[$self->{faults}++ % @faults];
  }
  ++$self->{counts}{$kind};
  return print $client "HTTP/1.1 $kind Fault\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n" if $kind =~ /^\d+$/;
  if ($kind eq 'garbage') {
    print $client "\0\xff garbage \r\n\r\n";
    return 0;
  }
  return 0 if $kind eq 'closed before';
  my $answer = $self->ask_server($request, $kind eq 'server killed');
  return 0 if !defined $answer || $kind eq 'closed after';
  if ($kind eq 'cut answer') {
    print $client substr $answer, 0, 10;
    return 0;
  }
  if ($kind eq 'slow') {
    for my $byte (split //, substr $answer, 0, 20, '') {
      print $client $byte;
      sleep 0.002;
    }
  }
  return print $client $answer;
}

1;
