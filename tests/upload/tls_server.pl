#!/usr/bin/perl
# HTTPS servers on loopback that store what is PUT to them, and return it. For tls.sh. TLS is made by `openssl
# s_server`, which hands on the bytes of one connection after the other.
#
# Use: tls_server.pl FOLDER NAME...     one server for each NAME, with the certificate FOLDER/NAME.pem and the key
#                                       FOLDER/NAME.key Prints "NAME PORT" for each, then "ready". Bodies go to
#                                       FOLDER/stored/NAME/. Runs until it is killed.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path);
use IO::Select;
use IO::Socket::INET;
use IPC::Open2;
use Time::HiRes qw(sleep);
use lib dirname(__FILE__);
use FaultProxy;

my ($folder, @names) = @ARGV;
my (@pids, %server);
$SIG{TERM} = sub { exit 0 };
END { kill TERM => @pids }
$| = 1;
for my $name (@names) {
  my $port = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)->sockport;
  push @pids, open2(my $from, my $to, qw(openssl s_server -quiet -accept), "127.0.0.1:$port", '-cert',
    "$folder/$name.pem",
    '-key', "$folder/$name.key");
  $server{$from} = {name => $name, from => $from, to => $to};
  for (1 .. 600) {
    last if grep { /^ *\d+: 0100007F:${\sprintf '%04X', $port} 00000000:0000 0A / } do { open my $in, '<',
      '/proc/net/tcp'; <$in> };
    sleep 0.01;
  }
  print "$name $port\n";
}
print "ready\n";
my $select = IO::Select->new(map { $_->{from} } values %server);
while ($select->count) {
  for my $from ($select->can_read) {
    my $request = read_message($from, 1);
    if (!defined $request) {  # openssl has ended
      $select->remove($from);
      next;
    }
    my ($method, $path) = $request =~ m{^(\w+) /*(\S+)};
    my $file = "$folder/stored/$server{$from}{name}/$path";
    my ($status, $body) = (404, '');
    if ($method eq 'PUT') {
      $status = -e $file ? 412 : 201;
      if ($status == 201) {
        make_path(dirname($file));
        open my $out, '>:raw', $file or die "$file: $!\n";
        print $out $request =~ s/^.*?\r\n\r\n//sr;
      }
    } elsif (open my $in, '<:raw', $file) {
      ($status, $body) = (200, join '', <$in>);
    }
    my $to = $server{$from}{to};
    print $to "HTTP/1.1 $status Status\r\nContent-Length: " . length($body) . "\r\n\r\n$body";
    $to->flush;
  }
}
