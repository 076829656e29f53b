# Hashes, regular expressions, sorting, big loops, a forked child, an alarm.
use strict;
use warnings;
my %count;
open my $in, '<', 'text' or die;
while (<$in>) { $count{$_}++ for split; }
printf "%s %d\n", $_, $count{$_} for (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 19];
my $text = join ' ', sort keys %count;
my $hits = () = $text =~ /\b(\w)\w*\1\b/g;
print "hits $hits\n";
my $rang = 0;
local $SIG{ALRM} = sub { $rang++ };
alarm 1;
my $x = 1;
for (my $i = 0; !$rang; ++$i) { $x = ($x * 48271) % 2147483647; }
print "rang $rang\n";
for my $n (1 .. 8) {
  my $pid = fork // die;
  if (!$pid) { my $s = 0; $s += $_ * $n for 1 .. 20000; exit $s % 251 }
  waitpid $pid, 0;
  printf "child %d left %d\n", $n, $? >> 8;
}
print `echo a shell`;
exit 7;
