# A server that forks its workers ahead, and gives up root's rights in them. Needs: apache2 setsid perl
prepare() {
  mkdir -m 755 pages
  seq 20000 >pages/page.txt
  cat >server.conf <<END
ServerRoot $PWD
ServerName localhost
PidFile $PWD/pid
ErrorLog $PWD/errors
Listen 127.0.0.1:8765
User www-data
Group www-data
LoadModule mpm_prefork_module /usr/lib/apache2/modules/mod_mpm_prefork.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so
LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so
StartServers 4
MinSpareServers 1
MaxSpareServers 8
MaxRequestWorkers 8
DocumentRoot $PWD/pages
SetOutputFilter DEFLATE
END
  chmod 755 .
}
run() {
  setsid apache2 -f "$PWD/server.conf" -D FOREGROUND &  # it ends its whole process group
  perl -MIO::Socket::INET -e '
    my ($sum, $ends) = (0, time + 20);
    for my $client (1 .. 4) {
      next if fork;
      my $bytes = 0;
      for (1 .. 150) {
        my $s;
        until ($s = IO::Socket::INET->new("127.0.0.1:8765")) { die "no server\n" if time > $ends; select undef, undef, undef, 0.05 }
        print $s "GET /page.txt HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n";
        my ($head, $text) = split /\r\n\r\n/, join("", <$s>), 2;
        $bytes += length $text;
      }
      print "$bytes bytes\n";
      exit;
    }
    while (wait > 0) {}'
  kill -TERM "$(cat pid)"
  wait
}
